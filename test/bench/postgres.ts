/** Strict verification on PostgreSQL, and what its confirmations cost PostgreSQL. */
import pg from 'pg';
import { connectionNames } from '../../src/store/postgres-pool.ts';
import { startPostgres } from '../support/embedded-postgres.ts';
import { cpuSeconds } from '../support/processes.ts';
import type { Progress } from '../support/progress.ts';
import { createKey, verdictOf } from './calls.ts';
import { compare, compareSteps } from './compare.ts';
import type { Figure } from './figures.ts';
import { startServer, temporaryDirectory } from './server.ts';
import { type Load, measure, requireWrk } from './wrk.ts';

const seconds = 5;
const connectionCounts = [8, 256];

export const postgresSteps = compareSteps + connectionCounts.length;

export async function benchPostgres(progress: Progress): Promise<Figure[]> {
  requireWrk();
  const postgres = await startPostgres();
  const directory = temporaryDirectory();
  const url = `${postgres.url}/postgres`;
  const server = await startServer(directory.path, { DATABASE_URL: url });
  const { secret } = await createKey(server);
  const size = JSON.stringify(await verdictOf(server, secret)).length;
  const load: Load = {
    method: 'POST',
    path: '/v1/verify',
    headers: { 'content-type': 'application/json' },
    bodies: [JSON.stringify({ key: secret, env: 'live', sourceIp: '203.0.113.9' })],
    connections: 256,
  };
  const warm = await compare({
    name: 'warm verify on PostgreSQL, 256 connections',
    server,
    progress,
    load: () => load,
    answer: [size, 0],
    atLeast: 0.6,
    p50AtMostOver: 5,
  });
  const confirmations: Figure[] = [];
  for (const connections of connectionCounts) {
    progress.next(`confirmations with ${connections} connections`);
    const run = () => measure(server.verifyUrl, { ...load, connections }, seconds, directory.path);
    const cost = await costOf(url, run);
    confirmations.push({
      name: `confirmations a second, ${connections} connections`,
      floor: `${cost.verdictsPerSecond.toFixed(0)} verdicts/s`,
      value: `${cost.cpuMicroseconds.toFixed(0)} µs of PostgreSQL's processor each`,
      result: cost.perSecond,
      atMost: 1000,
    });
  }
  await server.stop();
  await postgres.stop();
  directory.remove();
  return [...warm, ...confirmations];
}

interface Cost {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
  readonly verdictsPerSecond: number;
}

/** While it runs, no more than usage is written besides: a transaction a second. */
async function costOf(url: string, run: () => ReturnType<typeof measure>): Promise<Cost> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name = '${connectionNames.verification}'`,
  );
  const pid = rows[0]?.pid;
  if (pid === undefined) throw new Error('the connection that confirms is not found');
  const queriesBefore = await transactions(client);
  const cpuBefore = cpuSeconds(pid);
  const startedAt = performance.now();
  const { perSecond: verdictsPerSecond } = await run();
  const elapsed = (performance.now() - startedAt) / 1000;
  const queries = (await transactions(client)) - queriesBefore;
  const cpu = cpuSeconds(pid) - cpuBefore;
  await client.end();
  return { perSecond: queries / elapsed, cpuMicroseconds: (cpu / queries) * 1e6, verdictsPerSecond };
}

async function transactions(client: pg.Client): Promise<number> {
  // Backends report their counts about once a second.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const { rows } = await client.query<{ count: string }>(
    'SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0]?.count);
}
