/**
 * `npm run chaos -- durability [--rounds <n>] [--store sqlite|postgresql] [--seed <n>] [--power-loss] [--write]`: kills the service in as
 * many rounds, shared by both stores unless one is named, and looks for acknowledged changes that are lost or incomplete.
 * With `--power-loss`, only on SQLite, each kill also drops all writes that were not synced. With `--write`, the row of each
 * store in docs/evidence/benchmarks.md is replaced.
 */

import { readArguments, readNumber, requireOneOf } from '../../harness/arguments.ts';
import { printRows, progress } from '../../harness/print.ts';
import { takenNow, writeRow } from '../../harness/results/page.ts';
import { startPostgres } from '../../support/postgres.ts';
import { postgresDatabase, sqliteDatabase } from '../../support/temporary-database.ts';
import { printReport } from './print.ts';
import { durability, type Report } from './run.ts';
import { noVolatileDisk, volatileDisk } from './volatile-disk.ts';

const { values } = readArguments({
  options: {
    rounds: { type: 'string', default: '200' },
    store: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'power-loss': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
if (values.store !== undefined) requireOneOf('--store', values.store, ['sqlite', 'postgresql']);
const store = values['power-loss'] ? 'sqlite' : values.store;
if (values['power-loss'] && noVolatileDisk !== null) throw new Error(noVolatileDisk);
const rounds = Math.ceil(readNumber('--rounds', values.rounds, 1) / (store === undefined ? 2 : 1));
const plan = { rounds, seed: readNumber('--seed', values.seed), clients: 24 };
/** A disk that loses unsynced writes, and only power losses. */
const powerLosses = {
  disk: volatileDisk,
  kinds: Array.from({ length: rounds }, () => 'power loss' as const),
};

const taken = values.write ? takenNow(['durability']) : null;
printRows([['seed', `${plan.seed}\n`]]);

async function onSqlite(): Promise<Report> {
  return await durability({
    ...plan,
    ...(values['power-loss'] && powerLosses),
    progress,
    newDatabase: sqliteDatabase,
    postgres: null,
  });
}

async function onPostgres(): Promise<Report> {
  const postgres = await startPostgres();
  try {
    return await durability({ ...plan, progress, newDatabase: () => postgresDatabase(postgres.url), postgres });
  } finally {
    await postgres.stop();
  }
}

for (const [name, run] of Object.entries({ sqlite: onSqlite, postgresql: onPostgres })) {
  if (store !== undefined && store !== name) continue;
  const began = performance.now();
  const report = await run();
  printReport(name, report, (performance.now() - began) / 1000);
  const { acknowledged, happened, didNotHappen, violations } = report;
  const row = values['power-loss'] ? `${name}, \`--power-loss\`` : name;
  if (taken !== null)
    writeRow('durability', taken, [
      row,
      report.rounds,
      acknowledged,
      happened + didNotHappen,
      happened,
      violations.length,
    ]);
  if (report.violations.length > 0 || report.rounds < plan.rounds) process.exitCode = 1;
}
