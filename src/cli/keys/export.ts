/** `latchkey keys export`, `audit export`, `usage export`: print keys, audit entries or usage, without secrets. */
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { cellsOf, exportColumns } from '../../key-file/columns.ts';
import { csvRow } from '../../key-file/csv.ts';
import { parseId } from '../options.ts';
import { startProgress } from '../progress.ts';
import type { CliKeyFragment } from './generated/graphql.ts';
import { type Format, formats } from './import-lines.ts';
import { countKeys, exportAuditLog, exportUsage } from './operations.ts';
import { entriesPageSize, executeWithRetries, readKeys, readPages } from './service.ts';

const dayMs = 86_400_000;
/** The service limits the days of one call. The default for an export equals that of USAGE_RETENTION_DAYS. */
const maxDaysPerCall = 31;
const defaultDays = 90;

interface Options {
  readonly team: string;
  readonly format: Format;
}

export function addExportCommands(program: Command, keys: Command): void {
  addExport(keys, 'print all keys of a team, including revoked ones, oldest first; no secrets').action(
    ({ team, format }: Options) => print(readAllKeys(team), format, () => exportColumns, cellsOf),
  );

  const audit = program.command('audit').description("the team's audit trail");
  addExport(audit, 'print the audit trail of a team, newest entry first').action(({ team, format }: Options) =>
    print(readAuditLog(team), format),
  );

  const usage = program.command('usage').description("the usage of a team's keys");
  addExport(usage, "print how often a team's keys were verified, by hour and verdict, oldest first")
    .option('--days <number>', 'the number of days to export', parseDays, defaultDays)
    .action(({ team, format, days }: Options & { readonly days: number }) => print(readUsage(team, days), format));
}

function addExport(parent: Command, description: string): Command {
  return parent
    .command('export')
    .description(description)
    .requiredOption('--team <id>', 'the team', parseId)
    .addOption(new Option('--format <format>', 'the format').choices(formats).default('ndjson'));
}

function parseDays(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('Expected a number of days.');
  return Number(text);
}

async function* readAllKeys(teamId: string): AsyncIterable<CliKeyFragment> {
  const list = {
    teamId,
    filter: { state: ['ACTIVE' as const, 'EXPIRED' as const, 'DISABLED' as const, 'REVOKED' as const] },
  };
  const { keys } = await executeWithRetries(countKeys, list);
  const progress = startProgress(keys.totalCount, '{bar} {value} of {total} keys');
  let count = 0;
  try {
    const orderBy = { field: 'CREATED_AT', direction: 'ASC' } as const;
    for await (const key of readKeys(executeWithRetries, { ...list, orderBy })) {
      yield key;
      count += 1;
      progress.reach(count);
    }
  } finally {
    progress.stop();
  }
}

function readAuditLog(teamId: string) {
  return readPages(
    async (after) => (await executeWithRetries(exportAuditLog, { teamId, first: entriesPageSize, after })).auditLog,
  );
}

async function* readUsage(teamId: string, days: number) {
  const end = Date.now();
  for (let start = end - days * dayMs; start < end; start += maxDaysPerCall * dayMs) {
    const from = new Date(start).toISOString();
    const to = new Date(Math.min(start + maxDaysPerCall * dayMs, end)).toISOString();
    yield* (await executeWithRetries(exportUsage, { teamId, from, to })).teamUsage;
  }
}

/** Prints the records as fast as the reader accepts them, with one page in memory. */
async function print<T extends object>(
  records: AsyncIterable<T>,
  format: Format,
  columnsOf: (record: T) => readonly string[] = Object.keys,
  cellsOf: (record: T) => readonly string[] = (record) => Object.values(record).map(textOf),
): Promise<void> {
  const lines = async function* () {
    let isFirst = true;
    for await (const record of records) {
      if (isFirst && format === 'csv') yield csvRow(columnsOf(record));
      isFirst = false;
      yield format === 'csv' ? csvRow(cellsOf(record)) : `${JSON.stringify(record)}\n`;
    }
  };
  await pipeline(lines, process.stdout, { end: false });
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}
