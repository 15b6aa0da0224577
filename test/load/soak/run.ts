/** One run: a service of its own, keys, calls at fixed rates, and samples of the service's processes meanwhile. */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '../../harness/client.ts';
import { progress } from '../../harness/print.ts';
import { Server } from '../../harness/server.ts';
import { startPostgres } from '../../support/postgres.ts';
import { type ProcessSample, sampleProcesses } from '../../support/processes.ts';
import { postgresDatabase, sqliteDatabase, type TemporaryDatabase } from '../../support/temporary-database.ts';
import type { SoakRun } from './flatness.ts';
import { cacheKeys, createKeys } from './keys.ts';
import { management } from './management.ts';
import { send } from './streams.ts';
import { verifications } from './verifications.ts';

const perSecond = { verify: 1000, manage: 20 };
const connections = 128;
const warmUpMs = 5000;
/** Garbage collection takes about 100 ms. At this interval, it delays less than 1% of the calls. */
const sampleIntervalMs = 20_000;
/** Until other threads have returned the freed pages to the system. */
const freedAfterMs = 1500;
const idleTimeoutMs = 30_000;

export async function soak(onPostgres: boolean, seconds: number): Promise<SoakRun> {
  const postgres = onPostgres ? await startPostgres() : null;
  const database = postgres === null ? await sqliteDatabase() : await postgresDatabase(postgres.url);
  const server = await Server.startService({
    directory: database.directory,
    environment: {
      DATABASE_URL: database.url,
      VERIFY_CACHE_KEYS: String(cacheKeys),
      FAILED_TOKEN_LIMIT: '1000000',
      NODE_OPTIONS: `--require=${fileURLToPath(new URL('collect-on-signal.cjs', import.meta.url))}`,
    },
  });
  const run = await load(seconds, database, server);
  await server.stop();
  await postgres?.stop();
  return run;
}

async function load(wantedSeconds: number, database: TemporaryDatabase, server: Server): Promise<SoakRun> {
  const keys = await createKeys(server.url);
  const [verifying, managing] = [
    new Client(server.verifyPort, { connections }),
    new Client(server.port, { connections }),
  ];
  const streams = [
    { name: 'verify', perSecond: perSecond.verify, next: verifications(verifying, keys) },
    { name: 'manage', perSecond: perSecond.manage, next: management(managing, keys) },
  ];
  const sendFor = async (ms: number) => {
    const sent = await Promise.all(streams.map((stream) => send(stream, ms)));
    verifying.close();
    managing.close();
    return sent;
  };
  progress('some calls of every kind, so that everything that is opened once is open');
  await sendFor(warmUpMs);
  const before = await sampleWhenIdle(server, Number.NEGATIVE_INFINITY);
  const sizeBefore = await database.sizeMb();

  progress(`the load, for ${wantedSeconds} s`);
  const samples: (ProcessSample & { readonly seconds: number })[] = [];
  const startedAt = performance.now();
  const secondsNow = () => (performance.now() - startedAt) / 1000;
  const sampling = setInterval(async () => {
    // Collects all garbage: see collect-on-signal.cjs.
    for (const pid of server.pids) process.kill(pid, 'SIGUSR2');
    const seconds = secondsNow();
    await pause(freedAfterMs);
    if (seconds < wantedSeconds) samples.push({ seconds, ...sampleProcesses(server.pids) });
  }, sampleIntervalMs);
  const ports = await sendFor(wantedSeconds * 1000);
  clearInterval(sampling);
  const seconds = secondsNow();
  const after = await sampleWhenIdle(server, before.descriptors);
  return { seconds, samples, ports, before, after, databaseMb: { before: sizeBefore, after: await database.sizeMb() } };
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
