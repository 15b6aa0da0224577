import { type Scheduler, systemScheduler } from '../lib/scheduler.ts';
import { FairQueue } from './fair-queue.ts';

/**
 * A rest after a turn with starts, if more requests wait. It lasts for so many turns or ms, whichever ends first. After a
 * turn with an expensive start, it lasts at least as long as that turn used the CPU (at most 100 ms).
 */
export interface Rest {
  readonly turns: number;
  readonly ms: number;
}

export interface TurnOptions {
  /** The maximum number of requests that start in one turn of the event loop. */
  readonly maxPerTurn: number;
  /**
   * If present, no further request starts in a turn after 5 ms of CPU time, and expensive requests take at most half of
   * the time of the event loop. Default: no rests and no limit of time.
   */
  readonly rest?: () => Rest;
  readonly scheduler?: Scheduler;
  /** The CPU time that the process has used. Unlike the time of a clock, it does not grow while other processes run. */
  readonly cpuMs?: () => number;
}

const maxStartingMs = 5;
/** Longer turns had an expensive start: the others end soon after `maxStartingMs`. */
const maxCheapTurnMs = 2 * maxStartingMs;
const maxRestMs = 100;

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

type Start = () => void;

/** The waiting requests of one holder, by member. */
interface Waiting {
  readonly holder: string;
  readonly starts: FairQueue<Start>;
}

/**
 * Starts the requests of a port a few per turn of the event loop, so that those that arrive together do not delay
 * everything else. The others wait in a queue that takes turns by holder (an address, a team), and for one holder by
 * member (a connection, a caller).
 */
export class Turns {
  readonly #maxPerTurn: number;
  readonly #rest: (() => Rest) | undefined;
  readonly #scheduler: Scheduler;
  readonly #cpuMs: () => number;
  readonly #byHolder = new Map<string, Waiting>();
  readonly #queue = new FairQueue<Waiting>();
  /** Whether `#endTurn` will be called. */
  #isActive = false;
  #started = 0;
  /** The CPU time before the first start of this turn. Measured only if there are rests. */
  #cpuMsBefore = 0;

  constructor({ maxPerTurn, rest, scheduler = systemScheduler, cpuMs = processCpuMs }: TurnOptions) {
    this.#maxPerTurn = maxPerTurn;
    this.#rest = rest;
    this.#scheduler = scheduler;
    this.#cpuMs = cpuMs;
  }

  /** Whether a request may start now: never if there are rests. Called for every verification, so it allocates nothing. */
  start(): boolean {
    if (this.#rest !== undefined || this.#started >= this.#maxPerTurn || this.#queue.length > 0) return false;
    if (!this.#isActive) this.#scheduler.endOfTurn(this.#endTurn);
    this.#isActive = true;
    this.#started += 1;
    return true;
  }

  /** Calls `start` in one of the next turns, after `start()` has returned false. It must not throw. */
  wait(holder: string, member: string, start: Start): void {
    const waiting = this.#byHolder.get(holder) ?? { holder, starts: new FairQueue<Start>() };
    this.#byHolder.set(holder, waiting);
    waiting.starts.push(member, start);
    this.#queue.push(holder, waiting);
    if (!this.#isActive) this.#startWaiting();
  }

  /** Calls `start` now or in one of the next turns. It must not throw. */
  run(holder: string, member: string, start: Start): void {
    if (this.start()) start();
    else this.wait(holder, member, start);
  }

  /** With rests, each request starts in a callback of its own, so that the next one can measure its time. */
  #startWaiting(): void {
    this.#isActive = true;
    for (let i = 0; i < this.#maxPerTurn; i += 1) {
      if (this.#rest === undefined) this.#startNext();
      else this.#scheduler.endOfTurn(this.#startNext);
    }
    this.#scheduler.endOfTurn(this.#endTurn);
  }

  readonly #startNext = (): void => {
    if (this.#queue.length === 0) return;
    if (this.#rest !== undefined) {
      if (this.#started === 0) this.#cpuMsBefore = this.#cpuMs();
      else if (this.#cpuMs() - this.#cpuMsBefore >= maxStartingMs) return;
    }
    const next = this.#queue.shift();
    const start = next?.starts.shift();
    if (next?.starts.length === 0) this.#byHolder.delete(next.holder);
    this.#started += 1;
    start?.();
  };

  /** Runs after the poll phase, in which requests arrive, and before the confirmation of those that started in it. */
  readonly #endTurn = (): void => {
    this.#started = 0;
    if (this.#queue.length === 0) this.#isActive = false;
    else if (this.#rest === undefined) this.#startWaiting();
    else this.#restFor(this.#rest());
  };

  #restFor({ turns, ms }: Rest): void {
    const { now, endOfTurn, after } = this.#scheduler;
    const began = now();
    const usedMs = this.#cpuMs() - this.#cpuMsBefore;
    const minMs = usedMs > maxCheapTurnMs ? Math.min(usedMs, maxRestMs) : 0;
    let turnsLeft = turns;
    const check = () => {
      turnsLeft -= 1;
      const restedMs = now() - began;
      if (restedMs >= minMs && (turnsLeft <= 0 || restedMs >= ms)) this.#startWaiting();
      else endOfTurn(check);
    };
    // A timer leaves the CPU to other processes. For a short rest it is not worth it: on a busy machine it fires late.
    if (minMs > 0) after(minMs, check);
    else endOfTurn(check);
  }
}
