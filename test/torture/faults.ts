/** The faults of PostgreSQL and of the network to it, one after the other in a run, and the time of recovery. */
import pg from 'pg';
import { terminateOthers } from '../support/embedded-postgres.ts';
import type { Instance } from './instances.ts';
import type { PostgresStore } from './postgres-store.ts';
import { between } from './random.ts';
import { type Recovery, RecoveryProbe, storeAnswers } from './recovery.ts';
import type { Stopper } from './stops.ts';

export type FaultKind =
  | 'restart'
  | 'connections terminated'
  | 'delay'
  | 'cut'
  | 'black hole'
  | 'black hole, then forgotten'
  | 'upstream killed'
  | 'upstream restarted';

export interface Fault {
  readonly kind: FaultKind;
  readonly began: number;
  /** When a plain connection got an answer again. */
  readonly returned: number;
  readonly recoveries: readonly Recovery[];
}

/** The faults of a run. */
export interface Disturbance {
  readonly faults: readonly Fault[];
  /** The number of faults, spread over this time. */
  readonly run: (count: number, forMs: number) => Promise<void>;
}

const turns: readonly (FaultKind | 'stop')[] = [
  'restart',
  'stop',
  'black hole',
  'connections terminated',
  'stop',
  'cut',
  'delay',
  'stop',
  'black hole, then forgotten',
];

export class Faults implements Disturbance {
  readonly faults: Fault[] = [];
  readonly #store: PostgresStore;
  readonly #stopper: Stopper;
  readonly #probes: readonly RecoveryProbe[];
  /** The name of the instance that reaches the store through the proxy. */
  readonly #proxied: readonly RecoveryProbe[];

  constructor(store: PostgresStore, instances: readonly Instance[], stopper: Stopper) {
    this.#store = store;
    this.#stopper = stopper;
    const probes = instances.map((instance) => ({ name: instance.name, probe: new RecoveryProbe(instance) }));
    this.#probes = probes.map(({ probe }) => probe);
    this.#proxied = probes.filter(({ name }) => name === store.proxied).map(({ probe }) => probe);
  }

  /** One after the other, so that one process always runs and the end of each stop can be observed. */
  async run(count: number, forMs: number): Promise<void> {
    for (const probe of this.#probes) await probe.createKey();
    const started = performance.now();
    for (let i = 0; i < count; i += 1) {
      const pauseMs = (forMs * (i + 0.5)) / count - (performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, Math.max(200, pauseMs)));
      const kind = turns[i % turns.length] ?? 'stop';
      if (kind === 'stop') await this.#stopper.stopNext(between(1000, 3000));
      else await this.#befall(kind);
    }
  }

  async #befall(kind: FaultKind): Promise<void> {
    const began = performance.now();
    const everywhere = kind === 'restart' || kind === 'connections terminated';
    await this.#bring(kind);
    const returned = await storeAnswers(everywhere ? this.#store.url : this.#store.proxiedUrl);
    const recoveries = await Promise.all((everywhere ? this.#probes : this.#proxied).map((one) => one.since(returned)));
    this.faults.push({ kind, began, returned, recoveries });
  }

  async #bring(kind: FaultKind): Promise<void> {
    const { postgres, proxy } = this.#store;
    const lasts = () => new Promise((resolve) => setTimeout(resolve, between(1000, 3000)));
    switch (kind) {
      case 'restart':
        return await postgres.restartImmediately();
      case 'connections terminated':
        return await this.#terminateConnections();
      case 'delay':
        proxy.delay(between(20, 300));
        break;
      case 'cut':
        await proxy.cut();
        break;
      case 'black hole':
      case 'black hole, then forgotten':
        proxy.blackHole();
    }
    await lasts();
    await proxy.restore({ forget: kind === 'black hole, then forgotten' });
  }

  async #terminateConnections(): Promise<void> {
    const admin = new pg.Client({ connectionString: this.#store.url });
    await admin.connect();
    await admin.query(terminateOthers);
    await admin.end();
  }
}
