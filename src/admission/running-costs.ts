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
   * Calls `start` when the operation may run, at once if nothing of its holder runs. Call `leave` when it has ended or
   * when nobody waits for its answer any more: an operation that waits is then never started.
   */
  enter(holder: string, cost: number, start: (leave: () => void) => void): () => void {
    const operations = this.#byHolder.get(holder) ?? { running: new Set(), cost: 0, waiting: [] };
    this.#byHolder.set(holder, operations);
    const operation: Operation = { cost, start: () => start(leave) };
    const leave = () => this.#leave(holder, operations, operation);
    operations.waiting.push(operation);
    this.#startNext(operations);
    return leave;
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

  #leave(holder: string, operations: Operations, operation: Operation): void {
    const place = operations.waiting.indexOf(operation);
    if (place >= 0) operations.waiting.splice(place, 1);
    else if (operations.running.delete(operation)) operations.cost -= operation.cost;
    else return;
    this.#startNext(operations);
    if (operations.running.size === 0) this.#byHolder.delete(holder);
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
