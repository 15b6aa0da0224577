import { FairQueue } from './fair-queue.ts';

/** The maximum number of calls that start in one turn of the event loop. */
const maxPerTurn = 8;
/** No further call starts in a turn once the calls of that turn have used this much CPU time. */
const turnCpuMs = 5;
const maxRestMs = 100;
const maxPauseMs = 50;

/**
 * Starts calls a few at a time, those of different holders in turns, and leaves the event loop as much time for other work
 * as they have used. Node accepts one connection in each turn of the loop: if hundreds of calls started in one turn, or
 * expensive ones in each, a new client would wait for seconds.
 */
export class Pace {
  readonly #isPaused: () => boolean;
  readonly #waiting = new FairQueue<() => void>();
  #isRunning = false;

  /** While `isPaused` returns true, no call starts, but for at most 50 ms at a time, so that a flood can't block all calls. */
  constructor(isPaused: () => boolean = () => false) {
    this.#isPaused = isPaused;
  }

  begin(holder: string, start: () => void): void {
    this.#waiting.push(holder, start);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#turn();
  }

  /** Starts each call in a callback of its own, so that its synchronous work is done when the next callback runs. */
  #turn(): void {
    let before: NodeJS.CpuUsage | undefined;
    const usedMs = () => {
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    const beginNext = () => {
      // Reading the CPU time is a system call, so only what waits is worth it.
      if (this.#waiting.length === 0) return;
      if (before === undefined) before = process.cpuUsage();
      else if (usedMs() >= turnCpuMs) return;
      this.#waiting.shift()?.();
    };
    for (let i = 0; i < maxPerTurn; i += 1) setImmediate(beginNext);
    setImmediate(() => this.#rest(this.#waiting.length === 0 ? 0 : Math.min(Math.floor(usedMs()), maxRestMs)));
  }

  #rest(restMs: number, pauseUntil = performance.now() + restMs + maxPauseMs): void {
    if (this.#waiting.length === 0) this.#isRunning = false;
    else if (restMs > 0) setTimeout(() => this.#rest(0, pauseUntil), restMs);
    else if (this.#isPaused() && performance.now() < pauseUntil) setTimeout(() => this.#rest(0, pauseUntil), 1);
    else this.#turn();
  }
}
