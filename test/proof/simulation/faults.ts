/** Faults at random times: processes that stop or crash, partitions, and restarts and failovers of the store. */
import type { Network } from './network.ts';
import type { Process } from './process.ts';
import type { SimulatedStore } from './store.ts';
import type { World } from './world.ts';

interface FaultOptions {
  readonly world: World;
  readonly network: Network;
  readonly store: SimulatedStore;
  /** All processes except that of the store. */
  readonly processes: readonly Process[];
  /** The average time between two faults. Infinity: none. */
  readonly everyMs: number;
  readonly count: (fault: string) => void;
}

export class Faults {
  readonly #options: FaultOptions;
  readonly #underWay = new Set<Promise<void>>();
  #isOver = false;

  constructor(options: FaultOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#options.everyMs < Number.POSITIVE_INFINITY) this.#next();
  }

  /** Ends all faults. Resolves when every process runs and every link works. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#underWay);
  }

  #next(): void {
    const { world, everyMs, count } = this.#options;
    world.after(world.random.between(0, 2 * everyMs), () => {
      if (this.#isOver) return;
      const name = world.random.pickWeighted(weights);
      count(name);
      const fault = this.#make(name).finally(() => this.#underWay.delete(fault));
      this.#underWay.add(fault);
      this.#next();
    });
  }

  async #make(name: keyof typeof weights): Promise<void> {
    const { world, store, processes } = this.#options;
    const process = world.random.pick(processes);
    switch (name) {
      case 'pause':
        return await this.#pause(process);
      case 'crash':
        return await this.#crash(process);
      case 'partition':
        return await this.#partition(process, world.random.pick([...processes, store.process, store.process]));
      case 'pause of the store':
        return await this.#pause(store.process);
      case 'restart of the store':
        return await this.#restartStore(() => store.restart());
      case 'failover of the store': {
        const failOver = store.commitUnanswered(world.random.whole(1, 4));
        if (failOver === null) return;
        await world.pause(world.random.between(1, 100));
        return await this.#restartStore(failOver);
      }
    }
  }

  async #pause(process: Process): Promise<void> {
    if (process.isPaused || !process.isUp) return;
    process.pause();
    await this.#aWhile(300);
    process.continue();
  }

  async #crash(process: Process): Promise<void> {
    if (!process.isUp) return;
    process.crash();
    await this.#aWhile(100);
    process.restart();
  }

  async #partition(a: Process, b: Process): Promise<void> {
    const { network } = this.#options;
    if (a === b) return;
    network.cut(a, b);
    await this.#aWhile(400);
    network.heal(a, b);
  }

  async #restartStore(stop: () => void): Promise<void> {
    const { process } = this.#options.store;
    if (!process.isUp) return;
    stop();
    await this.#aWhile(60);
    process.restart();
  }

  /** Most faults are short, some long. */
  async #aWhile(ms: number): Promise<void> {
    const { world } = this.#options;
    await world.pause(world.random.between(0, 2) ** 3 * (ms / 2));
  }
}

const weights = {
  pause: 4,
  crash: 2,
  partition: 4,
  'pause of the store': 1,
  'restart of the store': 1,
  'failover of the store': 3,
} as const;
