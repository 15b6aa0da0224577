/**
 * Limits what the operations of one holder (a team, a caller) cost together while they run. Further ones of that holder
 * wait. An operation of another holder then competes with as much work of this one as a single operation may cost, on
 * however many connections this holder calls.
 */
export class RunningCosts {
  readonly #maxCost: number;
  /** A holder without operations has no entry. */
  readonly #byHolder = new Map<string, Operations>();

  constructor(maxCost: number) {
    this.#maxCost = maxCost;
  }

  /**
   * Calls `start` when the operation may run, at once if nothing of its holder runs. Call `leave` when it has ended.
   * Returns a function to call when the client has disconnected: an operation that waits is then never started. One that
   * runs still counts until it has ended, because its work goes on.
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
    return () => this.#drop(operations, operation);
  }

  /** The last one that runs is still to end, so the holder keeps its entry. */
  #drop(operations: Operations, operation: Operation): void {
    const place = operations.waiting.indexOf(operation);
    if (place < 0) return;
    operations.waiting.splice(place, 1);
    this.#startNext(operations);
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
  /** Of those that run. */
  cost: number;
  readonly waiting: Operation[];
}
