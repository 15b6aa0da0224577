/** The contents of the database, read without the service. */
import { existsSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { OpaqueRevisions } from '../../../src/domain/opaque-revisions.ts';
import { sqliteFile } from './stores.ts';

/** What each row of a key must have, in the order of the columns: its values by their names. */
export type KeyRow = Readonly<Record<string, unknown>>;

export interface Evidence {
  readonly keys: readonly KeyRow[];
  /** Of the audit entries, in order. */
  readonly revisions: readonly number[];
  /** The number of the last change. */
  readonly current: number;
  /** The problems that the database finds in its files; empty if there are none. */
  readonly damage: readonly string[];
}

type Row = KeyRow;

const keys = (json: (column: string) => string) => `SELECT "id", "name", "env", "prefix",
  ${json('"allowedIps"')} AS "allowedIps", ${json('"scopes"')} AS "scopes", "disabledAt", "previousExpiresAt", "expiresAt",
  "createdAt", "revokedAt", "signingEnvelope" IS NOT NULL AS "signingEnabled", "signingVersion", "revision" FROM "ApiKey"`;
const revisions = 'SELECT "revision" FROM "AuditEntry" ORDER BY "revision"';
const current = 'SELECT "current" FROM "Revision"';

/** On SQLite, only while the service runs: who closes a file last cleans up what a kill has left. */
export async function readEvidence(databaseUrl: string): Promise<Evidence> {
  const file = sqliteFile(databaseUrl);
  const json = (column: string) => (file === null ? `${column}::text` : `json(${column})`);
  const [keyRows = [], revisionRows = [], [counter] = []] = await select(databaseUrl, [keys(json), revisions, current]);
  return {
    keys: keyRows.map(keyRow),
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
  // As text: node-postgres would take a time without a zone for a local one.
  client.setTypeParser(1114, (text: string) => text);
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

/** The values as the model has them. */
function keyRow(row: Row): KeyRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (name === 'allowedIps' || name === 'scopes') return [name, JSON.parse(String(value))];
      if (name === 'signingEnabled') return [name, Boolean(value)];
      if (name === 'revision' || name === 'signingVersion') return [name, Number(value)];
      return [name, name.endsWith('At') ? time(value) : value];
    }),
  );
}

/** `2026-01-31T12:00:00.000+00:00` on SQLite, `2026-01-31 12:00:00` on PostgreSQL, both UTC. */
function time(value: unknown): string | null {
  if (value === null) return null;
  const text = String(value).replace(' ', 'T');
  return new Date(/[+Z]/.test(text) ? text : `${text}Z`).toISOString();
}
