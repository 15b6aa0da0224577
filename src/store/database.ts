import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { PrismaPg } from '@prisma/adapter-pg';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import type { PrismaClient } from './generated/sqlite/client.ts';

export type DatabaseAddress =
  | { readonly provider: 'sqlite'; readonly file: string }
  | { readonly provider: 'postgresql'; readonly url: string };

export interface Database {
  readonly provider: DatabaseAddress['provider'];
  /** For everything that only reads, outside of transactions. */
  readonly reader: PrismaClient;
  /** For transactions that write; nothing else may use it. */
  readonly writer: PrismaClient;
  readonly close: () => Promise<void>;
}

/** How long SQLite waits for another process's write lock, and PostgreSQL for a connection. */
const waitMs = 5000;

export async function openDatabase(address: DatabaseAddress): Promise<Database> {
  return address.provider === 'sqlite' ? await openSqlite(address.file) : await openPostgres(address.url);
}

/**
 * Two connections: Prisma's adapter has one per client, so that a read beside an open transaction on the same client
 * would see what may yet be rolled back.
 */
async function openSqlite(file: string): Promise<Database> {
  const { PrismaClient } = await import('./generated/sqlite/client.ts');
  prepareSqliteFile(file);
  const connect = async () => {
    const client = new PrismaClient({
      adapter: new PrismaBetterSqlite3({ url: `file:${file}`, timeout: waitMs }),
      errorFormat: 'minimal',
    });
    // FULL: in WAL mode, NORMAL may lose an acknowledged write on power loss.
    await client.$executeRawUnsafe('PRAGMA synchronous = FULL');
    await client.$executeRawUnsafe('PRAGMA cache_size = -65536');
    // Use is written at random places: the longer between checkpoints, the more of those writes fall together.
    await client.$queryRawUnsafe('PRAGMA wal_autocheckpoint = 4000');
    return client;
  };
  return disposable('sqlite', await connect(), await connect());
}

/** WAL lets readers go on while a transaction is written; the mode stays with the file. */
export function prepareSqliteFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const sqlite = new Sqlite(file, { timeout: waitMs });
  sqlite.pragma('journal_mode = WAL');
  sqlite.close();
}

async function openPostgres(url: string): Promise<Database> {
  const { PrismaClient } = await import('./generated/postgresql/client.ts');
  const connect = (max: number): PrismaClient => {
    const pool = new pg.Pool({
      connectionString: url,
      max,
      connectionTimeoutMillis: waitMs,
      query_timeout: 2 * waitMs,
      application_name: 'latchkey',
    });
    // Without a listener, the end of an idle connection would end the process; the pool opens another when asked.
    pool.on('error', () => undefined);
    // The two generated clients have the same models, which a test holds, but types of their own. Written once against
    // SQLite's, the store uses only what both have.
    return new PrismaClient({
      adapter: new PrismaPg(pool, { disposeExternalPool: true }),
      errorFormat: 'minimal',
    }) as unknown as PrismaClient;
  };
  return disposable('postgresql', connect(8), connect(2));
}

function disposable(provider: Database['provider'], reader: PrismaClient, writer: PrismaClient): Database {
  return {
    provider,
    reader,
    writer,
    close: async () => {
      await Promise.all([reader.$disconnect(), writer.$disconnect()]);
    },
  };
}
