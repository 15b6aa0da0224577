/** The contents of the database, read without the service, and whether they fit together. */
import { existsSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { OpaqueRevisions } from '../../src/domain/opaque-revisions.ts';

/** What each row of a key must have, in the order of the columns: its values by their names. */
export type KeyRow = Readonly<Record<string, unknown>>;

export interface Evidence {
  readonly keys: readonly KeyRow[];
  /** The audit entries, in order. */
  readonly entries: readonly { readonly revision: number; readonly keyId: string; readonly action: string }[];
  /** The number of the last change. */
  readonly current: number;
  /** The problems that the database finds in its files; empty if there are none. */
  readonly damage: readonly string[];
}

type Row = KeyRow;

const keys = (json: (column: string) => string) => `SELECT "id", "name", "env", "prefix",
  ${json('"allowedIps"')} AS "allowedIps", ${json('"scopes"')} AS "scopes", "disabledAt", "previousExpiresAt", "expiresAt",
  "createdAt", "revokedAt", "signingEnvelope" IS NOT NULL AS "signingEnabled", "signingVersion", "secretVersion",
  "revision" FROM "ApiKey" ORDER BY "id"`;
const entries = 'SELECT "revision", "keyId", "action" FROM "AuditEntry" ORDER BY "revision"';
const current = 'SELECT "current", "idSecret" FROM "Revision"';

/** On SQLite, only while the service runs or after it has stopped: who closes a file last cleans up what a kill has left. */
export async function readEvidence(databaseUrl: string): Promise<Evidence> {
  return await withDatabase(databaseUrl, readFrom(databaseUrl));
}

/** A connection that stays open: with a full disk, PostgreSQL may accept no other. */
export async function openEvidence(databaseUrl: string) {
  const client = await connect(databaseUrl);
  return { read: () => readFrom(databaseUrl)(selectFrom(client)), close: () => client.end() };
}

/** Decodes the ids of audit entries. */
export async function readOpaqueRevisions(databaseUrl: string): Promise<OpaqueRevisions> {
  const [row] = await withDatabase(databaseUrl, async (select) => await select(current));
  return new OpaqueRevisions(Buffer.from(String(row?.idSecret), 'hex'));
}

/** What is half written: empty when nothing is. */
export function flaws({ current, keys, entries }: Evidence): string[] {
  const lastChange = new Map(entries.map((entry) => [entry.keyId, entry.revision]));
  return [
    ...entries.filter((entry) => entry.revision > current).map((entry) => `entry ${entry.revision} is of the future`),
    ...keys
      .filter((key) => lastChange.get(String(key.id)) !== key.revision)
      .map(({ id }) => `${id} is not as its trail says`),
    ...[...lastChange.keys()].filter((id) => !keys.some((key) => key.id === id)).map((id) => `${id} has only a trail`),
  ];
}

/** Returns the file of a SQLite database; null for PostgreSQL. */
export function sqliteFile(databaseUrl: string): string | null {
  return databaseUrl.startsWith('file:') ? databaseUrl.slice('file:'.length) : null;
}

type Select = (sql: string) => Promise<readonly Row[]>;

function readFrom(databaseUrl: string) {
  const file = sqliteFile(databaseUrl);
  const json = (column: string) => (file === null ? `${column}::text` : `json(${column})`);
  return async (select: Select): Promise<Evidence> => ({
    keys: (await select(keys(json))).map(keyRow),
    entries: (await select(entries)).map(({ revision, keyId, action }) => ({
      revision: Number(revision),
      keyId: String(keyId),
      action: String(action),
    })),
    current: Number((await select(current))[0]?.current),
    damage: file === null ? [] : [file, `${file}-nonces`].filter(existsSync).flatMap(damageOf),
  });
}

async function withDatabase<Result>(databaseUrl: string, read: (select: Select) => Promise<Result>): Promise<Result> {
  const file = sqliteFile(databaseUrl);
  if (file !== null) {
    const sqlite = openSqlite(file);
    try {
      return await read(async (sql) => sqlite.prepare<[], Row>(sql).all());
    } finally {
      sqlite.close();
    }
  }
  const client = await connect(databaseUrl);
  try {
    return await read(selectFrom(client));
  } finally {
    await client.end();
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  // As text: node-postgres would take a time without a zone for a local one.
  client.setTypeParser(1114, (text: string) => text);
  await client.connect();
  return client;
}

function selectFrom(client: pg.Client): Select {
  return async (sql) => (await client.query<Row>(sql)).rows;
}

function damageOf(file: string): string[] {
  const sqlite = openSqlite(file);
  try {
    return sqlite
      .prepare<[], string>('PRAGMA integrity_check')
      .pluck()
      .all()
      .filter((line) => line !== 'ok');
  } finally {
    sqlite.close();
  }
}

function openSqlite(file: string): Sqlite.Database {
  return new Sqlite(file, { readonly: true, timeout: 5000 });
}

/** The values as the model has them. */
function keyRow(row: Row): KeyRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (name === 'allowedIps' || name === 'scopes') return [name, JSON.parse(String(value))];
      if (name === 'signingEnabled') return [name, Boolean(value)];
      if (name === 'revision' || name.endsWith('Version')) return [name, Number(value)];
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
