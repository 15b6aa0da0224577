/** Strict verification on PostgreSQL, and what its confirmations cost PostgreSQL. */
import { setTimeout as pause } from 'node:timers/promises';
import { connectionNames } from '../../../src/store/postgres-pool.ts';
import { progress } from '../../harness/print.ts';
import { makeKey } from '../../support/calls.ts';
import { query } from '../../support/postgres.ts';
import { cpuSeconds } from '../../support/processes.ts';
import { compare, measure } from './compare.ts';
import { type Bench, type Figure, withPostgres } from './figures.ts';
import { usualCall } from './verify.ts';

const seconds = 5;
const connectionCounts = [8, 256];

export const postgres: Bench = () =>
  withPostgres({}, async (server, databaseUrl) => {
    const { verifyUrl } = server;
    const { request, size } = await usualCall(server, await makeKey(server));
    const load = { requests: [request], connections: 256 };
    const name = 'warm verify on PostgreSQL, 256 connections';
    const limits = { atLeast: 0.6, p50AtMostOver: 5 };
    const figures = await compare({ name, verifyUrl, load: () => load, answer: [size, 0], ...limits });
    for (const connections of connectionCounts) {
      progress(`confirmations with ${connections} connections`);
      const run = () => measure(verifyUrl, { ...load, connections }, seconds);
      figures.push(await costOf(databaseUrl, connections, run));
    }
    return figures;
  });

/** While it runs, only usage is written besides: a transaction a second. */
async function costOf(url: string, connections: number, run: () => ReturnType<typeof measure>): Promise<Figure> {
  const [session] = await query<{ pid: number }>(
    url,
    'SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()',
    [connectionNames.verification],
  );
  if (session === undefined) throw new Error('the connection that confirms is not found');
  const queriesBefore = await transactions(url);
  const cpuBefore = cpuSeconds(session.pid);
  const startedAt = performance.now();
  const { perSecond } = await run();
  const elapsed = (performance.now() - startedAt) / 1000;
  const queries = (await transactions(url)) - queriesBefore;
  const cpu = cpuSeconds(session.pid) - cpuBefore;
  return {
    name: `confirmations a second, ${connections} connections`,
    floor: `${perSecond.toFixed(0)} verdicts/s`,
    value: `${((cpu / queries) * 1e6).toFixed(0)} µs of PostgreSQL's processor each`,
    result: queries / elapsed,
    atMost: 1000,
  };
}

async function transactions(url: string): Promise<number> {
  // Backends report their counts about once a second.
  await pause(2000);
  const [row] = await query(
    url,
    'SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(row?.count);
}
