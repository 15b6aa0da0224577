import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { PrismaPg } from '@prisma/adapter-pg';
import Sqlite from 'better-sqlite3';
import type { PrismaClient } from './generated/sqlite/client.ts';
import { openPostgresPool } from './postgres-pool.ts';
import { turnOnWal } from './sqlite-wal.ts';

export type DatabaseAddress =
  | { readonly provider: 'sqlite'; readonly file: string }
  | { readonly provider: 'postgresql'; readonly url: string };

export interface Database {
  readonly provider: DatabaseAddress['provider'];
  /** For everything that only reads, outside of transactions. */
  readonly reader: PrismaClient;
  /** For transactions that write; nothing else may use it. */
  readonly writer: PrismaClient;
  /** After a transaction that failed: the next one shall find nothing of it. Not while another is under way. */
  readonly resetWriter: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** How long SQLite waits for another process's lock; for the write lock, which others may hold for longer, only briefly. */
const waitMs = 5000;
const writeLockMs = 50;

/** How long PostgreSQL is waited for: for a connection, and for each answer. */
const postgresTimeouts = { connectMs: 1000, silenceMs: 1500 } as const;

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
  const connect = async (timeout: number) => {
    const adapter = new SqliteConnections({ url: `file:${file}`, timeout });
    const client = new PrismaClient({ adapter, errorFormat: 'minimal' });
    await client.$connect();
    return client;
  };
  const writer = await connect(writeLockMs);
  // Where COMMIT fails, the adapter leaves it to SQLite whether the transaction is still open; where BEGIN fails, it
  // never lets another one begin. The client opens another connection when it is used again.
  return disposable('sqlite', await connect(waitMs), writer, () => writer.$disconnect());
}

/** Settings are a connection's own, and a client may connect more than once. */
class SqliteConnections extends PrismaBetterSqlite3 {
  override async connect() {
    const connection = await super.connect();
    // FULL: in WAL mode, NORMAL may lose an acknowledged write on power loss. Use is written at random places: the
    // longer between checkpoints, the more of those writes fall together.
    await connection.executeScript(
      'PRAGMA synchronous = FULL; PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4000;',
    );
    return connection;
  }
}

export function prepareSqliteFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const sqlite = new Sqlite(file, { timeout: waitMs });
  turnOnWal(sqlite, waitMs);
  sqlite.close();
}

async function openPostgres(url: string): Promise<Database> {
  const { PrismaClient } = await import('./generated/postgresql/client.ts');
  const openPool = (max: number) => openPostgresPool({ url, name: 'latchkey', max, ...postgresTimeouts });
  const [forReading, forWriting] = [openPool(8), openPool(2)];
  // Prisma names the schema in every statement: without one it would say `public`, whatever the search path is.
  const { rows } = await forReading.query<{ schema: string }>('SELECT current_schema() AS schema');
  const options = { ...rows[0], disposeExternalPool: true };
  // The two generated clients have the same models, which a test holds, but types of their own. Written once against
  // SQLite's, the store uses only what both have.
  const clientOver = (pool: typeof forReading): PrismaClient =>
    new PrismaClient({ adapter: new PrismaPg(pool, options), errorFormat: 'minimal' }) as unknown as PrismaClient;
  // The pool replaces a connection that broke, and a transaction that failed is rolled back by its server.
  return disposable('postgresql', clientOver(forReading), clientOver(forWriting), async () => undefined);
}

function disposable(
  provider: Database['provider'],
  reader: PrismaClient,
  writer: PrismaClient,
  resetWriter: Database['resetWriter'],
): Database {
  return {
    provider,
    reader,
    writer,
    resetWriter,
    close: async () => {
      await Promise.all([reader.$disconnect(), writer.$disconnect()]);
    },
  };
}
