/** Stop a process in the middle of whatever it does, let the others go on, and continue it: as a busy machine would. */
import { type Instance, kill } from './instances.ts';
import { between } from './random.ts';

export interface Stop {
  readonly process: string;
  /** The instance that it belongs to. */
  readonly instance: string;
  readonly stopped: number;
  readonly continued: number;
}

export interface StopPlan {
  /** How many, spread over the run. */
  readonly count: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

interface Target {
  readonly process: string;
  readonly instance: string;
  readonly pids: readonly number[];
}

export class Stopper {
  readonly stops: Stop[] = [];
  readonly #targets: readonly Target[];
  readonly #stoppedNow = new Set<string>();

  /** Single workers of those that have several, and all of the others, in turn. */
  constructor(instances: readonly Instance[]) {
    const workers = instances.flatMap(({ name, workers }) =>
      workers.map((pid, i) => ({ process: `${name} worker ${i + 1}`, instance: name, pids: [pid] })),
    );
    const wholes = instances
      .filter(({ workers }) => workers.length === 0)
      .map(({ name, pid }) => ({ process: name, instance: name, pids: [pid] }));
    const turns = Array.from({ length: Math.max(workers.length, wholes.length) }, (_, i) => i);
    this.#targets = turns.flatMap((i) => [workers[i % workers.length], wholes[i % wholes.length]]).filter(isDefined);
  }

  isStopped(instance: string): boolean {
    return this.#stoppedNow.has(instance);
  }

  /** One after the other, so that somebody is always awake. */
  async run({ count, leastMs, mostMs }: StopPlan, forMs: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      const lastsMs = between(leastMs, mostMs);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, forMs / (count + 1) - lastsMs)));
      await this.stopNext(lastsMs);
    }
  }

  async stopNext(lastsMs: number): Promise<void> {
    const target = this.#targets[this.stops.length % this.#targets.length];
    if (target !== undefined) await this.#stop(target, lastsMs);
  }

  async #stop({ process, instance, pids }: Target, lastsMs: number): Promise<void> {
    this.#stoppedNow.add(instance);
    const stopped = performance.now();
    for (const pid of pids) kill(pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, lastsMs));
    for (const pid of pids) kill(pid, 'SIGCONT');
    this.stops.push({ process, instance, stopped, continued: performance.now() });
    this.#stoppedNow.delete(instance);
  }
}

function isDefined<Value>(value: Value | undefined): value is Value {
  return value !== undefined;
}
