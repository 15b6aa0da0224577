import type { Response } from 'express';

/**
 * How many calls begin in one turn of the event loop, at most. Node accepts one connection a turn: were hundreds of
 * calls begun in one, new clients would wait for seconds.
 */
const maxPerTurn = 8;
/** Where one call alone takes more than its turn has, all else gets as much time before the next, up to this. */
const maxRestMs = 100;
/** Enough for a revocation, and short enough that a flood of them doesn't stop other calls. */
const maxPauseMs = 50;

/** When calls begin: a few in each turn of the event loop, and none for a moment while a revocation is under way. */
export class Pace {
  readonly #turnCpuMs: number;
  readonly #waiting: (() => void)[] = [];
  #isRunning = false;
  #urgent = 0;

  /** No further call begins in a turn in which calls have used as much CPU time. */
  constructor(turnCpuMs: number) {
    this.#turnCpuMs = turnCpuMs;
  }

  begin(start: () => void): void {
    this.#waiting.push(start);
    if (!this.#isRunning) this.#turn();
    this.#isRunning = true;
  }

  /** Begins at once. Until it has been answered, other calls wait for a moment. */
  beginUrgent(start: () => void, response: Response): void {
    let isOver = false;
    const end = () => {
      if (!isOver) this.#urgent -= 1;
      isOver = true;
    };
    this.#urgent += 1;
    response.once('prefinish', end).once('close', end);
    start();
  }

  /** Each in a callback of its own: what a call does without waiting for I/O is done when the next callback runs. */
  #turn(): void {
    let begun = 0;
    let before: NodeJS.CpuUsage | undefined;
    const usedMs = () => {
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    const beginNext = () => {
      if (before === undefined) before = process.cpuUsage();
      else if (usedMs() >= this.#turnCpuMs) return;
      begun += 1;
      this.#waiting.shift()?.();
    };
    for (let i = 0; i < maxPerTurn; i += 1) setImmediate(beginNext);
    setImmediate(() => {
      const used = usedMs();
      this.#rest(begun === 1 && used > this.#turnCpuMs ? Math.min(used, maxRestMs) : 0);
    });
  }

  #rest(restMs: number, pauseUntil = performance.now() + maxPauseMs): void {
    const isPaused = this.#urgent > 0 && performance.now() < pauseUntil;
    if (this.#waiting.length === 0) this.#isRunning = false;
    else if (restMs > 0) setTimeout(() => this.#rest(0), restMs);
    else if (isPaused) setTimeout(() => this.#rest(0, pauseUntil), 1);
    else this.#turn();
  }
}
