/** One run: a service of its own, keys, the load at its fixed rate, and samples of the process all the while. */

import { fileURLToPath } from 'node:url';
import { type BuiltService, startBuilt, stopBuilt } from '../support/built-service.ts';
import type { Provider } from '../support/databases.ts';
import { childrenOf } from '../support/processes.ts';
import { jwtSecret } from '../support/service.ts';
import { Client } from './client.ts';
import type { Port, SoakRun } from './flatness.ts';
import { cacheKeys, createKeys } from './keys.ts';
import { Latencies } from './latencies.ts';
import { management } from './management.ts';
import { type ProcessSample, sampleProcesses } from './process-sample.ts';
import { type Sent, send } from './rate.ts';
import { createStore, type SoakStore } from './store.ts';
import { verifications } from './verifications.ts';

export interface SoakPlan {
  readonly store: Provider;
  readonly seconds: number;
  readonly verificationsPerSecond: number;
  readonly callsPerSecond: number;
}

/** Garbage collection takes about 100 ms. At this interval, it delays less than 1% of the calls. */
const sampleMs = 20_000;
/** Freed pages are given back by other threads. */
const givenBackMs = 1500;
const settledWithinMs = 30_000;

export async function soak(plan: SoakPlan, stop: AbortSignal): Promise<SoakRun> {
  const store = await createStore(plan.store);
  let service: BuiltService | undefined;
  try {
    service = await startBuilt({
      ...store.environment,
      JWT_SECRET: jwtSecret,
      VERIFY_CACHE_KEYS: String(cacheKeys),
      NODE_OPTIONS: `--require=${fileURLToPath(new URL('collect-on-signal.cjs', import.meta.url))}`,
      MANAGEMENT_RATE_LIMIT: '1000000',
      FAILED_TOKEN_LIMIT: '1000000',
    });
    if (service.url === '') throw new Error(`the service did not start: ${service.output()}`);
    return await load(plan, store, service, stop);
  } finally {
    if (service !== undefined) await stopBuilt(service);
    await store.remove();
  }
}

async function load(plan: SoakPlan, store: SoakStore, service: BuiltService, stop: AbortSignal): Promise<SoakRun> {
  const keys = await createKeys(service.url);
  const [asking, managing] = [new Client(service.verifyUrl), new Client(service.url)];
  const streams = [
    { name: 'verify', perSecond: plan.verificationsPerSecond, next: verifications(asking, keys) },
    { name: 'manage', perSecond: plan.callsPerSecond, next: management(managing, keys) },
  ].map((stream) => ({ ...stream, latencies: new Latencies() }));
  const closeAll = () => {
    asking.close();
    managing.close();
  };
  // First some calls of every kind, so that everything that is opened once is open.
  await Promise.all(streams.map((stream) => send({ ...stream, latencies: new Latencies() }, warmUpMs, stop)));
  closeAll();
  const before = await settled(service, Number.NEGATIVE_INFINITY);
  const sizeBefore = await store.sizeMb();

  const samples: ProcessSample[] = [];
  const startedAt = performance.now();
  const secondsNow = () => (performance.now() - startedAt) / 1000;
  const sampling = setInterval(() => {
    for (const pid of pidsOf(service)) process.kill(pid, 'SIGUSR2');
    const seconds = secondsNow();
    if (seconds < plan.seconds) setTimeout(() => samples.push(sampleProcesses(pidsOf(service), seconds)), givenBackMs);
  }, sampleMs);
  const sent = await Promise.all(streams.map((stream) => send(stream, plan.seconds * 1000, stop))).finally(() =>
    clearInterval(sampling),
  );
  const seconds = secondsNow();
  closeAll();
  return {
    seconds,
    samples,
    ports: streams.map(({ name, latencies }, i) => portOf(name, latencies, sent[i])),
    before,
    after: await settled(service, before.descriptors),
    databaseMb: { before: sizeBefore, after: await store.sizeMb() },
  };
}

const warmUpMs = 5000;

function portOf(name: string, latencies: Latencies, sent: Sent = { calls: 0, wrong: [], mostUnderWay: 0 }): Port {
  return { name, sent, medians: latencies.percentiles(0.5), p99s: latencies.percentiles(0.99) };
}

function pidsOf({ process: { pid } }: BuiltService): readonly number[] {
  if (pid === undefined) throw new Error('the service has no process');
  return [pid, ...childrenOf(pid)];
}

/** When no more descriptors are open than at the start; without a start, when their number stays as it is. */
async function settled(service: BuiltService, start: number): Promise<ProcessSample> {
  const deadline = performance.now() + settledWithinMs;
  let unchanged = 0;
  for (let last = sampleProcesses(pidsOf(service), 0); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const sample = sampleProcesses(pidsOf(service), 0);
    unchanged = sample.descriptors === last.descriptors ? unchanged + 1 : 0;
    last = sample;
    // Longer than idle connections to the store are kept, and than the timeout of slow clients.
    if (sample.descriptors <= start || unchanged > 48 || performance.now() > deadline) return sample;
  }
}
