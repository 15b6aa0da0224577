/**
 * `npm run load -- bench large`: a database of millions of keys, compared with one of 1,000,000. Both have a service; each
 * operation is measured at both in turn.
 */
import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import type { BulkDialect } from '../../../../src/store/changes/bulk-rows.ts';
import { type PostgresServer, startPostgres } from '../../../support/postgres.ts';
import { stolenTime } from '../../../support/processes.ts';
import { printFailures, progress } from '../../print.ts';
import { pause } from '../../schedule.ts';
import { tableText, takenNow, writeBlock } from '../page.ts';
import {
  databaseMegabytes,
  forgetStatements,
  memoryOf,
  postgresMegabytes,
  relationsOf,
  scannedRows,
  startCountingStatements,
  statementsOf,
} from './observe.ts';
import { type Operation, operationsFor } from './operations.ts';
import { kinds } from './population.ts';
import { type Measured, measuredOf, type Pair, Results, shown } from './results.ts';
import { type Side, startSide, stopSide } from './side.ts';

const defaultKeys: Readonly<Record<BulkDialect, number>> = { postgresql: 10_000_000, sqlite: 3_000_000 };
const defaultRounds = 5;

/** The disk space of a key with its log and use, measured, with room for sorting its indexes and for the log of writes. */
const bytesPerKey: Readonly<Record<BulkDialect, number>> = { postgresql: 5000, sqlite: 4000 };

/** The buffers of a small server. Both databases share them, and the page cache of the machine. */
const postgresFlags = [
  'shared_buffers=1GB',
  'maintenance_work_mem=512MB',
  'max_wal_size=8GB',
  'checkpoint_timeout=15min',
  // Rows that are seeded need no log.
  'wal_level=minimal',
  'max_wal_senders=0',
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.track_planning=on',
].flatMap((setting) => ['-c', setting]);

const usage = `usage: npm run load -- bench large [--store postgresql|sqlite] [--keys N] [--base N] [--rounds N] [--only name,…] [--output file]
       npm run load -- bench large --write
  --store   default: both, one after the other
  --keys    default: ${defaultKeys.postgresql} on PostgreSQL, ${defaultKeys.sqlite} on SQLite; a multiple of ${kinds}
  --base    the smaller database; default: 1000000
  --rounds  default: ${defaultRounds}, for some operations fewer
  --only    the beginnings of the names of operations
  --output  where the results are written, with --store; default: large-<store>.json
  --write   also writes the table of docs/evidence/benchmarks.md, with both stores and the defaults
The databases are written below TMPDIR (${tmpdir()}) and removed at the end.`;

interface Options {
  readonly store: BulkDialect;
  readonly keys: number;
  readonly base: number;
  readonly rounds: number;
  readonly only: readonly string[];
  readonly output: string;
}

export async function large(args: readonly string[]): Promise<void> {
  const runs = parseOptions(args);
  if (runs === null) {
    console.error(usage);
    process.exit(2);
  }
  for (const options of runs) checkSpace(options);
  const taken = args.includes('--write') ? takenNow(['large']) : null;
  const found: Results[] = [];
  for (const options of runs) {
    const results = await compareSizes(options);
    printFailures(results.failures);
    found.push(results);
  }
  if (taken !== null) writeBlock('large', taken, tableOfStores(runs, found));
}

/** Changes within this factor are left out of the page. */
const usualFactor = 1.2;

function isNotable({ unit, ratio, target }: Measured): boolean {
  return target !== '' || (unit === 'per second' ? 1 / ratio : ratio) > usualFactor;
}

/** Returns a table of what has a target or has become slower, with two columns for each store. */
function tableOfStores(runs: readonly Options[], found: readonly Results[]): string {
  const columns = runs.flatMap(({ store, base, keys }) => [`${store}, ${count(base)}`, count(keys)]);
  const names = [...new Set(found.flatMap(({ measured }) => measured.filter(isNotable).map(({ name }) => name)))];
  const rows = names.map((name) => {
    const each = found.map(({ measured }) => measured.find((candidate) => candidate.name === name));
    const cells = each.flatMap((one) =>
      one === undefined ? ['', ''] : [`${shown(one.base)} ${one.unit}`, `${one.ratio.toFixed(2)} times`],
    );
    return [name, ...cells, each.find((one) => one !== undefined)?.target ?? ''];
  });
  return tableText(['measured', ...columns, 'target'], rows);
}

const count = (keys: number) => keys.toLocaleString('en-US');

/** Returns null if an option is wrong. */
function parseOptions(args: readonly string[]): readonly Options[] | null {
  const text = { type: 'string' } as const;
  const numberOf = (value: string) => (/^[1-9]\d*$/.test(value) && Number(value) % kinds === 0 ? Number(value) : null);
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        store: text,
        keys: text,
        base: text,
        rounds: text,
        only: text,
        output: text,
        write: { type: 'boolean' },
      },
    });
    const { store, keys, base: baseText = '1000000', only, output } = values;
    const rounds = Number(values.rounds ?? defaultRounds);
    const stores = (['postgresql', 'sqlite'] as const).filter((one) => store === undefined || store === one);
    const base = numberOf(baseText);
    if (output !== undefined && store === undefined) return null;
    if (values.write && args.length > 1) return null;
    if (stores.length === 0 || base === null || !Number.isInteger(rounds) || rounds < 1) return null;
    return stores.map((one) => {
      const size = keys === undefined ? defaultKeys[one] : numberOf(keys);
      if (size === null) throw new RangeError(`--keys ${keys}`);
      return {
        store: one,
        keys: size,
        base,
        rounds,
        only: only?.split(',') ?? [''],
        output: output ?? `large-${one}.json`,
      };
    });
  } catch {
    return null;
  }
}

/** Throws if the disk of TMPDIR has too little space. */
function checkSpace({ store, keys, base }: Options): void {
  const { bavail, bsize } = statfsSync(tmpdir());
  const [needed, free] = [(keys + base) * bytesPerKey[store], bavail * bsize];
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  progress(`${store}: up to ${gigabytes(needed)} of ${gigabytes(free)} in ${tmpdir()}`);
  if (free < needed) throw new Error(`${tmpdir()} needs ${gigabytes(needed)}: set TMPDIR to a larger disk`);
}

async function compareSizes({ store, keys, base, rounds, only, output }: Options): Promise<Results> {
  if (!existsSync('dist/main.js')) throw new Error('dist is missing: npm run build');
  const startedAt = new Date().toISOString();
  const results = new Results(output, { store, keys, base, startedAt, node: process.version });
  const stolen = stolenTime();
  const postgres = store === 'postgresql' ? await startPostgres(postgresFlags) : null;
  if (postgres !== null) await startCountingStatements(postgres);
  const url = postgres?.url ?? null;
  const sides: Pair<Side> = { base: await startSide(base, url), large: await startSide(keys, url) };
  const ofBoth = async <Value>(read: (side: Side) => Promise<Value> | Value): Promise<Pair<Value>> => ({
    base: await read(sides.base),
    large: await read(sides.large),
  });
  await results.note('seconds to write', () => ofBoth(({ seedSeconds }) => seedSeconds));
  await results.note('seconds per index', () => ofBoth(({ indexSeconds }) => indexSeconds));
  await results.note('megabytes of the database', () => ofBoth(databaseMegabytes));
  const [smallest, largest] = [sides.base.population.teams[0]?.size ?? 0, sides.large.population.teams[0]?.size ?? 0];
  for (const each of operationsFor(Math.min(smallest, largest))) {
    const operation = { ...each, rounds: Math.min(each.rounds ?? rounds, rounds) };
    if (only.some((start) => operation.name.startsWith(start)))
      await measureOperation(operation, sides, postgres, results);
  }
  await results.note('memory in MB', () => ofBoth(memoryOf));
  if (postgres !== null) await results.note('memory of PostgreSQL in MB', () => postgresMegabytes(postgres));
  await results.note('relations', () => ofBoth(relationsOf));
  await results.note('percentage of stolen time', stolen);
  results.print();
  progress(`results are in ${output}`);
  await ofBoth(stopSide);
  await postgres?.stop();
  return results;
}

/** An operation that fails at one database leaves its error in the results. */
async function measureOperation(
  operation: Operation & { readonly rounds: number },
  sides: Pair<Side>,
  postgres: PostgresServer | null,
  results: Results,
): Promise<void> {
  const { name, rounds } = operation;
  const before = { base: await scannedRows(sides.base), large: await scannedRows(sides.large) };
  if (postgres !== null) await forgetStatements(postgres);
  const measured: Pair<number>[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      progress(`${name}, round ${round + 1} of ${rounds}`);
      measured.push(await measureRound(operation, sides, round));
    }
  } catch (error) {
    results.addFailure(name, error);
    return;
  }
  results.addMeasured(measuredOf(operation, measured), measured);
  if (postgres !== null) await results.note(`${name}: what explains it`, () => explain(postgres, sides, before));
}

/** In turn the one and the other first. */
async function measureRound(operation: Operation, { base, large }: Pair<Side>, round: number): Promise<Pair<number>> {
  const run = async (side: Side) => {
    // The service closes connections that were idle for some seconds, possibly while a request is under way.
    side.client.close();
    return await operation.run(side, round);
  };
  if (round % 2 === 0) return { base: await run(base), large: await run(large) };
  const figure = await run(large);
  return { base: await run(base), large: figure };
}

async function explain(postgres: PostgresServer, sides: Pair<Side>, before: Pair<Readonly<Record<string, number>>>) {
  // Sessions report their counts about once a second.
  await pause(1500);
  const scanned = async (side: keyof Pair<Side>) => {
    const after = await scannedRows(sides[side]);
    const differences = Object.entries(after).map(
      ([table, rows]) => [table, rows - (before[side][table] ?? 0)] as const,
    );
    return Object.fromEntries(differences.filter(([, rows]) => rows > 0));
  };
  return {
    statements: { base: await statementsOf(postgres, sides.base), large: await statementsOf(postgres, sides.large) },
    rowsOfSequentialScans: { base: await scanned('base'), large: await scanned('large') },
  };
}
