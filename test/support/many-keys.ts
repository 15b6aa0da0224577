/** Many keys of a team, written without the service. */
import { randomBytes, randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { storedDate } from '../../src/store/changes/bulk-rows.ts';
import { type KeyRow, rowFromKey } from '../../src/store/rows/key-rows.ts';
import { plainKey } from './plain-keys.ts';

export interface ManyKeys {
  readonly teamId: string;
  readonly count: number;
  readonly revoked: boolean;
  /** Default: `Key`. Each key has its number behind it. */
  readonly name?: string;
  readonly createdAt?: Date;
  readonly expiresAt?: Date | null;
  readonly previousPrefix?: string;
}

/** So that the service never waits long for the revision. */
const batch = 500;

/**
 * Adds keys to a team without creating and revoking each of them: as many as a team can collect in hours. The later
 * ones are newer by a millisecond. Returns their ids. The connection has none of the timeouts of the service, which a
 * busy machine would exceed.
 */
export async function addManyKeys(url: string, keys: ManyKeys): Promise<string[]> {
  const ids = Array.from({ length: keys.count }, () => randomUUID());
  const writer = url.startsWith('file:') ? sqliteWriter(url.slice('file:'.length)) : await postgresWriter(url);
  for (let done = 0; done < ids.length; done += batch) {
    const some = ids.slice(done, done + batch);
    await writer.add(some.length, (first) =>
      some.map((id, i) => rowFromKey(newKey(keys, id, done + i), first + BigInt(i))),
    );
  }
  await writer.close();
  return ids;
}

interface Writer {
  /** Adds the rows that are made with the first of `count` new revisions. */
  readonly add: (count: number, rowsFrom: (first: bigint) => readonly KeyRow[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

const nextRevisions = 'UPDATE "Revision" SET current = current +';

function sqliteWriter(file: string): Writer {
  const sqlite = new Sqlite(file);
  const add = (count: number, rowsFrom: (first: bigint) => readonly KeyRow[]) => {
    const current = sqlite.prepare<[], number>(`${nextRevisions} ${count} RETURNING current`).pluck().get() ?? 0;
    for (const row of rowsFrom(BigInt(current - count + 1))) {
      const names = Object.keys(row);
      const insert = `INSERT INTO "ApiKey" ("${names.join('", "')}") VALUES (${names.map(() => '?')})`;
      sqlite.prepare(insert).run(Object.values(row).map(sqliteValue));
    }
  };
  return {
    // At once, because a service in this process could not go on with a transaction of its own meanwhile.
    add: async (count, rowsFrom) => sqlite.transaction(() => add(count, rowsFrom)).immediate(),
    close: async () => void sqlite.close(),
  };
}

function sqliteValue(value: unknown): unknown {
  if (value instanceof Date) return storedDate(value);
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

async function postgresWriter(url: string): Promise<Writer> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const asJson = (_: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
  return {
    add: async (count, rowsFrom) => {
      await client.query('BEGIN');
      const { rows } = await client.query<{ current: string }>(`${nextRevisions} ${count} RETURNING current`);
      const keys = JSON.stringify(rowsFrom(BigInt(rows[0]?.current ?? 0) - BigInt(count - 1)), asJson);
      await client.query('INSERT INTO "ApiKey" SELECT * FROM jsonb_populate_recordset(NULL::"ApiKey", $1)', [keys]);
      await client.query('COMMIT');
    },
    close: () => client.end(),
  };
}

function newKey(
  { teamId, revoked, name = 'Key', createdAt, expiresAt, previousPrefix }: ManyKeys,
  id: string,
  i: number,
) {
  const at = new Date((createdAt ?? new Date('2026-01-01T00:00:00Z')).getTime() + i);
  const rotation = previousPrefix === undefined ? {} : { secretVersion: 2, rotatedAt: at, previousPrefix };
  return {
    ...plainKey,
    ...rotation,
    id,
    teamId,
    name: `${name} ${i}`,
    env: 'live' as const,
    prefix: `lk_live_${id.slice(0, 8)}${i}`,
    digest: randomBytes(32).toString('base64url'),
    pepperId: 'a',
    expiresAt: expiresAt ?? null,
    createdAt: at,
    revokedAt: revoked ? at : null,
  };
}
