const windowMs = 10_000;
/** The maximum number of edge requests per second. Answering this many takes about a sixth of a processor. */
const requestsPerSecond = 2000;
/** Caps the pause far below the timeout of a verification, also when a client invents edge ids. */
const maxPauseMs = 250;
/** The number of edges at which the pause reaches its maximum. More edges are not counted. */
const maxEdges = (requestsPerSecond * maxPauseMs) / 1000;

/** Counts the edges that sent requests recently, and sets the pause between the requests of each edge. */
export class EdgeCount {
  #before = new Set<string>();
  #current = new Set<string>();
  #window = Number.NEGATIVE_INFINITY;

  add(edge: string, now: number): void {
    this.#rotate(now);
    if (this.#current.size < maxEdges) this.#current.add(edge);
  }

  /** Returns the number of edges in the current or the previous 10 seconds, whichever is larger. */
  size(now: number): number {
    this.#rotate(now);
    return Math.max(this.#before.size, this.#current.size);
  }

  /**
   * Returns how many milliseconds an edge pauses after a request that arrives now. The pauses of all edges end at the
   * same times, so that this process wakes up less often.
   */
  pauseMs(now: number): number {
    const interval = Math.ceil((this.size(now) * 1000) / requestsPerSecond);
    if (interval <= 1) return 0;
    const rest = interval - (now % interval);
    // Every pause lasts at least half an interval, because the timer of the previous pause may have been early.
    return Math.min(Math.round(rest < interval / 2 ? rest + interval : rest), maxPauseMs);
  }

  #rotate(now: number): void {
    const window = Math.floor(now / windowMs);
    if (window === this.#window) return;
    this.#before = window === this.#window + 1 ? this.#current : new Set();
    this.#current = new Set();
    this.#window = window;
  }
}
