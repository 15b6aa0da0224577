import { type Scheduler, systemScheduler } from '../lib/scheduler.ts';
import { FairQueue } from './fair-queue.ts';

/**
 * A rest between turns while requests wait. It lasts for this number of turns or ms, whichever ends first. After a turn
 * with an expensive start, the minimum is the CPU time of that turn, but never more than 100 ms.
 */
export interface Rest {
  readonly turns: number;
  readonly ms: number;
}

export interface TurnOptions {
  /** The maximum number of requests that start in one turn of the event loop. */
  readonly maxPerTurn: number;
  /**
   * Returns the rest after a turn that left requests waiting. With rests, a turn starts no further request after 5 ms of
   * CPU time, and expensive requests take at most half of the event loop's time. Default: no rests and no time limit.
   */
  readonly rest?: () => Rest;
  readonly scheduler?: Scheduler;
  /**
   * Returns the CPU time of this process. Unlike clock time, it does not grow while other processes run. A system call,
   * so it is read once before the starts of a turn, and again only after 5 ms of clock time.
   */
  readonly cpuMs?: () => number;
}

const maxStartingMs = 5;
/** Above this, a turn had an expensive start: cheap turns end soon after `maxStartingMs`. */
const maxCheapTurnMs = 2 * maxStartingMs;
const maxRestMs = 100;

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** A closed loop of clients is back one or two turns after its answers. Clients that call now and then are not. */
const turnsRemembered = 2;
/** In twice `turnsRemembered` turns, at most twice as many names are remembered: about 1 MB. */
const maxRemembered = 4096;

type Start = () => void;

/** The waiting requests of one holder, by member. */
interface Waiting {
  readonly holder: string;
  readonly starts: FairQueue<WaitingStart>;
}

interface WaitingStart {
  /** Of the holder and the member. */
  readonly name: string;
  readonly start: Start;
}

/**
 * Starts a few requests of a port per turn of the event loop, so that requests that arrive together do not delay
 * everything else. The other requests wait in a queue that alternates between holders (an address, a team) and, for
 * each holder, between members (a connection, a caller). Those whose last wait ended a few turns ago come behind the
 * others. The queue itself forgets its holders whenever it is empty, and between the bursts of a flood it often is: a
 * client that calls now and then would wait for a whole burst. Turns are counted and not milliseconds, because on a busy
 * machine both the service and its clients take longer.
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
  #turns = 0;
  /** The holders and members whose wait ended in these turns, and in the `turnsRemembered` turns before. */
  #waited = new Set<string>();
  #waitedBefore = new Set<string>();
  /** The times before the first start of this turn. Measured only if there are rests. */
  #before = { clockMs: 0, cpuMs: 0 };

  constructor({ maxPerTurn, rest, scheduler = systemScheduler, cpuMs = processCpuMs }: TurnOptions) {
    this.#maxPerTurn = maxPerTurn;
    this.#rest = rest;
    this.#scheduler = scheduler;
    this.#cpuMs = cpuMs;
  }

  /** Returns whether a request may start now: with rests, never. Allocates nothing, as every verification calls it. */
  start(): boolean {
    if (this.#rest !== undefined || this.#started >= this.#maxPerTurn || this.#queue.length > 0) return false;
    if (!this.#isActive) this.#scheduler.endOfTurn(this.#endTurn);
    this.#isActive = true;
    this.#started += 1;
    return true;
  }

  /** Queues a request for one of the next turns, after `start()` has returned false. The callback must not throw. */
  wait(holder: string, member: string, start: Start): void {
    const waiting = this.#byHolder.get(holder) ?? { holder, starts: new FairQueue<WaitingStart>() };
    this.#byHolder.set(holder, waiting);
    const name = `${holder} ${member}`;
    waiting.starts.push(member, { name, start }, this.#hasWaited(name));
    this.#queue.push(holder, waiting, this.#hasWaited(holder));
    if (!this.#isActive) this.#startWaiting();
  }

  #hasWaited(name: string): boolean {
    return this.#waited.has(name) || this.#waitedBefore.has(name);
  }

  #remember(name: string): void {
    if (this.#waited.size < maxRemembered) this.#waited.add(name);
  }

  #forget(): void {
    if (this.#waited.size === 0 && this.#waitedBefore.size === 0) return;
    this.#waitedBefore = this.#waited;
    this.#waited = new Set();
  }

  /** Starts a request now or in one of the next turns. The callback must not throw. */
  run(holder: string, member: string, start: Start): void {
    if (this.start()) start();
    else this.wait(holder, member, start);
  }

  /**
   * With rests, each request starts in its own callback, so that the next callback can measure the time used. A request
   * that waits again after its start (a management call waits by address, then by team) may continue in the same turn.
   */
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
      if (this.#started === 0) this.#before = { clockMs: this.#scheduler.now(), cpuMs: this.#cpuMs() };
      else if (this.#usedMs() >= maxStartingMs) return;
    }
    const next = this.#queue.shift();
    const waiting = next?.starts.shift();
    if (next === undefined || waiting === undefined) return;
    if (next.starts.length === 0) this.#byHolder.delete(next.holder);
    this.#remember(next.holder);
    this.#remember(waiting.name);
    this.#started += 1;
    waiting.start();
  };

  /** Runs after the poll phase, in which requests arrive, and before the requests of this turn are confirmed. */
  readonly #endTurn = (): void => {
    this.#started = 0;
    this.#turns += 1;
    if (this.#turns % turnsRemembered === 0) this.#forget();
    if (this.#queue.length === 0) this.#isActive = false;
    else if (this.#rest === undefined) this.#startWaiting();
    else this.#restFor(this.#rest());
  };

  /** Returns the time that the starts of this turn have used: the CPU time, if the clock time is not short anyway. */
  #usedMs(): number {
    const clockMs = this.#scheduler.now() - this.#before.clockMs;
    return clockMs < maxStartingMs ? clockMs : this.#cpuMs() - this.#before.cpuMs;
  }

  #restFor({ turns, ms }: Rest): void {
    const usedMs = this.#usedMs();
    const minMs = usedMs > maxCheapTurnMs ? Math.min(usedMs, maxRestMs) : 0;
    afterRest(this.#scheduler, { turns, ms, minMs }, () => this.#startWaiting());
  }
}

/** Calls back after a rest, and not before `minMs`. */
export function afterRest(
  { now, endOfTurn, after }: Scheduler,
  { turns, ms, minMs = 0 }: Rest & { readonly minMs?: number },
  callback: () => void,
): void {
  const began = now();
  let turnsLeft = turns;
  const check = () => {
    turnsLeft -= 1;
    const restedMs = now() - began;
    if (restedMs >= minMs && (turnsLeft <= 0 || restedMs >= ms)) callback();
    else endOfTurn(check);
  };
  // A timer leaves the CPU to other processes, but fires late on a busy machine, so a short rest uses no timer.
  if (minMs > 0) after(minMs, check);
  else endOfTurn(check);
}
