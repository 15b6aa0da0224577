const windowMs = 10_000;
/** How many requests of edges per second one process answers. The feed takes about a sixth of a processor then. */
const requestsPerSecond = 2000;
/** Far below the timeout of a verification, also if a client invents edges. */
const maxPauseMs = 250;
/** Further edges are not counted. */
const maxEdges = (requestsPerSecond * maxPauseMs) / 1000;

/** Counts the edges that sent requests recently, and sets the pause between the requests of each. */
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
   * The pause of an edge whose request arrives now, in milliseconds: until the next of the times at which all edges send
   * requests together, so that this process wakes up less often.
   */
  pauseMs(now: number): number {
    const interval = Math.ceil((this.size(now) * 1000) / requestsPerSecond);
    if (interval <= 1) return 0;
    const rest = interval - (now % interval);
    // An edge whose timer is early sends its request at the next of these times.
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
