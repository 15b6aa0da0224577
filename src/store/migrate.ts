/**
 * Applies all pending migrations in one transaction, under a lock: a killed process leaves no partial migration, and a
 * second process waits. Prisma's engine records "started" separately, so that a kill would require a repair by hand.
 */
import { randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import type { DatabaseAddress, DatabaseProvider } from '../lib/database-address.ts';
import { pause, systemScheduler } from '../lib/scheduler.ts';
import { prepareSqliteFile } from './database.ts';
import { type Migration, readMigrations } from './migrations.ts';
import { versionProblem } from './postgres-problem.ts';
import { checkServer, prepareSession, transactionSettingsSql } from './postgres-session.ts';
import {
  firstImportsMigration,
  rejectSharedDigests,
  type SharedDigest,
  selectSharedDigests,
} from './shared-digests.ts';

interface AppliedMigration {
  readonly migration_name: string;
  readonly checksum: string;
}

export async function migrate(address: DatabaseAddress): Promise<void> {
  if (address.provider === 'sqlite') migrateSqlite(address.file);
  else await migratePostgres(address.url);
}

/** Returns the pending migrations of a SQLite database, without applying them. Throws the same errors as `migrate`. */
export function pendingOfSqlite(sqlite: Sqlite.Database): string[] {
  const applied = sqlite.prepare<[], AppliedMigration>(selectApplied).all();
  return pendingOf('sqlite', applied).map(({ name }) => name);
}

/** Returns the pending migrations. Throws if a newer version migrated the database, or if a migration was changed. */
function pendingOf(provider: DatabaseProvider, applied: readonly AppliedMigration[]): Migration[] {
  const { migrations, before } = readMigrations(provider);
  const names = new Set(migrations.map(({ name }) => name));
  const older = applied.every(({ migration_name }) => names.has(migration_name)) ? [] : before();
  const known = new Map([...older, ...migrations].map(({ name, checksum }) => [name, checksum]));
  for (const { migration_name: name, checksum } of applied) {
    if (!known.has(name))
      throw new Error(
        `the database has the migration ${name}, which this version does not know: start the newer version`,
      );
    if (known.get(name) !== checksum) throw new Error(`the migration ${name} was changed after it had been applied`);
  }
  const [init, ...later] = migrations;
  if (init === undefined) throw new Error('this version has no migrations');
  // The older migrations lead to what `init` creates, so there it is only recorded.
  const ordered = [...older, older.length === 0 ? init : { ...init, sql: '' }, ...later];
  const done = new Set(applied.map(({ migration_name }) => migration_name));
  return ordered.filter(({ name }) => !done.has(name));
}

function migrateSqlite(file: string): void {
  prepareSqliteFile(file);
  // A second process waits while the first migrates, which takes long if the database is large.
  const sqlite = new Sqlite(file, { timeout: 600_000 });
  try {
    if (pendingOf('sqlite', appliedOfSqlite(sqlite)).length === 0) return;
    sqlite
      .transaction(() => {
        sqlite.exec(createTable('DATETIME'));
        const insert = sqlite.prepare(insertApplied.replace(/\$\d/g, '?'));
        for (const { name, sql, checksum } of pendingOf('sqlite', appliedOfSqlite(sqlite))) {
          if (name === firstImportsMigration)
            rejectSharedDigests(sqlite.prepare<[], SharedDigest>(selectSharedDigests).all());
          sqlite.exec(sql);
          insert.run(randomUUID(), checksum, name, Date.now(), Date.now());
        }
      })
      .immediate();
  } finally {
    sqlite.close();
  }
}

async function migratePostgres(url: string): Promise<void> {
  await withClient(url, async (client) => {
    if (pendingOf('postgresql', await appliedOfPostgres(client)).length === 0) return;
    while (!(await applyUnlessLocked(client))) await pause(systemScheduler, lockPauseMs);
  });
}

/**
 * How long a migration waits for a table, which a backup may read for hours. Everyone else's reads of the table wait behind
 * it, and those of running instances time out after a second.
 */
const lockMs = 500;
const lockPauseMs = 2000;
const lockNotAvailable = '55P03';
/** Migrations of a large database take long. */
const unlimited = { statementMs: 0, idleInTransactionMs: 0 } as const;

/** Returns whether the migrations were applied. Otherwise, another transaction used a table for too long. */
async function applyUnlessLocked(client: pg.Client): Promise<boolean> {
  await client.query('BEGIN');
  try {
    await client.query(transactionSettingsSql(unlimited));
    // The lock ends with the transaction, even if this process dies. Prisma uses the same number for migrations.
    await client.query('SELECT pg_advisory_xact_lock(72707369)');
    await client.query(`SET LOCAL lock_timeout = ${lockMs}`);
    await client.query(createTable('TIMESTAMPTZ'));
    for (const { name, sql, checksum } of pendingOf('postgresql', await appliedOfPostgres(client))) {
      if (name === firstImportsMigration) {
        rejectSharedDigests((await client.query<SharedDigest>(selectSharedDigests)).rows);
      }
      await client.query(sql);
      await client.query(insertApplied, [randomUUID(), checksum, name, new Date(), new Date()]);
    }
    await client.query('COMMIT');
    return true;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== lockNotAvailable) throw error;
    await client.query('ROLLBACK');
    return false;
  }
}

async function appliedOfPostgres(client: pg.Client): Promise<readonly AppliedMigration[]> {
  const { rows } = await client.query<{ known: string | null }>(`SELECT to_regclass('_prisma_migrations') AS known`);
  return rows[0]?.known == null ? [] : (await client.query<AppliedMigration>(selectApplied)).rows;
}

/** Runs on a connection to a server that can be used. Throws UnusableServerError for others. */
async function withClient<T>(url: string, run: (client: pg.Client) => Promise<T>, queryMs = 0): Promise<T> {
  return await withConnection(url, queryMs, async (client) => {
    await checkServer(client);
    return await run(client);
  });
}

async function withConnection<T>(url: string, queryMs: number, run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    query_timeout: queryMs,
    application_name: 'latchkey migrations',
  });
  // Ignored, because queries reject too. Without a listener, an error event would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await prepareSession(client, { ...unlimited, statementMs: queryMs });
    return await run(client);
  } finally {
    // Also rolls back an uncommitted transaction. After a failed sign-in, closes the connection, which may still be open.
    await client.end();
  }
}

export interface DatabaseState {
  /** Whether no migration was ever applied. */
  readonly isNew: boolean;
  readonly pending: readonly string[];
  /** A warning about the version of the server; null if there is none. */
  readonly version: string | null;
}

const inspectionMs = 10_000;

/** Inspects an existing database without changing it. Throws the errors of `migrate`. */
export async function inspectDatabase(address: DatabaseAddress): Promise<DatabaseState> {
  const stateOf = (applied: readonly AppliedMigration[], version: string | null) => {
    return {
      isNew: applied.length === 0,
      pending: pendingOf(address.provider, applied).map(({ name }) => name),
      version,
    };
  };
  if (address.provider === 'postgresql') {
    return await withClient(
      address.url,
      async (client) => {
        const { rows } = await client.query<{ number: string }>(
          `SELECT current_setting('server_version_num') AS number`,
        );
        return stateOf(await appliedOfPostgres(client), versionProblem(Number(rows[0]?.number)));
      },
      inspectionMs,
    );
  }
  const sqlite = new Sqlite(address.file, { timeout: inspectionMs, readonly: true, fileMustExist: true });
  try {
    return stateOf(appliedOfSqlite(sqlite), null);
  } finally {
    sqlite.close();
  }
}

function appliedOfSqlite(sqlite: Sqlite.Database): AppliedMigration[] {
  const known = sqlite.prepare(`SELECT 1 FROM sqlite_master WHERE name = '_prisma_migrations'`).get() !== undefined;
  return known ? sqlite.prepare<[], AppliedMigration>(selectApplied).all() : [];
}

/** Returns SQL for Prisma's own table, so that `prisma migrate` finds the table that it expects. */
function createTable(timestamp: string): string {
  return `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum" VARCHAR(64) NOT NULL,
    "finished_at" ${timestamp},
    "migration_name" VARCHAR(255) NOT NULL,
    "logs" TEXT,
    "rolled_back_at" ${timestamp},
    "started_at" ${timestamp} NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "applied_steps_count" INTEGER NOT NULL DEFAULT 0
  )`;
}

const selectApplied = 'SELECT migration_name, checksum FROM "_prisma_migrations" WHERE rolled_back_at IS NULL';

const insertApplied = `INSERT INTO "_prisma_migrations"
  (id, checksum, migration_name, started_at, finished_at, applied_steps_count) VALUES ($1, $2, $3, $4, $5, 1)`;
