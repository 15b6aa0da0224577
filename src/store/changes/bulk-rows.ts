/**
 * Writes any number of rows with one constant statement, whose only parameter is the rows as JSON. Prisma's createMany
 * compiles a plan each time, and a statement for each number of rows. Prisma updates rows one by one. written-rows.ts
 * has the figures.
 */
import { settingNames, settings } from '../../domain/key/settings.ts';
import type { RotatedSecret } from '../../domain/secret/rotated-secret.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import { nextTurn, type Scheduler, systemScheduler } from '../../lib/scheduler.ts';
import type { RateCount } from '../../wire/control-plane.ts';
import { Prisma } from '../generated/sqlite/client.ts';
import type { KeyRow } from '../rows/key-rows.ts';

type Column<Row> = keyof Row & string;

interface TableOptions<Row> {
  /** Columns whose values are JSON. Default: no columns. */
  readonly json?: readonly Column<Row>[];
  /** The unique columns that identify an existing row. Without `unique`, an existing row is an error. */
  readonly unique?: readonly Column<Row>[];
  /** How the columns of an existing row change. Columns without an entry stay the same. */
  readonly merge?: Readonly<Partial<Record<Column<Row>, Merge>>>;
}

interface Table<Row> extends TableOptions<Row> {
  readonly name: string;
  readonly columns: readonly Column<Row>[];
}

/** How a new value changes the stored value. Instances write in any order, so `earliest` and `latest` compare times. */
type Merge = 'replace' | 'sum' | 'sum32' | 'earliest' | 'latest';

const merges: Readonly<Record<Merge, (stored: string, added: string) => string>> = {
  replace: (_, added) => added,
  sum: (stored, added) => `${stored} + ${added}`,
  // Stays within the 32 bits of the column, because an overflow would make the statement fail for all rows.
  sum32: (stored, added) => `CASE WHEN ${stored} > 2147483647 - ${added} THEN 2147483647 ELSE ${stored} + ${added} END`,
  earliest: (stored, added) => `CASE WHEN ${stored} < ${added} THEN ${stored} ELSE ${added} END`,
  latest: (stored, added) => `CASE WHEN ${stored} > ${added} THEN ${stored} ELSE ${added} END`,
};

function table<Row>(
  name: string,
  columns: Readonly<Record<string, Column<Row>>>,
  options: TableOptions<Row> = {},
): Table<Row> {
  return { name, columns: Object.values(columns), ...options };
}

export const keyTable = table<KeyRow>('ApiKey', Prisma.ApiKeyScalarFieldEnum, {
  // Objects can be null, so they are read as text: a JSON null becomes NULL.
  json: settingNames.filter((name) => settings[name].kind === 'list'),
});

export const rotatedTable = table<RotatedSecret>('RotatedSecret', Prisma.RotatedSecretScalarFieldEnum);

export const auditTable = table<Prisma.AuditEntryCreateManyInput>('AuditEntry', Prisma.AuditEntryScalarFieldEnum, {
  // Details can be null, so they are read as text: a JSON null becomes NULL.
  json: ['changes'],
});

export const exposureTable = table<Prisma.ExposureCreateManyInput>('Exposure', Prisma.ExposureScalarFieldEnum);

export const idempotentTable = table<Prisma.IdempotentCreateCreateManyInput>(
  'IdempotentCreate',
  Prisma.IdempotentCreateScalarFieldEnum,
  // Replaces a record that has expired but was not yet purged.
  {
    unique: ['id'],
    merge: { fingerprint: 'replace', canonicalFingerprint: 'replace', keyId: 'replace', expiresAt: 'replace' },
  },
);

export const usageTable = table<Prisma.KeyUsageCreateManyInput>('KeyUsage', Prisma.KeyUsageScalarFieldEnum, {
  unique: ['keyId'],
  merge: { lastUsedAt: 'latest' },
});

export const hourTable = table<Prisma.UsageHourCreateManyInput>('UsageHour', Prisma.UsageHourScalarFieldEnum, {
  unique: ['keyId', 'hour', 'code'],
  merge: { count: 'sum32' },
});

export const dayTable = table<Prisma.UsageDayCreateManyInput>('UsageDay', Prisma.UsageDayScalarFieldEnum, {
  unique: ['keyId', 'day'],
  merge: { count: 'sum' },
});

export const secretUseTable = table<Prisma.SecretUseCreateManyInput>('SecretUse', Prisma.SecretUseScalarFieldEnum, {
  unique: ['keyId', 'version'],
  merge: { lastUsedAt: 'latest' },
});

export const secretHourTable = table<Prisma.SecretUsageHourCreateManyInput>(
  'SecretUsageHour',
  Prisma.SecretUsageHourScalarFieldEnum,
  { unique: ['keyId', 'version', 'hour', 'code'], merge: { count: 'sum32' } },
);

export const sourceTable = table<Prisma.ObservedSourceCreateManyInput>(
  'ObservedSource',
  Prisma.ObservedSourceScalarFieldEnum,
  {
    unique: ['keyId', 'version', 'address', 'code'],
    merge: { count: 'sum', firstAt: 'earliest', lastAt: 'latest' },
  },
);

export const teamHourTable = table<Prisma.TeamUsageHourCreateManyInput>(
  'TeamUsageHour',
  Prisma.TeamUsageHourScalarFieldEnum,
  { unique: ['teamId', 'hour', 'code'], merge: { count: 'sum' } },
);

export const rejectedHourTable = table<Prisma.RejectedHourCreateManyInput>(
  'RejectedHour',
  Prisma.RejectedHourScalarFieldEnum,
  { unique: ['teamId', 'hour', 'keyId', 'code'], merge: { count: 'sum32' } },
);

export const rateCountTable = table<RateCount>('RateCount', Prisma.RateCountScalarFieldEnum, {
  unique: ['keyId', 'windowSeconds', 'windowEnd'],
  merge: { count: 'sum32' },
});

export const deliveryTable = table<Prisma.DeliveryCreateManyInput>('Delivery', Prisma.DeliveryScalarFieldEnum, {
  unique: ['webhookId', 'revision'],
  merge: {
    outcome: 'replace',
    attempts: 'replace',
    status: 'replace',
    error: 'replace',
    durationMs: 'replace',
    responseBody: 'replace',
    createdAt: 'replace',
    attemptedAt: 'replace',
    nextAttemptAt: 'replace',
  },
});

export class BulkRows {
  readonly transaction: Prisma.TransactionClient;
  readonly provider: DatabaseProvider;
  readonly scheduler: Scheduler;

  constructor(
    transaction: Prisma.TransactionClient,
    provider: DatabaseProvider,
    scheduler: Scheduler = systemScheduler,
  ) {
    this.transaction = transaction;
    this.provider = provider;
    this.scheduler = scheduler;
  }

  async insert<Row>(into: Table<Row>, rows: readonly Row[]): Promise<void> {
    await this.execute(this.#insertion(into), into, rows);
  }

  /** Inserts or merges rows, and returns columns of the resulting rows, in any order. */
  async insertReturning<Row, Name extends Column<Row>>(into: Table<Row>, rows: readonly Row[], names: readonly Name[]) {
    const statement = `${this.#insertion(into)} RETURNING ${quoted(names)}`;
    return await this.transaction.$queryRawUnsafe<Pick<Row, Name>[]>(statement, recordsOf(this.provider, into, rows));
  }

  async update<Row extends { id: string }>(updated: Table<Row>, rows: readonly Row[]): Promise<void> {
    const values = updated.columns.filter((column) => column !== 'id').map((column) => `"${column}" = r."${column}"`);
    const records = recordset(this.provider, updated);
    const statement = `UPDATE "${updated.name}" AS k SET ${values.join(', ')} FROM ${records} AS r WHERE k."id" = r."id"`;
    await this.execute(statement, updated, rows);
  }

  /** Executes a statement that reads rows from a `recordset` with the same columns. */
  async execute<Row>(statement: string, { columns }: Pick<Table<Row>, 'columns'>, rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    await nextTurn(this.scheduler);
    await this.transaction.$executeRawUnsafe(statement, recordsOf(this.provider, { columns }, rows));
  }

  #insertion<Row>(into: Table<Row>): string {
    const names = quoted(into.columns);
    const rows = `SELECT ${names} FROM ${recordset(this.provider, into)} AS r`;
    // Without WHERE, SQLite parses ON CONFLICT as the ON of a join.
    return `INSERT INTO "${into.name}" (${names}) ${rows} WHERE true ${onConflict(into)}`;
  }
}

// Statements contain only the names above. All values are in the parameter.

export function onConflict<Row>({ name, columns, unique, merge }: Table<Row>): string {
  if (unique === undefined) return '';
  const changes = columns.flatMap((column) => {
    const how = merge?.[column];
    return how === undefined ? [] : [`"${column}" = ${merges[how](`"${name}"."${column}"`, `excluded."${column}"`)}`];
  });
  const action = changes.length === 0 ? 'NOTHING' : `UPDATE SET ${changes.join(', ')}`;
  return `ON CONFLICT (${quoted(unique)}) DO ${action}`;
}

/** Returns SQL that turns a statement's only parameter, the `recordsOf` these columns, into a table. */
export function recordset<Row>(provider: DatabaseProvider, { name, columns, json = [] }: Table<Row>): string {
  if (provider === 'postgresql') return `jsonb_populate_recordset(NULL::"${name}", $1::jsonb)`;
  const values = columns.map((column, i) => `value ${json.includes(column) ? '->' : '->>'} ${i} AS "${column}"`);
  return `(SELECT ${values.join(', ')} FROM json_each(?))`;
}

/** SQL that turns a statement's only parameter, a JSON array of texts, into a list. */
export const listParameter: Readonly<Record<DatabaseProvider, string>> = {
  sqlite: 'SELECT value FROM json_each(?)',
  postgresql: 'SELECT jsonb_array_elements_text($1::jsonb)',
};

/** Returns rows as a JSON array: of arrays for SQLite, which finds an element by its index faster than by its name. */
export function recordsOf<Row>(
  provider: DatabaseProvider,
  { columns }: Pick<Table<Row>, 'columns'>,
  rows: readonly Row[],
): string {
  const records = rows.map((row) =>
    provider === 'sqlite'
      ? columns.map((column) => stored(row[column]))
      : Object.fromEntries(columns.map((column) => [column, stored(row[column])])),
  );
  return withoutUnstorable(JSON.stringify(records));
}

/** Returns whether no text of the row contains what `withoutUnstorable` may have to replace. */
export function isStorable(row: unknown): boolean {
  return !escaped.test(JSON.stringify(row, (_, value) => stored(value)));
}

const escaped = /\\u(?:0000|d)/;

/**
 * Replaces null characters and lone surrogates. PostgreSQL rejects a statement that contains one, and with it the rows of
 * all teams in the transaction. `JSON.stringify` escapes them, in lower case.
 */
function withoutUnstorable(json: string): string {
  if (!escaped.test(json)) return json;
  // Takes each escape as a whole, so that an escaped backslash does not look like the start of another one.
  return json.replace(/\\(?:u[0-9a-f]{4}|.)/g, (one) => (/^\\u(?:0000|d)/.test(one) ? '\\ufffd' : one));
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
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
