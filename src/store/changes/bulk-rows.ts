/**
 * Writes any number of rows with one constant statement. Prisma's createMany compiles a plan each time, and a statement for
 * each number of rows. Prisma updates rows one by one. written-rows.ts has the figures.
 */
import { raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import { settingNames, settings } from '../../domain/key/settings.ts';
import type { RotatedSecret } from '../../domain/secret/rotated-secret.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import { nextTurn, type Scheduler, systemScheduler } from '../../lib/scheduler.ts';
import type { RateCount } from '../../wire/control-plane.ts';
import { Prisma } from '../generated/sqlite/client.ts';
import { type Column, type TableColumns, tableOf } from '../json-rows.ts';
import type { KeyRow } from '../rows/key-rows.ts';

interface TableOptions<Row> extends Pick<TableColumns<Row>, 'json'> {
  /** The unique columns that identify an existing row. Without `unique`, an existing row is an error. */
  readonly unique?: readonly Column<Row>[];
  /** How the columns of an existing row change. Columns without an entry stay the same. */
  readonly merge?: Readonly<Partial<Record<Column<Row>, Merge>>>;
}

interface Table<Row> extends TableOptions<Row>, TableColumns<Row> {}

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

export const sourceDayTable = table<Prisma.SourceDayCreateManyInput>('SourceDay', Prisma.SourceDayScalarFieldEnum, {
  unique: ['teamId', 'address', 'day', 'keyId'],
  merge: { accepted: 'sum32', rejected: 'sum32', firstAt: 'earliest', lastAt: 'latest' },
});

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

export const derivedUseTable = table<Prisma.DerivedUseCreateManyInput>('DerivedUse', Prisma.DerivedUseScalarFieldEnum, {
  unique: ['keyId', 'label'],
  merge: { count: 'sum', lastUsedAt: 'latest' },
});

export const answeredTable = table<Prisma.AnsweredChangeCreateManyInput>(
  'AnsweredChange',
  Prisma.AnsweredChangeScalarFieldEnum,
  { unique: ['revision'], merge: { answeredAt: 'replace' } },
);

export const verifierTable = table<Prisma.VerifierCreateManyInput>('Verifier', Prisma.VerifierScalarFieldEnum, {
  unique: ['id'],
  merge: { kind: 'replace', revision: 'replace', confirmedAt: 'replace', seenAt: 'replace' },
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
    await this.execute(into, rows, (table) => insertion(into, table));
  }

  /** Inserts or merges rows, and returns columns of the resulting rows, in any order. */
  async insertReturning<Row, Name extends Column<Row>>(into: Table<Row>, rows: readonly Row[], names: readonly Name[]) {
    const table = tableOf(this.provider, into, rows);
    return await this.transaction.$queryRaw<
      Pick<Row, Name>[]
    >`${insertion(into, table)} RETURNING ${raw(quoted(names))}`;
  }

  async update<Row extends { id: string }>(updated: Table<Row>, rows: readonly Row[]): Promise<void> {
    const values = updated.columns.filter((column) => column !== 'id').map((column) => `"${column}" = r."${column}"`);
    const update = raw(`UPDATE "${updated.name}" AS k SET ${values.join(', ')}`);
    await this.execute(updated, rows, (table) => sql`${update} FROM ${table} AS r WHERE k."id" = r."id"`);
  }

  /** Executes a statement that reads the rows as a table, if there are any. */
  async execute<Row>(of: TableColumns<Row>, rows: readonly Row[], statement: (table: Sql) => Sql): Promise<void> {
    if (rows.length === 0) return;
    await nextTurn(this.scheduler);
    await this.transaction.$executeRaw(statement(tableOf(this.provider, of, rows)));
  }
}

/** Returns SQL that inserts or merges the rows of a table `r`, if they meet a condition. */
export function insertion<Row>(into: Table<Row>, table: Sql, condition = sql`true`): Sql {
  const names = quoted(into.columns);
  // Without WHERE, SQLite parses ON CONFLICT as the ON of a join.
  return sql`${raw(`INSERT INTO "${into.name}" (${names}) SELECT ${names}`)} FROM ${table} AS r
    WHERE ${condition} ${onConflict(into)}`;
}

// Statements contain only the names above. All values are in the parameter.

export function onConflict<Row>({ name, columns, unique, merge }: Table<Row>): Sql {
  if (unique === undefined) return sql``;
  const changes = columns.flatMap((column) => {
    const how = merge?.[column];
    return how === undefined ? [] : [`"${column}" = ${merges[how](`"${name}"."${column}"`, `excluded."${column}"`)}`];
  });
  const action = changes.length === 0 ? 'NOTHING' : `UPDATE SET ${changes.join(', ')}`;
  return raw(`ON CONFLICT (${quoted(unique)}) DO ${action}`);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
