/** `latchkey keys export`, `audit export`, `usage export`: print keys, audit entries or usage, without secrets. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { dayMs } from '../../domain/moment.ts';
import { usagePeriods } from '../../domain/usage-periods.ts';
import { cellsOf, exportColumns } from '../../key-file/columns.ts';
import { byteOrderMark, csvRow } from '../../key-file/csv.ts';
import { teamOf } from '../login/team.ts';
import { addTeamOption, limitOption, type TeamOption } from '../options.ts';
import { print } from '../print.ts';
import { startProgress } from '../progress.ts';
import type { CliKeyFragment } from '../service/generated/graphql.ts';
import { countKeys, exportAuditLog, exportUsage } from '../service/operations.ts';
import { allStates, entriesPageSize, executeWithRetries, readKeys, readPages } from '../service/service.ts';
import { type Format, formats } from './import-lines.ts';

/** The default of USAGE_RETENTION_DAYS. */
const defaultDays = 90;

interface Options extends TeamOption {
  readonly format: Format;
  readonly limit?: number;
}

export function addExportCommands(program: Command, keys: Command): void {
  addExport(keys, 'print all keys of a team, including revoked ones, oldest first; no secrets').action(
    async ({ team, ...options }: Options) =>
      printRecords(readAllKeys(await teamOf(team)), options, () => exportColumns, cellsOf),
  );

  const audit = program.command('audit').description("the team's audit trail");
  addExport(audit, 'print the audit trail of a team, newest entry first').action(
    async ({ team, ...options }: Options) => printRecords(readAuditLog(await teamOf(team)), options),
  );

  const usage = program.command('usage').description("the usage of a team's keys");
  addExport(usage, "print how often a team's keys were verified, by hour and verdict, oldest first")
    .option('--days <number>', 'the number of days to export', parseDays, defaultDays)
    .action(async ({ team, days, ...options }: Options & { readonly days: number }) =>
      printRecords(readUsage(await teamOf(team), days), options),
    );
}

function addExport(parent: Command, description: string): Command {
  return addTeamOption(parent.command('export').description(description), 'the team')
    .addOption(limitOption())
    .addOption(new Option('--format <format>', 'the format').choices(formats).default('ndjson'));
}

function parseDays(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('Expected a number of days.');
  return Number(text);
}

async function* readAllKeys(teamId: string): AsyncIterable<CliKeyFragment> {
  const list = {
    teamId,
    filter: { state: [...allStates] },
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
  const now = new Date();
  for (const { from, to } of usagePeriods(new Date(now.getTime() - days * dayMs), now)) {
    const period = { from: from.toISOString(), to: to.toISOString() };
    yield* (await executeWithRetries(exportUsage, { teamId, ...period })).teamUsage;
  }
}

/** Prints the records as fast as the reader accepts them, with one page in memory. */
async function printRecords<T extends object>(
  records: AsyncIterable<T>,
  { format, limit = Number.POSITIVE_INFINITY }: Omit<Options, 'team'>,
  columnsOf: (record: T) => readonly string[] = Object.keys,
  cellsOf: (record: T) => readonly string[] = (record) => Object.values(record).map(textOf),
): Promise<void> {
  let count = 0;
  for await (const record of records) {
    if (count === 0 && format === 'csv') await print(byteOrderMark + csvRow(columnsOf(record)));
    count += 1;
    await print(format === 'csv' ? csvRow(cellsOf(record)) : `${JSON.stringify(record)}\n`);
    if (count === limit) break;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}
