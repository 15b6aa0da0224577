/** One simulated run of a few hundred changes, from one seed: first with faults, then until all have ended. */
import type { Event, Header } from '../history/format.ts';
import { Recorder } from '../history/recording.ts';
import { inClosedWorld } from './closed-world.ts';
import { Edge } from './edge.ts';
import { Faults } from './faults.ts';
import { Network } from './network.ts';
import { type Clock, Process } from './process.ts';
import { ManagementProcess, VerificationProcess } from './service.ts';
import { SimulatedStore } from './store.ts';
import { Workload } from './workload.ts';
import { World } from './world.ts';

interface Episode {
  readonly simulatedMs: number;
  readonly changes: number;
  readonly verdicts: number;
  /** How often each fault occurred. */
  readonly faults: Map<string, number>;
  /** What is wrong apart from the verdicts; null if nothing is. */
  readonly problem: string | null;
}

interface HistoryWriter {
  readonly header: (header: Header) => void;
  readonly event: (event: Event) => void;
}

const changes = 300;
/** Clocks run at almost the same speed: see the conditions of leases in docs/reference/promise.md. */
const maxDrift = 2e-4;
/** Far more than an episode takes. */
const maxSimulatedMs = 600_000;
const startedAt = Date.UTC(2026, 0, 1);
/** A verification or change that began must have ended after this time without faults. */
const settleMs = 15_000;

export async function runEpisode(seed: number, history: HistoryWriter): Promise<Episode> {
  const world = new World(seed);
  return await inClosedWorld(world.random, () => simulate(world, history));
}

async function simulate(world: World, history: HistoryWriter): Promise<Episode> {
  const { random } = world;
  const faults = new Map<string, number>();
  const count = (fault: string) => void faults.set(fault, (faults.get(fault) ?? 0) + 1);
  // Each kind of fault is absent from some episodes, so that others have their full effect there.
  const sometimes = (most: number) => (random.chance(0.5) ? 0 : random.between(0, most));
  const leaseMs = random.pick([0, 0, 20, 50, 250, 250]);
  const clockErrorMs = random.pick([0, 0, 3, 5000]);
  const drift = clockErrorMs + maxDrift * maxSimulatedMs;
  history.header({ version: 1, clock: { min: startedAt - drift, max: startedAt + drift }, leaseMs });
  const clock = (): Clock => ({
    rate: 1 + random.between(-maxDrift, maxDrift),
    startedAt: startedAt + random.between(-clockErrorMs, clockErrorMs),
  });
  const network = new Network(
    world,
    { loss: sometimes(0.01), late: sometimes(0.05), lateMs: random.pick([5, 50, 500]), twice: sometimes(0.1) },
    count,
  );
  const postgres = new Process('postgresql', world, clock());
  const failure = sometimes(0.01);
  const store = new SimulatedStore(postgres, { world, network, failure, leaseMs, count });
  const cacheKeys = () => random.pick([2, 5, 1000]);
  const instances = [1, 2].map((instance) => {
    const management = new ManagementProcess(`management ${instance}`, world, clock(), store);
    const options = () => ({
      ...{ store, cacheKeys: cacheKeys(), leaseMs, pauseMs: random.pick([0, 1]) },
      maxMissing: random.pick([1, 16, Number.POSITIVE_INFINITY]),
    });
    const verification = Array.from(
      { length: 3 - instance },
      (_, i) => new VerificationProcess(`verification ${instance}.${i + 1}`, world, clock(), options()),
    );
    return { management, verification };
  });
  const upstreams = instances.map(({ verification }) => verification);
  const edges = [1, 2].map((edge) => {
    const options = { network, cacheKeys: cacheKeys(), timeoutMs: 1000, minPauseMs: random.pick([0, 0, 5]) };
    const inOrder = edge === 1 ? upstreams : upstreams.toReversed();
    return new Edge(`edge ${edge}`, world, clock(), { ...options, upstreams: inOrder, busy: sometimes(0.02) });
  });
  const management = instances.map((instance) => instance.management);
  const ports = [...upstreams.flat(), ...edges];
  const recorder = new Recorder(() => world.now, history.event);
  const callers = new Process('callers', world, { rate: 1, startedAt });
  const pauseMs = random.pick([2, 10, 40]);
  const workload = new Workload({ world, network, recorder, callers, management, ports, changes, pauseMs });
  const processes = [...management, ...ports].map(({ process }) => process);
  const everyMs = random.pick([Number.POSITIVE_INFINITY, 300, 1000]);
  const nemesis = new Faults({ world, network, store, processes, everyMs, count });

  const run = async (): Promise<void> => {
    nemesis.start();
    const changing = Array.from({ length: random.pick([2, 10, 40]) }, () => workload.runCaller());
    // Their reads take a quarter of the time.
    await Promise.all([...changing, ...(random.chance(0.5) ? [workload.runPrograms()] : [])]);
    await nemesis.end();
    await world.pause(settleMs);
    workload.verifyAll();
    await world.pause(settleMs);
  };
  await world.runUntil(run(), maxSimulatedMs);
  const { changes: answered, verdicts } = recorder;
  const [at] = workload.pendingAt;
  const problem = at === undefined ? null : `a verification at ${at} has not ended`;
  return { simulatedMs: world.now, changes: answered, verdicts, faults, problem };
}
