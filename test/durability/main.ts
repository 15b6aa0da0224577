/**
 * `npm run durability [-- --rounds <n>] [--store sqlite|postgresql] [--seed <n>]`: kills the service in as many rounds,
 * shared by both stores unless one is named, and looks for acknowledged changes that are lost or incomplete.
 */
import { parseArgs } from 'node:util';
import { printRows, progress } from '../load/print.ts';
import { exitOnSignals } from '../load/schedule.ts';
import { median } from '../load/statistics.ts';
import { startPostgres } from '../support/postgres.ts';
import { postgresDatabase, sqliteDatabase } from '../support/temporary-database.ts';
import { durability, type Report } from './run.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    store: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const rounds = Math.ceil(Number(values.rounds) / (values.store === undefined ? 2 : 1));
const plan = { rounds, seed: Number(values.seed), clients: 24 };

exitOnSignals();
console.log(`seed               ${plan.seed}\n`);

async function onSqlite(): Promise<Report> {
  return await durability({ ...plan, progress, newDatabase: sqliteDatabase, postgres: null });
}

async function onPostgres(): Promise<Report> {
  const postgres = await startPostgres();
  try {
    return await durability({ ...plan, progress, newDatabase: () => postgresDatabase(postgres.url), postgres });
  } finally {
    await postgres.stop();
  }
}

const shownViolations = 10;

for (const [store, run] of Object.entries({ sqlite: onSqlite, postgresql: onPostgres })) {
  if (values.store !== undefined && values.store !== store) continue;
  const began = performance.now();
  const report = await run();
  printReport(store, report, (performance.now() - began) / 1000);
  if (report.violations.length > 0 || report.rounds < plan.rounds) process.exitCode = 1;
}

function printReport(store: string, report: Report, seconds: number): void {
  const { happened, didNotHappen, violations } = report;
  printRows([
    ['store', store],
    ['rounds', `${report.rounds} in ${seconds.toFixed(0)} s`],
    ['kills', [...report.kills].map(([kind, count]) => `${kind} ${count}`).join('; ')],
    ['keys', String(report.keys)],
    ['acknowledged', `${report.acknowledged} operations`],
    ['without an answer', `${happened + didNotHappen}, of which ${happened} had happened and ${didNotHappen} not`],
    ['checks', String(report.checks)],
    ['start to ready', times(report.startUpsMs)],
    ['ready again', times(report.recoveriesMs)],
    ['violations', String(violations.length)],
  ]);
  for (const violation of violations.slice(0, shownViolations)) console.log(`\n${violation.slice(0, 2000)}`);
  console.log('');
}

function times(ms: readonly number[]): string {
  if (ms.length === 0) return 'none';
  const seconds = (value: number) => `${(value / 1000).toFixed(2)} s`;
  return `${ms.length} times, median ${seconds(median(ms))}, worst ${seconds(Math.max(...ms))}`;
}
