/** The contents of the database, read without the service. */
import { existsSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { OpaqueRevisions } from '../../src/manage/read/opaque-revisions.ts';
import { sqliteFile } from './stores.ts';

export interface Evidence {
  readonly keys: readonly { readonly id: string; readonly revision: number }[];
  /** Of the audit entries, in order. */
  readonly revisions: readonly number[];
  /** The number of the last change. */
  readonly current: number;
  /** The problems that the database finds in its files; empty if there are none. */
  readonly damage: readonly string[];
}

type Row = Readonly<Record<string, unknown>>;

const keys = 'SELECT "id", "revision" FROM "ApiKey"';
const revisions = 'SELECT "revision" FROM "AuditEntry" ORDER BY "revision"';
const current = 'SELECT "current" FROM "Revision"';

/** On SQLite, only while the service runs: who closes a file last cleans up what a kill has left. */
export async function readEvidence(databaseUrl: string): Promise<Evidence> {
  const file = sqliteFile(databaseUrl);
  const [keyRows = [], revisionRows = [], [counter] = []] = await select(databaseUrl, [keys, revisions, current]);
  return {
    keys: keyRows.map(({ id, revision }) => ({ id: String(id), revision: Number(revision) })),
    revisions: revisionRows.map(({ revision }) => Number(revision)),
    current: Number(counter?.current),
    damage: file === null ? [] : [file, `${file}-nonces`].filter(existsSync).flatMap(damageOf),
  };
}

/** Decodes the ids of audit entries. */
export async function readOpaqueRevisions(databaseUrl: string): Promise<OpaqueRevisions> {
  const [[row] = []] = await select(databaseUrl, ['SELECT "idSecret" FROM "Revision"']);
  return new OpaqueRevisions(Buffer.from(String(row?.idSecret), 'hex'));
}

async function select(databaseUrl: string, statements: readonly string[]): Promise<Row[][]> {
  const file = sqliteFile(databaseUrl);
  if (file !== null) {
    return readSqlite(file, (sqlite) => statements.map((sql) => sqlite.prepare<[], Row>(sql).all()));
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const results: Row[][] = [];
    for (const sql of statements) results.push((await client.query<Row>(sql)).rows);
    return results;
  } finally {
    await client.end();
  }
}

function damageOf(file: string): string[] {
  const check = (sqlite: Sqlite.Database) => sqlite.prepare<[], string>('PRAGMA integrity_check').pluck().all();
  return readSqlite(file, check).filter((line) => line !== 'ok');
}

function readSqlite<Result>(file: string, read: (sqlite: Sqlite.Database) => Result): Result {
  const sqlite = new Sqlite(file, { readonly: true, timeout: 5000 });
  try {
    return read(sqlite);
  } finally {
    sqlite.close();
  }
}
