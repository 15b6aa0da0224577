/** A scheduler whose time and turns a test controls. */
import type { Scheduler } from '../../src/lib/scheduler.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

export class ManualScheduler implements Scheduler {
  #now = 0;
  #turn: (() => void)[] = [];
  #timers: Timer[] = [];

  now = (): number => this.#now;

  date = this.now;

  endOfTurn = (callback: () => void): void => {
    this.#turn.push(callback);
  };

  after = (ms: number, callback: () => void): (() => void) => {
    const timer = { at: this.#now + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  afterIfAlive = this.after;

  get timers(): number {
    return this.#timers.length;
  }

  /** Whether something waits for the end of this turn. */
  get isTurnAwaited(): boolean {
    return this.#turn.length > 0;
  }

  /** Ends this turn of the event loop. */
  async turn(): Promise<void> {
    await this.settle();
    for (const callback of this.#turn.splice(0)) callback();
    await this.settle();
  }

  /** Lets promises call back. */
  async settle(): Promise<void> {
    for (let i = 0; i < 10; i += 1) await undefined;
  }

  /** Lets time pass, with a turn after each timer, and one at the end. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.splice(this.#timers.indexOf(next), 1);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await this.turn();
    }
    this.#now = end;
    await this.turn();
  }
}
