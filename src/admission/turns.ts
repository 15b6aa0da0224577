import { FairQueue } from './fair-queue.ts';

/**
 * A rest after a turn with starts, if more requests wait. It ends after so many turns, or earlier: at the first turn after
 * so many ms.
 */
export interface Rest {
  readonly turns: number;
  readonly ms: number;
}

export interface TurnOptions {
  /** The maximum number of requests that start in one turn of the event loop. */
  readonly maxPerTurn: number;
  /** Default: none. */
  readonly rest?: () => Rest;
}

type Start = () => void;

/** The waiting requests of one holder, by member. */
interface Waiting {
  readonly holder: string;
  readonly starts: FairQueue<Start>;
}

/**
 * Starts the requests of a port a few per turn of the event loop. The others wait in a queue that takes turns by holder
 * (an address, a team), and for one holder by member (a connection, a caller). If all requests that arrive in one turn
 * started in it, they would delay everything else until the last of them is done. A connection sends its next request
 * after an answer, so the limit also bounds how many requests can arrive in the next turn.
 */
export class Turns {
  readonly #maxPerTurn: number;
  readonly #rest: (() => Rest) | undefined;
  readonly #byHolder = new Map<string, Waiting>();
  readonly #queue = new FairQueue<Waiting>();
  #started = 0;
  #restTurns = 0;
  #restUntil = 0;

  constructor({ maxPerTurn, rest }: TurnOptions) {
    this.#maxPerTurn = maxPerTurn;
    this.#rest = rest;
  }

  /** Whether a request may start now. Called for every verification, so it allocates nothing. */
  start(): boolean {
    if (this.#started >= this.#maxPerTurn || this.#restTurns > 0 || this.#queue.length > 0) return false;
    if (this.#started === 0) setImmediate(this.#next);
    this.#started += 1;
    return true;
  }

  /** Calls `start` in one of the next turns, after `start()` has returned false. It must not throw. */
  wait(holder: string, member: string, start: Start): void {
    let waiting = this.#byHolder.get(holder);
    if (waiting === undefined) {
      waiting = { holder, starts: new FairQueue() };
      this.#byHolder.set(holder, waiting);
    }
    waiting.starts.push(member, start);
    this.#queue.push(holder, waiting);
  }

  /** Calls `start` now or in one of the next turns. It must not throw. */
  run(holder: string, member: string, start: Start): void {
    if (this.start()) start();
    else this.wait(holder, member, start);
  }

  /** Runs after the poll phase, in which requests arrive, and before the confirmation of those that started in it. */
  readonly #next = (): void => {
    if (this.#started > 0 && this.#queue.length > 0 && this.#rest !== undefined) {
      const { turns, ms } = this.#rest();
      this.#restTurns = turns;
      this.#restUntil = performance.now() + ms;
    }
    this.#started = 0;
    if (this.#restTurns > 0 && performance.now() < this.#restUntil) {
      this.#restTurns -= 1;
    } else {
      this.#restTurns = 0;
      this.#startWaiting();
    }
    if (this.#started > 0 || this.#restTurns > 0 || this.#queue.length > 0) setImmediate(this.#next);
  };

  #startWaiting(): void {
    while (this.#started < this.#maxPerTurn) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      const start = next.starts.shift();
      if (next.starts.length === 0) this.#byHolder.delete(next.holder);
      this.#started += 1;
      start?.();
    }
  }
}
