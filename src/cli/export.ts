/** `latchkey keys export`, `audit export` and `usage export`: exports everything except secrets, as NDJSON or CSV. */
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { stringify } from 'csv-stringify';
import { type ClientConfiguration, readClientConfiguration } from '../config/configuration.ts';
import type {
  CliExportAuditLogQuery,
  CliExportedEntryFragment,
  CliExportedKeyFragment,
  CliExportKeysQuery,
} from './generated/graphql.ts';
import { type Format, formats } from './import-lines.ts';
import { exportAuditLog, exportKeys, exportUsage } from './operations.ts';
import { entriesPageSize, keysPageSize, parseId } from './options.ts';
import { startProgress } from './progress.ts';
import { askWithRetries } from './service.ts';

const dayMs = 86_400_000;
/** The maximum period of one call, and the default of USAGE_RETENTION_DAYS. */
const daysAtOnce = 31;
const daysKept = 90;

interface Options {
  readonly team: string;
  readonly format: Format;
}

export function addExportCommands(program: Command, keys: Command): void {
  keys
    .command('export')
    .description('print all keys of a team, including revoked ones, oldest first; no secrets')
    .requiredOption('--team <id>', 'the team', parseId)
    .addOption(new Option('--format <format>', 'the format').choices(formats).default('ndjson'))
    .action(async ({ team, format }: Options) => {
      await print(readKeys(readClientConfiguration(process.env), team), format);
    });

  program
    .command('audit')
    .description("the team's audit trail")
    .command('export')
    .description('print the audit trail of a team, newest entry first')
    .requiredOption('--team <id>', 'the team', parseId)
    .addOption(new Option('--format <format>', 'the format').choices(formats).default('ndjson'))
    .action(async ({ team, format }: Options) => {
      await print(readAuditLog(readClientConfiguration(process.env), team), format);
    });

  program
    .command('usage')
    .description("the usage of a team's keys")
    .command('export')
    .description("print how often a team's keys were verified, by hour and verdict, oldest first")
    .requiredOption('--team <id>', 'the team', parseId)
    .option('--days <number>', 'the number of days to export', parseDays, daysKept)
    .addOption(new Option('--format <format>', 'the format').choices(formats).default('ndjson'))
    .action(async ({ team, format, days }: Options & { readonly days: number }) => {
      await print(readUsage(readClientConfiguration(process.env), team, days), format);
    });
}

function parseDays(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('Expected a number of days.');
  return Number(text);
}

async function* readKeys(service: ClientConfiguration, teamId: string): AsyncIterable<CliExportedKeyFragment> {
  let after: string | null = null;
  let done = 0;
  const { keys: all } = await askWithRetries(service, exportKeys, { teamId, first: 1, after });
  const progress = startProgress(all.totalCount, '{bar} {value} of {total} keys');
  try {
    do {
      const { keys }: CliExportKeysQuery = await askWithRetries(service, exportKeys, {
        teamId,
        first: keysPageSize,
        after,
      });
      yield* keys.nodes;
      done += keys.nodes.length;
      progress.reach(done);
      after = keys.pageInfo.hasNextPage ? (keys.pageInfo.endCursor ?? null) : null;
    } while (after !== null);
  } finally {
    progress.stop();
  }
}

async function* readAuditLog(service: ClientConfiguration, teamId: string): AsyncIterable<CliExportedEntryFragment> {
  let after: string | null = null;
  do {
    const { auditLog }: CliExportAuditLogQuery = await askWithRetries(service, exportAuditLog, {
      teamId,
      first: entriesPageSize,
      after,
    });
    yield* auditLog.nodes;
    after = auditLog.pageInfo.hasNextPage ? (auditLog.pageInfo.endCursor ?? null) : null;
  } while (after !== null);
}

async function* readUsage(service: ClientConfiguration, teamId: string, days: number): AsyncIterable<object> {
  const end = Date.now();
  for (let start = end - days * dayMs; start < end; start += daysAtOnce * dayMs) {
    const [from, to] = [start, Math.min(start + daysAtOnce * dayMs, end)].map((at) => new Date(at).toISOString());
    if (from === undefined || to === undefined) return;
    const { teamUsage } = await askWithRetries(service, exportUsage, { teamId, from, to });
    yield* teamUsage;
  }
}

/** Prints as fast as the reader reads, with one page in memory. */
async function print(records: AsyncIterable<object>, format: Format): Promise<void> {
  await pipeline(Readable.from(records), format === 'csv' ? csv() : ndjson(), process.stdout, { end: false });
}

function ndjson(): Transform {
  return new Transform({
    writableObjectMode: true,
    transform: (record: object, _, done) => done(null, `${JSON.stringify(record)}\n`),
  });
}

/**
 * Puts a quotation mark before text that a spreadsheet would take for a formula: callers choose the names of keys
 * (CWE-1236).
 */
function csv(): Transform {
  return stringify({
    header: true,
    escape_formulas: true,
    cast: {
      boolean: String,
      object: (value) => (Array.isArray(value) ? listCell(value.map(cellOf)) : JSON.stringify(value)),
    },
  });
}

function cellOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A list whose entries could not be told apart is a JSON array. */
function listCell(entries: readonly string[]): string {
  const isAmbiguous = entries.some((entry) => entry.includes(';')) || entries[0]?.startsWith('[') === true;
  return isAmbiguous ? JSON.stringify(entries) : entries.join(';');
}
