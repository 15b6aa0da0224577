/**
 * Limits the total cost of the running operations of each holder (a team, a caller). Further operations wait, so that a
 * holder with many connections delays other holders by at most one operation of maximum cost.
 */
export class RunningCosts {
  readonly #maxCost: number;
  readonly #byHolder = new Map<string, Operations>();

  constructor(maxCost: number) {
    this.#maxCost = maxCost;
  }

  /**
   * Calls `start` when the operation may run. Call `leave` when the operation has ended. Returns a function to call
   * when the client disconnects: a waiting operation then never starts. A running operation counts until it has ended.
   */
  enter(holder: string, cost: number, start: (leave: () => void) => void): () => void {
    const operations = this.#byHolder.get(holder) ?? { running: new Set(), cost: 0, waiting: [] };
    this.#byHolder.set(holder, operations);
    const operation: Operation = { cost, start: () => start(leave) };
    const leave = () => {
      if (!operations.running.delete(operation)) return;
      operations.cost -= cost;
      this.#startNext(operations);
      if (operations.running.size === 0) this.#byHolder.delete(holder);
    };
    operations.waiting.push(operation);
    this.#startNext(operations);
    // Keeps the holder's entry, because an operation still runs. The end of the last one removes the entry.
    return () => {
      const place = operations.waiting.indexOf(operation);
      if (place < 0) return;
      operations.waiting.splice(place, 1);
      this.#startNext(operations);
    };
  }

  #startNext(operations: Operations): void {
    for (;;) {
      const [next] = operations.waiting;
      if (next === undefined) return;
      if (operations.running.size > 0 && operations.cost + next.cost > this.#maxCost) return;
      operations.waiting.shift();
      operations.running.add(next);
      operations.cost += next.cost;
      next.start();
    }
  }
}

interface Operation {
  readonly cost: number;
  readonly start: () => void;
}

interface Operations {
  readonly running: Set<Operation>;
  /** The total cost of the running operations. */
  cost: number;
  readonly waiting: Operation[];
}
