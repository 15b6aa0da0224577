/** The faults of a run, one after the other, and how long the instances or edges take to recover. */
import { setTimeout as pause } from 'node:timers/promises';
import { random } from '../../harness/random.ts';
import { query, terminateOthers } from '../../support/postgres.ts';
import type { TcpProxy } from '../../support/tcp-proxy.ts';
import type { EdgeNetwork, Instances, PostgresNetwork } from './instances.ts';
import { type Recovery, type RecoveryProbe, startProbe, storeAnswers } from './recovery.ts';
import type { Stopper } from './stops.ts';

const networkFaults = ['delay', 'cut', 'black hole', 'black hole, then forgotten'] as const;
type NetworkFault = (typeof networkFaults)[number];
type PostgresFault = NetworkFault | 'restart' | 'connections terminated';
type EdgeFault = NetworkFault | 'upstream killed' | 'upstream restarted';

export interface Fault {
  readonly kind: string;
  readonly began: number;
  /** When the fault was over: on PostgreSQL, when a plain connection got an answer again. */
  readonly returned: number;
  readonly recoveries: readonly Recovery[];
}

const postgresTurns: readonly (PostgresFault | 'stop')[] = [
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
const edgeTurns: readonly (EdgeFault | 'stop')[] = [
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

/** Causes faults of PostgreSQL, of edges and their upstreams, or of the network between them. */
export class Faults {
  readonly faults: Fault[] = [];
  readonly #instances: Instances;
  readonly #stopper: Stopper;
  #probes: readonly RecoveryProbe[] = [];

  constructor(instances: Instances, stopper: Stopper) {
    this.#instances = instances;
    this.#stopper = stopper;
  }

  /** Spreads so many faults over a time. One after the other, so that one process always runs. */
  async run(count: number, overMs: number): Promise<void> {
    const { all, edges, network } = this.#instances;
    // An edge verifies keys; their changes go to an instance.
    const port = all[0]?.port ?? 0;
    const targets = edges.map(({ name, verifyPort, pids }) => ({ name, port, verifyPort, verification: pids }));
    this.#probes = await Promise.all((edges.length > 0 ? targets : all).map(startProbe));
    await spread(count, overMs, async (i) => {
      if (network === null) return;
      if ('postgres' in network) await this.#next(postgresTurns, i, (kind) => disturbPostgres(network, kind));
      else if ('cause' in network) await this.#next(network.turns, i, network.cause);
      else await this.#next(edgeTurns, i, (kind) => this.#disturbEdges(network, kind, i));
    });
  }

  async #next<Kind extends string>(
    turns: readonly (Kind | 'stop')[],
    turn: number,
    cause: (kind: Kind) => Promise<{ readonly returned: number; readonly affected?: string }>,
  ): Promise<void> {
    const kind = turns[turn % turns.length] ?? 'stop';
    if (kind === 'stop') return await this.#stopper.stopNext(random.between(1000, 3000));
    const began = performance.now();
    const { returned, affected } = await cause(kind);
    const probes = this.#probes.filter(({ name }) => affected === undefined || name === affected);
    const recoveries = await Promise.all(probes.map((probe) => probe.since(returned)));
    this.faults.push({ kind, began, returned, recoveries });
  }

  async #disturbEdges({ proxies }: EdgeNetwork, kind: EdgeFault, turn: number) {
    const { all } = this.#instances;
    const upstream = all[turn % all.length];
    if (isNetworkFault(kind)) {
      await disturb(proxies, kind);
    } else {
      await (kind === 'upstream killed' ? upstream?.kill() : upstream?.stop());
      await upstream?.start();
    }
    return { returned: performance.now() };
  }
}

async function disturbPostgres({ postgres, url, proxy, proxiedUrl, proxied }: PostgresNetwork, kind: PostgresFault) {
  if (isNetworkFault(kind)) {
    await disturb([proxy], kind);
    return { returned: await storeAnswers(proxiedUrl), affected: proxied.name };
  }
  if (kind === 'restart') await postgres.restartImmediately();
  else await query(url, terminateOthers);
  return { returned: await storeAnswers(url) };
}

/** Begins `count` steps, spread evenly over a time. */
async function spread(count: number, overMs: number, step: (index: number) => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  for (let i = 0; i < count; i += 1) {
    await pause(Math.max(200, (overMs * (i + 0.5)) / count - (performance.now() - startedAt)));
    await step(i);
  }
}

function isNetworkFault(kind: string): kind is NetworkFault {
  return networkFaults.some((fault) => fault === kind);
}

async function disturb(proxies: readonly TcpProxy[], kind: NetworkFault): Promise<void> {
  for (const proxy of proxies) {
    if (kind === 'delay') proxy.delay(random.between(20, 300));
    else if (kind === 'cut') await proxy.cut();
    else proxy.blackHole();
  }
  await pause(random.between(1000, 3000));
  for (const proxy of proxies) await proxy.restore({ forget: kind === 'black hole, then forgotten' });
}
