const windowMs = 10_000;
/** How many questions per second one process answers. The feed takes about a sixth of a processor then. */
const questionsPerSecond = 2000;
/** A longer pause would come close to the timeout of a verification. A client that invents edges can cause no longer one. */
const maxPauseMs = 250;
/** Further edges are not counted. */
const maxEdges = (questionsPerSecond * maxPauseMs) / 1000;

/** Counts the edges that asked recently, and tells each one how often it may ask. */
export class EdgeCount {
  #before = new Set<string>();
  #current = new Set<string>();
  #window = Number.NEGATIVE_INFINITY;

  add(edge: string, now: number): void {
    this.#rotate(now);
    if (this.#current.size < maxEdges) this.#current.add(edge);
  }

  /** The edges of the last 10 to 20 seconds. */
  size(now: number): number {
    this.#rotate(now);
    return Math.max(this.#before.size, this.#current.size);
  }

  /**
   * The minimum time between the starts of two questions of one edge, in milliseconds: until the next of the times at
   * which all edges ask together, so that this process wakes up less often.
   *
   * @param now when the question of the edge arrived
   */
  pauseMs(now: number): number {
    const interval = Math.ceil((this.size(now) * 1000) / questionsPerSecond);
    if (interval <= 1) return 0;
    const rest = interval - (now % interval);
    // An edge that is early, by the inaccuracy of its timer, asks at the time after that.
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
