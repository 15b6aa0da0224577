/** The simulated time, and the one event loop that runs the tasks of all simulated processes. */
import { Random } from '../../harness/random.ts';
import { TaskQueue } from './task-queue.ts';

/** Ten times as many as an episode needs. */
const maxTasks = 2_000_000;

export class World {
  readonly random: Random;
  readonly #tasks = new TaskQueue();
  #now = 0;
  #failure: { readonly error: unknown } | null = null;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  /** Milliseconds since the start. */
  get now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): void {
    this.#tasks.add(this.#now + ms, run);
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Ends the simulation with an error that should not happen. */
  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  /** Runs tasks until the promise is settled. Fails if that takes too long, as it does if processes send in a loop. */
  async runUntil(work: Promise<unknown>, maxMs: number): Promise<void> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    work.then(settle, settle);
    await noPromiseRuns();
    for (let tasks = 0; !isSettled; tasks += 1) {
      if (tasks > maxTasks || this.#now > maxMs) throw new Error(`no end after ${tasks} tasks, ${this.#now} ms`);
      const task = this.#tasks.take();
      if (task === undefined) throw new Error('the simulation waits for something that never happens');
      this.#now = task.at;
      task.run();
      await noPromiseRuns();
      if (this.#failure !== null) throw this.#failure.error;
    }
    await work;
  }
}

/** Resolves when no promise can call back. Node.js runs all of them, one after the other, before the next tick. */
function noPromiseRuns(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}
