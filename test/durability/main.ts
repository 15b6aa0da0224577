/**
 * `npm run durability [-- --rounds <n>] [--store sqlite|postgresql] [--seed <n>]`: kills the service in as many rounds,
 * shared by both stores unless one is named, and looks for acknowledged changes that are lost or incomplete.
 */
import { parseArgs } from 'node:util';
import { type Progress, startProgress } from '../support/progress.ts';
import { KillablePostgres } from './postgres.ts';
import { durability, type Report } from './run.ts';
import { postgresDatabase, sqliteDatabase } from './stores.ts';
import { printReport } from './table.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    store: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const rounds = Math.ceil(Number(values.rounds) / (values.store === undefined ? 2 : 1));
const plan = { rounds, seed: Number(values.seed), clients: 24 };

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
console.log(`seed               ${plan.seed}\n`);

async function onSqlite(progress: Progress): Promise<Report> {
  return await durability({ ...plan, progress, newDatabase: sqliteDatabase, postgres: null });
}

async function onPostgres(progress: Progress): Promise<Report> {
  const postgres = await KillablePostgres.start();
  try {
    return await durability({ ...plan, progress, newDatabase: () => postgresDatabase(postgres.url), postgres });
  } finally {
    await postgres.stop();
  }
}

let failed = false;
for (const [store, run] of Object.entries({ sqlite: onSqlite, postgresql: onPostgres })) {
  if (values.store !== undefined && values.store !== store) continue;
  const began = performance.now();
  const progress = startProgress(plan.rounds);
  const report = await run(progress);
  progress.stop();
  printReport(store, report, (performance.now() - began) / 1000);
  failed ||= report.violations.length > 0 || report.rounds < plan.rounds;
}
process.exit(failed ? 1 : 0);
