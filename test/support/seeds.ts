/** Rows that a test writes without the service, on a connection without its timeouts, which a busy machine would exceed. */
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { storedDate } from '../../src/store/json-rows.ts';

type Rows = readonly object[];

/** Inserts rows with all columns of the table. */
export async function seedRows(url: string, table: string, rows: Rows): Promise<void> {
  const seeds = await openSeeds(url);
  await seeds.insert(table, 0, () => rows);
  await seeds.close();
}

interface Seeds {
  /** Inserts in one transaction rows that are made with the first of this number of new revisions. */
  readonly insert: (table: string, revisions: number, rowsFrom: (first: bigint) => Rows) => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function openSeeds(url: string): Promise<Seeds> {
  return url.startsWith('file:') ? sqliteSeeds(url.slice('file:'.length)) : await postgresSeeds(url);
}

const takeRevisions = (count: number) => `UPDATE "Revision" SET current = current + ${count} RETURNING current`;

function sqliteSeeds(file: string): Seeds {
  const sqlite = new Sqlite(file);
  return {
    // Without a pause, because a service in this process could not end a transaction of its own meanwhile.
    insert: async (table, revisions, rowsFrom) =>
      sqlite
        .transaction(() => {
          const current = sqlite.prepare<[], number>(takeRevisions(revisions)).pluck().get() ?? 0;
          for (const row of rowsFrom(BigInt(current - revisions + 1))) {
            const columns = Object.keys(row);
            const values = columns.map(() => '?').join(', ');
            sqlite
              .prepare(`INSERT INTO "${table}" ("${columns.join('", "')}") VALUES (${values})`)
              .run(Object.values(row).map(sqliteValue));
          }
        })
        .immediate(),
    close: async () => void sqlite.close(),
  };
}

function sqliteValue(value: unknown): unknown {
  if (value instanceof Date) return storedDate(value);
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

async function postgresSeeds(url: string): Promise<Seeds> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const asJson = (_: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
  return {
    insert: async (table, revisions, rowsFrom) => {
      await client.query('BEGIN');
      const { rows } = await client.query<{ current: string }>(takeRevisions(revisions));
      const json = JSON.stringify(rowsFrom(BigInt(rows[0]?.current ?? 0) - BigInt(revisions - 1)), asJson);
      await client.query(`INSERT INTO "${table}" SELECT * FROM jsonb_populate_recordset(NULL::"${table}", $1)`, [json]);
      await client.query('COMMIT');
    },
    close: () => client.end(),
  };
}
