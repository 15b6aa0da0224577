/**
 * Any number of rows or texts as one parameter of a statement: a JSON array, which SQL reads as a table. So the statement
 * is constant, and both databases keep its plan.
 */
import { raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { DatabaseProvider } from '../lib/database-address.ts';

export type Column<Row> = keyof Row & string;

/** Columns of a table, from which PostgreSQL takes their types. */
export interface TableColumns<Row> {
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  /** Columns whose values are JSON. Default: no columns. */
  readonly json?: readonly Column<Row>[];
}

/** Columns that no table has, with their types on PostgreSQL. */
export type TypedColumns<Row> = Readonly<
  Record<Column<Row>, 'text' | 'integer' | 'bigint' | 'boolean' | 'timestamp(3)'>
>;

/** Returns SQL for a list of texts, such as `IN` takes it. */
export function textsIn(provider: DatabaseProvider, texts: readonly string[]): Sql {
  const json = JSON.stringify(texts);
  return provider === 'postgresql'
    ? sql`SELECT jsonb_array_elements_text(${json}::jsonb)`
    : sql`SELECT value FROM json_each(${json})`;
}

/** Returns SQL for a table with these columns of the rows. */
export function tableOf<Row>(provider: DatabaseProvider, of: TableColumns<Row>, rows: readonly Row[]): Sql {
  const { name, columns, json = [] } = of;
  if (provider === 'sqlite') return sqliteTable(columns, json, rows);
  return sql`jsonb_populate_recordset(${raw(`NULL::"${name}"`)}, ${objectsOf(columns, rows)}::jsonb)`;
}

/** Like `tableOf`, with columns that no table has. */
export function typedTableOf<Row>(provider: DatabaseProvider, types: TypedColumns<Row>, rows: readonly Row[]): Sql {
  const columns = Object.keys(types) as Column<Row>[];
  if (provider === 'sqlite') return sqliteTable(columns, [], rows);
  const typed = raw(columns.map((column) => `"${column}" ${types[column]}`).join(', '));
  return sql`(SELECT * FROM jsonb_to_recordset(${objectsOf(columns, rows)}::jsonb) AS typed(${typed}))`;
}

/** Rows are arrays, because SQLite finds an element by its index faster than by its name. */
function sqliteTable<Row>(columns: readonly Column<Row>[], json: readonly Column<Row>[], rows: readonly Row[]): Sql {
  const values = columns.map((column, i) => `value ${json.includes(column) ? '->' : '->>'} ${i} AS "${column}"`);
  const arrays = rows.map((row) => columns.map((column) => stored(row[column])));
  return sql`(SELECT ${raw(values.join(', '))} FROM json_each(${storableJson(arrays)}))`;
}

function objectsOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return storableJson(rows.map((row) => Object.fromEntries(columns.map((column) => [column, stored(row[column])]))));
}

/** Returns whether no text of the row contains what `storableJson` may have to replace. */
export function isStorable(row: unknown): boolean {
  return !escaped.test(JSON.stringify(row, (_, value) => stored(value)));
}

const escaped = /\\u(?:0000|d)/;

/**
 * Replaces null characters and lone surrogates. PostgreSQL rejects a statement that contains one, and with it the rows of
 * all teams in the transaction. `JSON.stringify` escapes them, in lower case.
 */
function storableJson(records: readonly unknown[]): string {
  const json = JSON.stringify(records);
  if (!escaped.test(json)) return json;
  // Takes each escape as a whole, so that an escaped backslash does not look like the start of another one.
  return json.replace(/\\(?:u[0-9a-f]{4}|.)/g, (one) => (/^\\u(?:0000|d)/.test(one) ? '\\ufffd' : one));
}

/** Returns a date as Prisma writes it, because SQLite compares dates as text. See test/store/stored-date.test.ts. */
export function storedDate(date: Date): string {
  return date.toISOString().replace('Z', '+00:00');
}

function stored(value: unknown): unknown {
  if (value instanceof Date) return storedDate(value);
  // Revisions stay far below 2^53.
  return typeof value === 'bigint' ? Number(value) : value;
}

/** SQLite knows the length of a long list without reading it. */
export function isEmptyList(provider: DatabaseProvider, column: 'allowedIps'): Sql {
  return raw(provider === 'postgresql' ? `(k."${column}" = '[]'::jsonb)` : `(octet_length(k."${column}") <= 2)`);
}
