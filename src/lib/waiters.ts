/**
 * Limits how many callers wait for the same work, so that work that takes long does not hold what all of them hold. Not
 * `Slots` of `admission`: no caller has a share or waits in a queue, and `auth` is below `admission`.
 */
export class Waiters {
  readonly #max: number;
  readonly #tooMany: () => Error;
  #count = 0;

  constructor(max: number, tooMany: () => Error) {
    this.#max = max;
    this.#tooMany = tooMany;
  }

  /** Waits for the work, which `start` begins or finds under way. Throws at once, without starting it, above the limit. */
  async wait<Result>(start: () => Promise<Result>): Promise<Result> {
    if (this.#count >= this.#max) throw this.#tooMany();
    this.#count += 1;
    try {
      return await start();
    } finally {
      this.#count -= 1;
    }
  }
}
