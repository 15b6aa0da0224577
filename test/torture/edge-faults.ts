/** The faults of edges, of their upstreams and of the network between them, one after the other in a run. */
import { type EdgeInstances, withManagement } from './edges.ts';
import type { Disturbance, Fault, FaultKind } from './faults.ts';
import { between } from './random.ts';
import { RecoveryProbe } from './recovery.ts';
import type { Stopper } from './stops.ts';

const turns: readonly (FaultKind | 'stop')[] = [
  'upstream killed',
  'stop',
  'black hole',
  'stop',
  'cut',
  'upstream restarted',
  'delay',
  'stop',
  'black hole, then forgotten',
];

export class EdgeFaults implements Disturbance {
  readonly faults: Fault[] = [];
  readonly #instances: EdgeInstances;
  readonly #stopper: Stopper;
  readonly #probes: readonly RecoveryProbe[];

  constructor(instances: EdgeInstances, stopper: Stopper) {
    const [first] = instances.all;
    if (first === undefined) throw new Error('there is no instance');
    this.#instances = instances;
    this.#stopper = stopper;
    this.#probes = instances.edges.map((edge) => new RecoveryProbe(withManagement(edge, first)));
  }

  async run(count: number, forMs: number): Promise<void> {
    for (const probe of this.#probes) await probe.createKey();
    const started = performance.now();
    for (let i = 0; i < count; i += 1) {
      const pauseMs = (forMs * (i + 0.5)) / count - (performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, Math.max(200, pauseMs)));
      const kind = turns[i % turns.length] ?? 'stop';
      if (kind === 'stop') await this.#stopper.stopNext(between(1000, 3000));
      else await this.#befall(kind, i);
    }
  }

  async #befall(kind: FaultKind, turn: number): Promise<void> {
    const began = performance.now();
    if (kind === 'upstream killed' || kind === 'upstream restarted') {
      const upstream = this.#instances.all[turn % this.#instances.all.length];
      await upstream?.restart(kind === 'upstream killed' ? 'SIGKILL' : 'SIGTERM');
    } else {
      await this.#disturbProxies(kind);
    }
    const returned = performance.now();
    const recoveries = await Promise.all(this.#probes.map((probe) => probe.since(returned)));
    this.faults.push({ kind, began, returned, recoveries });
  }

  async #disturbProxies(kind: FaultKind): Promise<void> {
    const { proxies } = this.#instances;
    for (const proxy of proxies) {
      if (kind === 'delay') proxy.delay(between(20, 300));
      else if (kind === 'cut') await proxy.cut();
      else proxy.blackHole();
    }
    await new Promise((resolve) => setTimeout(resolve, between(1000, 3000)));
    for (const proxy of proxies) await proxy.restore({ forget: kind === 'black hole, then forgotten' });
  }
}
