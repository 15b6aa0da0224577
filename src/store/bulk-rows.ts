/**
 * Writes any number of rows with one statement, whose text does not depend on how many they are: the rows travel as
 * one JSON parameter, which both databases can unfold. Prisma's createMany costs ten times as much a row, and compiles
 * anew for each number of rows; with it, a create took longer than all the rest of its request. For updates of several
 * rows Prisma has a statement for each.
 */
import type { Prisma } from './generated/sqlite/client.ts';

export type BulkDialect = 'sqlite' | 'postgresql';

interface Table<Row> {
  readonly name: string;
  readonly columns: readonly (keyof Row & string)[];
  /** Columns that hold JSON themselves. */
  readonly json: readonly (keyof Row & string)[];
  /** What becomes of a row that is there already; it is an error when absent. */
  readonly onConflict?: string;
}

export const keyTable: Table<Prisma.ApiKeyCreateManyInput> = {
  name: 'ApiKey',
  columns: [
    'id',
    'teamId',
    'name',
    'env',
    'prefix',
    'digest',
    'pepperId',
    'allowedIps',
    'expiresAt',
    'createdAt',
    'revokedAt',
    'signingEnvelope',
    'signingVersion',
    'searchText',
    'revision',
    'importRevision',
  ],
  json: ['allowedIps'],
};

export const auditTable: Table<Prisma.AuditEntryCreateManyInput> = {
  name: 'AuditEntry',
  columns: ['revision', 'action', 'keyId', 'teamId', 'actor', 'actorKind', 'source', 'requestId', 'at', 'changes'],
  json: ['changes'],
};

export const idempotentTable: Table<Prisma.IdempotentCreateCreateManyInput> = {
  name: 'IdempotentCreate',
  columns: ['id', 'fingerprint', 'keyId', 'expiresAt'],
  json: [],
  // One that has expired and is still there.
  onConflict: `("id") DO UPDATE SET
    "fingerprint" = excluded."fingerprint", "keyId" = excluded."keyId", "expiresAt" = excluded."expiresAt"`,
};

export const conflictTable: Table<Prisma.KeyConflictCreateManyInput> = {
  name: 'KeyConflict',
  columns: ['keyId', 'otherKeyId', 'seenAt'],
  json: [],
  onConflict: 'DO NOTHING',
};

export const usageTable: Table<Prisma.KeyUsageCreateManyInput> = {
  name: 'KeyUsage',
  columns: ['keyId', 'lastUsedAt'],
  json: [],
  // Two instances may write in another order than they saw the key used.
  onConflict: `("keyId") DO UPDATE SET "lastUsedAt" = CASE
    WHEN excluded."lastUsedAt" > "KeyUsage"."lastUsedAt" THEN excluded."lastUsedAt" ELSE "KeyUsage"."lastUsedAt" END`,
};

export const hourTable: Table<Prisma.UsageHourCreateManyInput> = {
  name: 'UsageHour',
  columns: ['keyId', 'hour', 'code', 'count'],
  json: [],
  onConflict: `("keyId", "hour", "code") DO UPDATE SET "count" = "UsageHour"."count" + excluded."count"`,
};

export const teamHourTable: Table<Prisma.TeamUsageHourCreateManyInput> = {
  name: 'TeamUsageHour',
  columns: ['teamId', 'hour', 'code', 'count'],
  json: [],
  onConflict: `("teamId", "hour", "code") DO UPDATE SET "count" = "TeamUsageHour"."count" + excluded."count"`,
};

export async function insertRows<Row>(
  transaction: Prisma.TransactionClient,
  dialect: BulkDialect,
  table: Table<Row>,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length > 0) await transaction.$executeRawUnsafe(insertion(dialect, table), recordsOf(table, rows));
}

/** Sets all columns of rows that are there, by their id. */
export async function updateRows<Row extends { id: string }>(
  transaction: Prisma.TransactionClient,
  dialect: BulkDialect,
  table: Table<Row>,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length > 0) await transaction.$executeRawUnsafe(update(dialect, table), recordsOf(table, rows));
}

function recordsOf<Row>({ columns }: Table<Row>, rows: readonly Row[]): string {
  return JSON.stringify(rows.map((row) => Object.fromEntries(columns.map((column) => [column, stored(row[column])]))));
}

// The statements are made of the names above alone; every value is in the parameter.

function insertion<Row>(dialect: BulkDialect, { name, columns, json, onConflict }: Table<Row>): string {
  const names = columns.map((column) => `"${column}"`).join(', ');
  // SQLite can't tell an ON CONFLICT from a join's ON unless a WHERE stands before it.
  const conflict = onConflict === undefined ? '' : ` WHERE true ON CONFLICT ${onConflict}`;
  if (dialect === 'postgresql') {
    const records = `jsonb_populate_recordset(NULL::"${name}", $1::jsonb)`;
    return `INSERT INTO "${name}" (${names}) SELECT ${names} FROM ${records}${conflict}`;
  }
  const values = columns.map((column) => sqliteValue(column, json)).join(', ');
  return `INSERT INTO "${name}" (${names}) SELECT ${values} FROM json_each(?)${conflict}`;
}

function update<Row>(dialect: BulkDialect, { name, columns, json }: Table<Row>): string {
  const changing = columns.filter((column) => column !== 'id');
  if (dialect === 'postgresql') {
    const values = changing.map((column) => `"${column}" = r."${column}"`).join(', ');
    return `UPDATE "${name}" k SET ${values} FROM jsonb_populate_recordset(NULL::"${name}", $1::jsonb) r WHERE k."id" = r."id"`;
  }
  const values = changing.map((column) => `"${column}" = ${sqliteValue(column, json)}`).join(', ');
  return `UPDATE "${name}" SET ${values} FROM json_each(?) WHERE "${name}"."id" = value ->> '$.id'`;
}

/** Of a row, on SQLite. */
function sqliteValue(column: string, json: readonly string[]): string {
  return `value ${json.includes(column) ? '->' : '->>'} '$.${column}'`;
}

function stored(value: unknown): unknown {
  // SQLite compares dates as text, and this is how Prisma writes them.
  if (value instanceof Date) return value.toISOString().replace('Z', '+00:00');
  // Revisions stay far below 2^53.
  return typeof value === 'bigint' ? Number(value) : value;
}
