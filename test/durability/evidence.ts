/** The contents of the database, read without the service. */
import { existsSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { OpaqueRevisions } from '../../src/manage/read/opaque-revisions.ts';

export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly env: string;
  readonly prefix: string;
  readonly allowedIps: readonly string[];
  readonly scopes: readonly string[];
  readonly disabledAt: string | null;
  readonly previousExpiresAt: string | null;
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  readonly signingEnabled: boolean;
  readonly signingVersion: number;
  readonly revision: number;
}

export interface Evidence {
  readonly keys: readonly KeyRow[];
  /** Of the audit entries, in order. */
  readonly revisions: readonly number[];
  /** The number of the last change. */
  readonly current: number;
  /** The problems that the database finds in its files; empty if there are none. */
  readonly damage: readonly string[];
}

const keys = (json: (column: string) => string) => `SELECT "id", "name", "env", "prefix",
  ${json('"allowedIps"')} AS "allowedIps", ${json('"scopes"')} AS "scopes", "disabledAt", "previousExpiresAt", "expiresAt", "createdAt",
  "revokedAt", "signingEnvelope" IS NOT NULL AS "signingEnabled", "signingVersion", "revision" FROM "ApiKey"`;
const revisions = 'SELECT "revision" FROM "AuditEntry" ORDER BY "revision"';
const current = 'SELECT "current" FROM "Revision"';
const idSecret = 'SELECT "idSecret" FROM "Revision"';

export async function readEvidence(databaseUrl: string): Promise<Evidence> {
  return databaseUrl.startsWith('file:')
    ? readSqlite(databaseUrl.slice('file:'.length))
    : await readPostgres(databaseUrl);
}

/** Decodes the ids of audit entries. */
export async function readOpaqueRevisions(databaseUrl: string): Promise<OpaqueRevisions> {
  const secret = databaseUrl.startsWith('file:')
    ? idSecretOf(databaseUrl.slice('file:'.length))
    : (await queryPostgres(databaseUrl, [idSecret]))[0]?.[0]?.idSecret;
  return new OpaqueRevisions(Buffer.from(String(secret), 'hex'));
}

function idSecretOf(file: string): unknown {
  const sqlite = new Sqlite(file, { readonly: true, timeout: 5000 });
  try {
    return sqlite.prepare<[], Row>(idSecret).get()?.idSecret;
  } finally {
    sqlite.close();
  }
}

type Row = Readonly<Record<string, unknown>>;

/** Only while the service runs: closing a SQLite file last cleans up what a kill has left. */
function readSqlite(file: string): Evidence {
  const sqlite = new Sqlite(file, { readonly: true, timeout: 5000 });
  try {
    const all = (sql: string) => sqlite.prepare<[], Row>(sql).all();
    const damage = [...damageOf(sqlite), ...damageOfNonces(`${file}-nonces`)];
    return evidence(all(keys((column) => `json(${column})`)), all(revisions), all(current), damage);
  } finally {
    sqlite.close();
  }
}

function damageOfNonces(file: string): string[] {
  if (!existsSync(file)) return [];
  const sqlite = new Sqlite(file, { readonly: true, timeout: 5000 });
  try {
    return damageOf(sqlite);
  } finally {
    sqlite.close();
  }
}

function damageOf(sqlite: Sqlite.Database): string[] {
  const lines = sqlite.prepare<[], string>('PRAGMA integrity_check').pluck().all();
  return lines.filter((line) => line !== 'ok');
}

async function readPostgres(url: string): Promise<Evidence> {
  const [keyRows = [], revisionRows = [], currentRows = []] = await queryPostgres(url, [
    keys((column) => `${column}::text`),
    revisions,
    current,
  ]);
  return evidence(keyRows, revisionRows, currentRows, []);
}

async function queryPostgres(url: string, statements: readonly string[]): Promise<Row[][]> {
  const client = new pg.Client({ connectionString: url });
  // As they are stored: node-postgres would take a time without a zone for a local one.
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

function evidence(keyRows: Row[], revisionRows: Row[], currentRows: Row[], damage: string[]): Evidence {
  return {
    keys: keyRows.map(keyRow),
    revisions: revisionRows.map(({ revision }) => Number(revision)),
    current: Number(currentRows[0]?.current),
    damage,
  };
}

function keyRow(row: Row): KeyRow {
  return {
    id: String(row.id),
    name: String(row.name),
    env: String(row.env),
    prefix: String(row.prefix),
    allowedIps: JSON.parse(String(row.allowedIps)),
    scopes: JSON.parse(String(row.scopes)),
    disabledAt: time(row.disabledAt),
    previousExpiresAt: time(row.previousExpiresAt),
    expiresAt: time(row.expiresAt),
    createdAt: String(time(row.createdAt)),
    revokedAt: time(row.revokedAt),
    signingEnabled: Boolean(row.signingEnabled),
    signingVersion: Number(row.signingVersion),
    revision: Number(row.revision),
  };
}

/** `2026-01-31T12:00:00.000+00:00` on SQLite, `2026-01-31 12:00:00` on PostgreSQL, both UTC. */
function time(value: unknown): string | null {
  if (value === null) return null;
  const text = String(value).replace(' ', 'T');
  return new Date(/[+Z]/.test(text) ? text : `${text}Z`).toISOString();
}
