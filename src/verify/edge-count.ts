const windowMs = 10_000;
/** How many questions per second one process answers. The feed takes about a tenth of a processor then. */
const questionsPerSecond = 4000;
/**
 * Further edges are not told apart: they wait as long as this many. A longer pause would come close to the timeout of a
 * verification, and a client that invents edges must not slow down the others by more.
 */
const maxEdges = 1000;

/** Counts the edges that asked recently, and tells each one how often it may ask. */
export class EdgeCount {
  #before = new Set<string>();
  #current = new Set<string>();
  #rotatesAt = Number.NEGATIVE_INFINITY;

  add(edge: string, now: number): void {
    if (now >= this.#rotatesAt) {
      this.#before = now >= this.#rotatesAt + windowMs ? new Set() : this.#current;
      this.#current = new Set();
      this.#rotatesAt = now + windowMs;
    }
    if (this.#current.size < maxEdges) this.#current.add(edge);
  }

  /** The edges of the last 10 to 20 seconds. */
  get size(): number {
    return Math.max(this.#before.size, this.#current.size);
  }

  /** The minimum time between the starts of two questions of one edge, in milliseconds. */
  get pauseMs(): number {
    const pauseMs = (this.size * 1000) / questionsPerSecond;
    return pauseMs < 1 ? 0 : Math.ceil(pauseMs);
  }
}
