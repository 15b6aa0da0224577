/** One run: keys, verifiers, changers, stops and faults on some instances, for some seconds, and everything recorded. */
import { setTimeout as pause } from 'node:timers/promises';
import { random } from '../../harness/random.ts';
import type { Server } from '../../harness/server.ts';
import { Recording } from '../../proof/history/recording.ts';
import { KeyClient } from '../clients.ts';
import { Ledger } from '../ledger.ts';
import { type VerificationPort, Verifiers } from '../verifiers.ts';
import { Faults } from './faults.ts';
import type { Instances } from './instances.ts';
import { contradictions, readReceipts } from './receipts.ts';
import { type StaleProxy, startStaleProxy } from './stale-proxy.ts';
import { createStopper, type StopPlan, stopTargets, wholeTarget } from './stops.ts';

export interface Plan {
  readonly seconds: number;
  readonly keys: number;
  readonly changers: number;
  /** On average, between two changes of one changer. */
  readonly pauseMs: number;
  readonly stops?: StopPlan;
  /** Instead of these stops: the number of faults and stops of PostgreSQL, or of edges and their upstreams. */
  readonly faults?: number;
  /** Sends calls to B through a cache that keeps its verdicts for this time. */
  readonly staleMs?: number | null;
  /** VERIFY_LEASE_MS of the instances, if they have one. */
  readonly leaseMs?: number;
}

/** Of clients that change keys alone. */
export const aloneOptions = {
  random,
  createShare: 0.03,
  retryMs: 300,
  expiresInMs: [30, 200] as const,
  sharedAt: null,
};

export type Run = Awaited<ReturnType<typeof torture>>;

export async function torture(instances: Instances, plan: Plan) {
  const { all, edges } = instances;
  const { keys, pauseMs, stops, faults: faultCount = 0, staleMs = null, leaseMs = 0 } = plan;
  const proxied = all.find(({ name }) => name === 'B');
  const proxy = staleMs === null || proxied === undefined ? null : await startStaleProxy(proxied.verifyPort, staleMs);
  const ledger = new Ledger(random);
  const recording = new Recording();
  const stopper = createStopper(edges.length > 0 ? edges.map(wholeTarget) : stopTargets(all));
  const verifiers = new Verifiers([...verificationPorts(all, proxy), ...edges.map(edgePort)], ledger.pool, recording);
  const ports = all.map(({ name, port }) => ({ at: name, port, isStopped: () => stopper.isStopped(name) }));
  const options = { ...aloneOptions, ledger, ports, keys, pauseMs, outages: faultCount > 0 };
  const witness = { recording, verifiers };
  const changers = Array.from({ length: plan.changers }, () => new KeyClient({ ...options, witness }));
  const faults = new Faults(instances, stopper);
  const started = performance.now();
  // Verifiers need a key to start with.
  await changers[0]?.create();
  if (ledger.pool.size === 0) throw new Error(`no key could be created: ${ledger.strange.join()}`);
  verifiers.start();
  const changing = changers.map((changer) => changer.run());
  const durationMs = plan.seconds * 1000;
  const disturbing = faultCount > 0 ? faults.run(faultCount, durationMs) : stops && stopper.run(stops, durationMs);
  await Promise.all([pause(durationMs), disturbing]);
  for (const changer of changers) changer.stop();
  await Promise.all(changing);
  await verifiers.stop();
  await proxy?.stop();
  const labels = new Map(ledger.pool.every.map(({ id, label }) => [id, label]));
  const operations = [...ledger.operations.values()];
  const receipts = await readReceipts(all[0]?.port ?? 0, ledger.teamId, operations, (id) => labels.get(id));
  const header = recording.stop(leaseMs);
  const dead = [...all, ...edges].filter(({ isAlive }) => !isAlive);
  return {
    seconds: (performance.now() - started) / 1000,
    operations,
    changes: ledger.changes,
    header,
    events: recording.events,
    stops: stopper.stops,
    faults: faults.faults,
    verifiedCalls: verifiers.verifiedCalls,
    unavailableCalls: verifiers.unavailableCalls,
    ports: verifiers.counts,
    /** The names of those ports that are edges. */
    edges: edges.map(({ name }) => name),
    receipts: {
      count: receipts.length,
      revokes: receipts.filter(({ kind }) => kind === 'revokeKey').length,
      incomplete: receipts.filter(({ statement }) => !statement.complete).length,
      contradictions: contradictions(header, recording.events, receipts),
    },
    /** Unexpected answers: rejected changes and malformed verdicts. */
    strange: [
      ...ledger.strange.slice(0, 10),
      ...verifiers.strange,
      ...dead.map(({ name }) => `a process of ${name} has ended`),
    ],
  };
}

/** Twice as many to an instance with two verification processes, so that each of them has as many as the others. */
function verificationPorts(all: readonly Server[], stale: StaleProxy | null): VerificationPort[] {
  return all.map(({ name, verifyPort, verification }) => ({
    ...(name === 'B' && stale !== null ? { at: 'B, stale', port: stale.port } : { at: name, port: verifyPort }),
    connections: verification.length > 1 ? 16 : 8,
    salvo: verification.length > 1 ? 6 : 3,
  }));
}

function edgePort({ name, verifyPort }: Server): VerificationPort {
  return { at: name, port: verifyPort, connections: 8, salvo: 3 };
}
