/** A simulated process: its own clocks and event loop, which can be paused and can crash. */
import type { Scheduler } from '../../../src/lib/scheduler.ts';
import type { World } from './world.ts';

export interface Clock {
  /** How many of its milliseconds pass in one millisecond of the world. */
  readonly rate: number;
  /** Its milliseconds since 1970 at the start of the world. */
  readonly startedAt: number;
}

/** How much later than due a timer may fire. Timers of Node.js may also fire up to one millisecond early. */
const timerDelayMs = 0.3;

export class Process implements Scheduler {
  readonly name: string;
  readonly #world: World;
  readonly #clock: Clock;
  readonly #boot: () => void;
  readonly #onCrash = new Set<() => void>();
  #incarnation = 0;
  #isUp = true;
  #isPaused = false;
  #held: (() => void)[] = [];

  /** `boot` is called when the process starts again after a crash. */
  constructor(name: string, world: World, clock: Clock, boot: () => void = () => undefined) {
    this.name = name;
    this.#world = world;
    this.#clock = clock;
    this.#boot = boot;
  }

  /** How often it has crashed. */
  get incarnation(): number {
    return this.#incarnation;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  now = (): number => this.#world.now * this.#clock.rate;

  date = (): number => Math.floor(this.#clock.startedAt + this.now());

  endOfTurn = (callback: () => void): void => {
    this.run(0, callback);
  };

  after = (ms: number, callback: () => void): (() => void) => {
    let isCancelled = false;
    const wholeMs = Math.max(1, Math.trunc(ms));
    const actualMs = (wholeMs + this.#world.random.between(-1, timerDelayMs)) / this.#clock.rate;
    this.run(actualMs, () => {
      if (!isCancelled) callback();
    });
    return () => {
      isCancelled = true;
    };
  };

  afterIfAlive = this.after;

  /** Runs a callback in this process after a time of the world: when it is not paused, and not after a crash. */
  run(ms: number, callback: () => void): void {
    const incarnation = this.#incarnation;
    const attempt = () => {
      if (incarnation !== this.#incarnation || !this.#isUp) return;
      if (this.#isPaused) this.#held.push(attempt);
      else callback();
    };
    this.#world.after(ms, attempt);
  }

  /** Stops the process, as SIGSTOP does. Its clocks go on. */
  pause(): void {
    this.#isPaused = true;
  }

  continue(): void {
    this.#isPaused = false;
    for (const attempt of this.#held.splice(0)) this.#world.after(0, attempt);
  }

  /** Ends the process: nothing that it has begun goes on. */
  crash(): void {
    this.#isUp = false;
    this.#incarnation += 1;
    this.#isPaused = false;
    this.#held = [];
    for (const callback of [...this.#onCrash]) callback();
    this.#onCrash.clear();
  }

  restart(): void {
    this.#isUp = true;
    this.#boot();
  }

  /** Calls back once, when the process crashes, unless the returned function is called first. */
  onCrash(callback: () => void): () => void {
    this.#onCrash.add(callback);
    return () => this.#onCrash.delete(callback);
  }
}
