/**
 * Writes any number of rows with one constant statement. The rows are one JSON parameter, which both databases can
 * expand. Prisma's createMany costs ten times as much per row and compiles a new statement for each number of rows, so
 * it took most of the time of a create request. For updates, Prisma needs one statement per row. The columns are those of
 * Prisma's model.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { settingNames, settings } from '../../domain/key/settings.ts';
import type { RotatedSecret } from '../../domain/secret/rotated-secret.ts';
import type { RateCount } from '../../wire/control-plane.ts';
import { Prisma } from '../generated/sqlite/client.ts';
import type { KeyRow } from '../rows/key-rows.ts';

export type BulkDialect = 'sqlite' | 'postgresql';

interface Table<Row> {
  readonly name: string;
  readonly columns: readonly (keyof Row & string)[];
  /** Columns that hold JSON themselves. Default: none. */
  readonly json?: readonly (keyof Row & string)[];
  /** What to do with a row that exists already. Without it, such a row is an error. */
  readonly onConflict?: string;
}

export const keyTable: Table<KeyRow> = {
  name: 'ApiKey',
  columns: Object.values(Prisma.ApiKeyScalarFieldEnum),
  // Not objects, which can be null: as text, null becomes NULL.
  json: settingNames.filter((name) => settings[name].kind === 'list'),
};

export const rotatedTable: Table<RotatedSecret> = {
  name: 'RotatedSecret',
  columns: Object.values(Prisma.RotatedSecretScalarFieldEnum),
};

export const auditTable: Table<Prisma.AuditEntryCreateManyInput> = {
  name: 'AuditEntry',
  columns: Object.values(Prisma.AuditEntryScalarFieldEnum),
  json: ['changes'],
};

export const idempotentTable: Table<Prisma.IdempotentCreateCreateManyInput> = {
  name: 'IdempotentCreate',
  columns: Object.values(Prisma.IdempotentCreateScalarFieldEnum),
  // Replaces a record that has expired but was not yet purged.
  onConflict: `("id") DO UPDATE SET
    "fingerprint" = excluded."fingerprint", "keyId" = excluded."keyId", "expiresAt" = excluded."expiresAt"`,
};

export const conflictTable: Table<Prisma.KeyConflictCreateManyInput> = {
  name: 'KeyConflict',
  columns: Object.values(Prisma.KeyConflictScalarFieldEnum),
  onConflict: 'DO NOTHING',
};

export const usageTable: Table<Prisma.KeyUsageCreateManyInput> = {
  name: 'KeyUsage',
  columns: Object.values(Prisma.KeyUsageScalarFieldEnum),
  // Instances may write out of order, so the later time wins.
  onConflict: `("keyId") DO UPDATE SET "lastUsedAt" = CASE
    WHEN excluded."lastUsedAt" > "KeyUsage"."lastUsedAt" THEN excluded."lastUsedAt" ELSE "KeyUsage"."lastUsedAt" END`,
};

/** The sum of a stored count and a new one, within the 32 bits of the column: one that is full must not stop others. */
function sum(table: string): string {
  return `CASE WHEN "${table}"."count" > 2147483647 - excluded."count" THEN 2147483647
    ELSE "${table}"."count" + excluded."count" END`;
}

export const hourTable: Table<Prisma.UsageHourCreateManyInput> = {
  name: 'UsageHour',
  columns: Object.values(Prisma.UsageHourScalarFieldEnum),
  onConflict: `("keyId", "hour", "code") DO UPDATE SET "count" = ${sum('UsageHour')}`,
};

export const secretUseTable: Table<Prisma.SecretUseCreateManyInput> = {
  name: 'SecretUse',
  columns: Object.values(Prisma.SecretUseScalarFieldEnum),
  onConflict: `("keyId", "version") DO UPDATE SET "lastUsedAt" = CASE
    WHEN "SecretUse"."lastUsedAt" > excluded."lastUsedAt" THEN "SecretUse"."lastUsedAt" ELSE excluded."lastUsedAt" END`,
};

export const secretHourTable: Table<Prisma.SecretUsageHourCreateManyInput> = {
  name: 'SecretUsageHour',
  columns: Object.values(Prisma.SecretUsageHourScalarFieldEnum),
  onConflict: `("keyId", "version", "hour", "code")
    DO UPDATE SET "count" = ${sum('SecretUsageHour')}`,
};

export const sourceTable: Table<Prisma.ObservedSourceCreateManyInput> = {
  name: 'ObservedSource',
  columns: Object.values(Prisma.ObservedSourceScalarFieldEnum),
  // Instances may write out of order, so the earlier and the later time win.
  onConflict: `("keyId", "version", "address", "code") DO UPDATE SET
    "count" = "ObservedSource"."count" + excluded."count",
    "firstAt" = CASE WHEN excluded."firstAt" < "ObservedSource"."firstAt"
      THEN excluded."firstAt" ELSE "ObservedSource"."firstAt" END,
    "lastAt" = CASE WHEN excluded."lastAt" > "ObservedSource"."lastAt"
      THEN excluded."lastAt" ELSE "ObservedSource"."lastAt" END`,
};

export const teamHourTable: Table<Prisma.TeamUsageHourCreateManyInput> = {
  name: 'TeamUsageHour',
  columns: Object.values(Prisma.TeamUsageHourScalarFieldEnum),
  onConflict: `("teamId", "hour", "code") DO UPDATE SET "count" = "TeamUsageHour"."count" + excluded."count"`,
};

export const rejectedHourTable: Table<Prisma.RejectedHourCreateManyInput> = {
  name: 'RejectedHour',
  columns: Object.values(Prisma.RejectedHourScalarFieldEnum),
  onConflict: `("teamId", "hour", "keyId", "code")
    DO UPDATE SET "count" = ${sum('RejectedHour')}`,
};

const rateCountTable: Table<RateCount> = {
  name: 'RateCount',
  columns: Object.values(Prisma.RateCountScalarFieldEnum),
  onConflict: `("keyId", "windowSeconds", "windowEnd") DO UPDATE SET "count" = ${sum('RateCount')}`,
};

/** Inserts or adds counts. Returns the counts as they are then, in any order. */
export async function addRateCounts(
  transaction: Prisma.TransactionClient,
  dialect: BulkDialect,
  counts: readonly RateCount[],
): Promise<Pick<RateCount, 'keyId' | 'count'>[]> {
  const statement = `${insertion(dialect, rateCountTable)} RETURNING "keyId", "count"`;
  return await transaction.$queryRawUnsafe(statement, recordsOf(rateCountTable, counts));
}

export async function insertRows<Row>(
  transaction: Prisma.TransactionClient,
  dialect: BulkDialect,
  table: Table<Row>,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  await nextTurn();
  await transaction.$executeRawUnsafe(insertion(dialect, table), recordsOf(table, rows));
}

/** Updates all columns of existing rows, by id. */
export async function updateRows<Row extends { id: string }>(
  transaction: Prisma.TransactionClient,
  dialect: BulkDialect,
  table: Table<Row>,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  await nextTurn();
  await transaction.$executeRawUnsafe(update(dialect, table), recordsOf(table, rows));
}

/** Returns the rows as the parameter of a statement. */
export function recordsOf<Row>({ columns }: Pick<Table<Row>, 'columns'>, rows: readonly Row[]): string {
  return JSON.stringify(rows.map((row) => Object.fromEntries(columns.map((column) => [column, stored(row[column])]))));
}

// The statements consist only of the names above. Every value is in the parameter.

function insertion<Row>(dialect: BulkDialect, { name, columns, json = [], onConflict }: Table<Row>): string {
  const names = columns.map((column) => `"${column}"`).join(', ');
  // Without WHERE, SQLite parses ON CONFLICT as the ON of a join.
  const conflict = onConflict === undefined ? '' : ` WHERE true ON CONFLICT ${onConflict}`;
  if (dialect === 'postgresql') {
    const records = `jsonb_populate_recordset(NULL::"${name}", $1::jsonb)`;
    return `INSERT INTO "${name}" (${names}) SELECT ${names} FROM ${records}${conflict}`;
  }
  const values = columns.map((column) => sqliteValue(column, json)).join(', ');
  return `INSERT INTO "${name}" (${names}) SELECT ${values} FROM json_each(?)${conflict}`;
}

function update<Row>(dialect: BulkDialect, { name, columns, json = [] }: Table<Row>): string {
  const changing = columns.filter((column) => column !== 'id');
  if (dialect === 'postgresql') {
    const values = changing.map((column) => `"${column}" = r."${column}"`).join(', ');
    return `UPDATE "${name}" k SET ${values} FROM jsonb_populate_recordset(NULL::"${name}", $1::jsonb) r WHERE k."id" = r."id"`;
  }
  const values = changing.map((column) => `"${column}" = ${sqliteValue(column, json)}`).join(', ');
  return `UPDATE "${name}" SET ${values} FROM json_each(?) WHERE "${name}"."id" = value ->> '$.id'`;
}

/** The SQL expression for one column of a JSON row on SQLite. */
function sqliteValue(column: string, json: readonly string[]): string {
  return `value ${json.includes(column) ? '->' : '->>'} '$.${column}'`;
}

/**
 * Formats a date as the database stores it. SQLite compares dates as text, so SQL of our own must write exactly what
 * Prisma writes. test/store/stored-date.test.ts compares both.
 */
export function storedDate(date: Date): string {
  return date.toISOString().replace('Z', '+00:00');
}

function stored(value: unknown): unknown {
  if (value instanceof Date) return storedDate(value);
  // Revisions stay far below 2^53.
  return typeof value === 'bigint' ? Number(value) : value;
}
