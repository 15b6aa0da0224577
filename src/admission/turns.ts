import { FairQueue } from './fair-queue.ts';

/**
 * The maximum number of requests that start in one turn of the event loop: about two milliseconds of work, and more than
 * the connections of most gateways, so that only floods wait.
 */
const maxPerTurn = 128;

type Start = () => void;

/** The waiting requests of one address, by connection: callers behind a proxy differ only in their connections. */
interface Waiting {
  readonly address: string;
  readonly starts: FairQueue<Start>;
}

/**
 * Starts the requests of a port a few per turn of the event loop. The others wait in a queue that takes turns by address,
 * and for one address by connection. If all requests that arrive in one turn started in it, they would delay everything
 * else until the last of them is done. A connection sends its next request after an answer, so the limit also bounds
 * how many requests can arrive in the next turn.
 */
export class Turns {
  readonly #byAddress = new Map<string, Waiting>();
  readonly #queue = new FairQueue<Waiting>();
  #started = 0;

  /** Whether a request may start now. Every verification asks this, so it allocates nothing. */
  start(): boolean {
    if (this.#started >= maxPerTurn || this.#queue.length > 0) return false;
    if (this.#started === 0) setImmediate(this.#next);
    this.#started += 1;
    return true;
  }

  /** Calls `start` in one of the next turns, after `start()` has returned false. It must not throw. */
  wait(address: string, connection: string, start: Start): void {
    let waiting = this.#byAddress.get(address);
    if (waiting === undefined) {
      waiting = { address, starts: new FairQueue() };
      this.#byAddress.set(address, waiting);
    }
    waiting.starts.push(connection, start);
    this.#queue.push(address, waiting);
  }

  /** Runs after the poll phase, in which requests arrive, and before the confirmation of those that started in it. */
  readonly #next = (): void => {
    this.#started = 0;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const { address, starts } = next;
      const start = starts.shift();
      if (starts.length === 0) this.#byAddress.delete(address);
      this.#started += 1;
      start?.();
      if (this.#started >= maxPerTurn) break;
    }
    if (this.#started > 0) setImmediate(this.#next);
  };
}
