/** Calls that begin in one turn of the event loop, at most. */
const maxPerTurn = 8;
/** No further call begins in a turn in which calls have used as much CPU time. */
const turnCpuMs = 5;
const maxRestMs = 100;
const maxPauseMs = 50;

/**
 * Lets calls begin a few at a time, and leaves the event loop as much time for everything else. Node accepts one
 * connection in each turn of the loop: were hundreds of calls begun in one, or expensive ones in each, a new client would
 * wait for seconds.
 */
export class Pace {
  readonly #isPaused: () => boolean;
  readonly #waiting: (() => void)[] = [];
  #isRunning = false;

  /** While it is paused nothing begins, but for no longer than 50 ms at a time, so that a flood can't stop everything. */
  constructor(isPaused: () => boolean = () => false) {
    this.#isPaused = isPaused;
  }

  begin(start: () => void): void {
    this.#waiting.push(start);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#turn();
  }

  /** Each in a callback of its own: what a call does without waiting for I/O is done when the next callback runs. */
  #turn(): void {
    let before: NodeJS.CpuUsage | undefined;
    const usedMs = () => {
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    const beginNext = () => {
      if (before === undefined) before = process.cpuUsage();
      else if (usedMs() >= turnCpuMs) return;
      this.#waiting.shift()?.();
    };
    for (let i = 0; i < maxPerTurn; i += 1) setImmediate(beginNext);
    setImmediate(() => this.#rest(Math.min(Math.floor(usedMs()), maxRestMs)));
  }

  #rest(restMs: number, pauseUntil = performance.now() + restMs + maxPauseMs): void {
    if (this.#waiting.length === 0) this.#isRunning = false;
    else if (restMs > 0) setTimeout(() => this.#rest(0, pauseUntil), restMs);
    else if (this.#isPaused() && performance.now() < pauseUntil) setTimeout(() => this.#rest(0, pauseUntil), 1);
    else this.#turn();
  }
}
