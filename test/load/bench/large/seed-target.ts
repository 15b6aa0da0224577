/**
 * Databases to seed, in one transaction. The indexes are dropped and, when all rows are written, created again from their
 * own definitions: this takes a fraction of the time, and it is the time that a migration would need for them.
 */
import { hash } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import type { BulkDialect } from '../../../../src/store/changes/bulk-rows.ts';
import { uuidOf } from './population.ts';

export interface Index {
  readonly name: string;
  readonly drop: string;
  readonly create: string;
}

export interface SeedTarget {
  readonly dialect: BulkDialect;
  readonly execute: (sql: string) => Promise<void>;
  /** Creates a temporary table of these rows, which the statements can join. */
  readonly temporaryTable: (
    name: string,
    columns: string,
    rows: readonly (readonly (string | number)[])[],
  ) => Promise<void>;
  /** The indexes of tables, in the order of their creation. */
  readonly indexes: (tables: readonly string[]) => Promise<readonly Index[]>;
  readonly commit: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const rowsPerStatement = 10_000;

/** With `wal_level = minimal`, PostgreSQL writes no log for rows of tables that were truncated in the same transaction. */
export async function postgresTarget(url: string, tables: readonly string[]): Promise<SeedTarget> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const execute = async (sql: string) => {
    await client.query(sql);
  };
  await execute('BEGIN');
  await execute(`TRUNCATE ${tables.map((table) => `"${table}"`).join(', ')}`);
  return {
    dialect: 'postgresql',
    execute,
    temporaryTable: async (name, columns, rows) => {
      await execute(`CREATE TEMPORARY TABLE ${name} (${columns}) ON COMMIT DROP`);
      for (let i = 0; i < rows.length; i += rowsPerStatement) {
        const some = rows.slice(i, i + rowsPerStatement);
        const text = `INSERT INTO ${name} SELECT r.* FROM jsonb_to_recordset($1) AS r(${columns.replaceAll(' PRIMARY KEY', '')})`;
        const names = columns.split(', ').map((column) => column.split(' ')[0] ?? '');
        const records = some.map((row) => Object.fromEntries(names.map((column, at) => [column, row[at]])));
        await client.query(text, [JSON.stringify(records)]);
      }
      await execute(`ANALYZE ${name}`);
    },
    indexes: async (of) => {
      const { rows } = await client.query<{ name: string; table: string; index: string; constraint: string | null }>(
        `SELECT c.relname AS "name", t.relname AS "table", pg_get_indexdef(c.oid) AS "index",
           pg_get_constraintdef(s.oid) AS "constraint"
         FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
         LEFT JOIN pg_constraint s ON s.conindid = c.oid
         WHERE t.relname = ANY($1) AND t.relnamespace = current_schema()::regnamespace ORDER BY c.oid`,
        [of],
      );
      return rows.map(({ name, table, index, constraint }) =>
        constraint === null
          ? { name, drop: `DROP INDEX "${name}"`, create: index }
          : {
              name,
              drop: `ALTER TABLE "${table}" DROP CONSTRAINT "${name}"`,
              create: `ALTER TABLE "${table}" ADD CONSTRAINT "${name}" ${constraint}`,
            },
      );
    },
    commit: async () => {
      await execute('COMMIT');
      // As autovacuum would have done, many times, while so many keys were created.
      await execute('VACUUM (ANALYZE)');
      await execute('CHECKPOINT');
    },
    close: () => client.end(),
  };
}

/** Without ANALYZE, because the service does not run it on SQLite either. */
export async function sqliteTarget(file: string): Promise<SeedTarget> {
  const sqlite = new Sqlite(file);
  for (const pragma of ['journal_mode = MEMORY', 'synchronous = OFF', 'cache_size = -1000000']) sqlite.pragma(pragma);
  sqlite.function('uuid_of', { deterministic: true }, (text) => uuidOf(String(text)));
  sqlite.function('digest_of', { deterministic: true }, (text) => hash('sha256', String(text), 'base64url'));
  sqlite.exec('BEGIN');
  const execute = async (sql: string) => {
    sqlite.exec(sql);
  };
  return {
    dialect: 'sqlite',
    execute,
    temporaryTable: async (name, columns, rows) => {
      // Only INTEGER makes the number the key of the rows.
      await execute(`CREATE TEMPORARY TABLE ${name} (${columns.replace('bigint', 'INTEGER')})`);
      const insert = sqlite.prepare(
        `INSERT INTO ${name} VALUES (${columns
          .split(', ')
          .map(() => '?')
          .join(', ')})`,
      );
      for (const row of rows) insert.run(...row);
    },
    indexes: async (of) => {
      const rows = sqlite
        .prepare<[string], { readonly name: string; readonly sql: string }>(
          `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL
           AND tbl_name IN (SELECT value FROM json_each(?)) ORDER BY rowid`,
        )
        .all(JSON.stringify(of));
      return rows.map(({ name, sql }) => ({ name, drop: `DROP INDEX "${name}"`, create: sql }));
    },
    commit: async () => {
      sqlite.exec('COMMIT');
    },
    close: async () => {
      sqlite.close();
    },
  };
}
