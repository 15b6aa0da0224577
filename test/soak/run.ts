/** One run: a service of its own, keys, calls at fixed rates, and samples of the service's processes meanwhile. */
import { fileURLToPath } from 'node:url';
import { Client } from '../load/client.ts';
import { pause } from '../load/schedule.ts';
import { Server } from '../load/server.ts';
import type { Provider } from '../support/databases.ts';
import { startPostgres } from '../support/postgres.ts';
import { type ProcessSample, sampleProcesses } from '../support/processes.ts';
import { postgresDatabase, sqliteDatabase, type TemporaryDatabase } from '../support/temporary-database.ts';
import type { SoakRun } from './flatness.ts';
import { cacheKeys, createKeys } from './keys.ts';
import { management } from './management.ts';
import { Latencies, send } from './streams.ts';
import { verifications } from './verifications.ts';

export interface SoakPlan {
  readonly store: Provider;
  readonly seconds: number;
  readonly verificationsPerSecond: number;
  readonly callsPerSecond: number;
}

const connections = 128;
const warmUpMs = 5000;
/** Garbage collection takes about 100 ms. At this interval, it delays less than 1% of the calls. */
const sampleIntervalMs = 20_000;
/** Until other threads have returned the freed pages to the system. */
const freedAfterMs = 1500;
const idleTimeoutMs = 30_000;

export async function soak(plan: SoakPlan, stop: AbortSignal): Promise<SoakRun> {
  const postgres = plan.store === 'postgresql' ? await startPostgres() : null;
  const database = postgres === null ? await sqliteDatabase() : await postgresDatabase(postgres.url);
  const server = await Server.service({
    directory: database.directory,
    environment: {
      DATABASE_URL: database.url,
      VERIFY_CACHE_KEYS: String(cacheKeys),
      FAILED_TOKEN_LIMIT: '1000000',
      NODE_OPTIONS: `--require=${fileURLToPath(new URL('collect-on-signal.cjs', import.meta.url))}`,
    },
  });
  try {
    await server.start();
    return await load(plan, database, server, stop);
  } finally {
    await server.stop();
    await database.remove();
    await postgres?.stop();
  }
}

async function load(plan: SoakPlan, database: TemporaryDatabase, server: Server, stop: AbortSignal): Promise<SoakRun> {
  const keys = await createKeys(server.url);
  const [verifying, managing] = [server.verifyPort, server.port].map((port) => new Client(port, { connections }));
  if (verifying === undefined || managing === undefined) throw new Error('there are two ports');
  const streams = [
    { name: 'verify', perSecond: plan.verificationsPerSecond, next: verifications(verifying, keys) },
    { name: 'manage', perSecond: plan.callsPerSecond, next: management(managing, keys) },
  ].map((stream) => ({ ...stream, latencies: new Latencies() }));
  const closeAll = () => {
    verifying.close();
    managing.close();
  };
  // First some calls of every kind, so that everything that is opened once is open.
  await Promise.all(streams.map((stream) => send({ ...stream, latencies: new Latencies() }, warmUpMs, stop)));
  closeAll();
  const before = await sampleWhenIdle(server, Number.NEGATIVE_INFINITY);
  const sizeBefore = await database.sizeMb();

  const samples: (ProcessSample & { readonly seconds: number })[] = [];
  const startedAt = performance.now();
  const secondsNow = () => (performance.now() - startedAt) / 1000;
  const sampling = setInterval(async () => {
    // Collects all garbage: see collect-on-signal.cjs.
    for (const pid of server.pids) process.kill(pid, 'SIGUSR2');
    const seconds = secondsNow();
    await pause(freedAfterMs);
    if (seconds < plan.seconds) samples.push({ seconds, ...sampleProcesses(server.pids) });
  }, sampleIntervalMs);
  const sent = await Promise.all(
    streams.map(async ({ name, ...stream }) => {
      const { latencies } = stream;
      const result = await send(stream, plan.seconds * 1000, stop);
      return { name, sent: result, medians: latencies.percentiles(0.5), p99s: latencies.percentiles(0.99) };
    }),
  ).finally(() => clearInterval(sampling));
  const seconds = secondsNow();
  closeAll();
  const after = await sampleWhenIdle(server, before.descriptors);
  return {
    seconds,
    samples,
    ports: sent,
    before,
    after,
    databaseMb: { before: sizeBefore, after: await database.sizeMb() },
  };
}

/** When no more descriptors are open than at the start; without a start, when their number stays the same. */
async function sampleWhenIdle(server: Server, start: number): Promise<ProcessSample> {
  const deadline = performance.now() + idleTimeoutMs;
  let unchanged = 0;
  for (let last = sampleProcesses(server.pids); ; ) {
    await pause(250);
    const sample = sampleProcesses(server.pids);
    unchanged = sample.descriptors === last.descriptors ? unchanged + 1 : 0;
    last = sample;
    // Longer than idle connections to the store are kept, and than the timeout of slow clients.
    if (sample.descriptors <= start || unchanged > 48 || performance.now() > deadline) return sample;
  }
}
