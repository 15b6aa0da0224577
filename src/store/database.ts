/** Prisma's clients for the management process. ARCHITECTURE.md says which code uses the drivers instead, and why. */
import { dirname } from 'node:path';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { PrismaPg } from '@prisma/adapter-pg';
import Sqlite from 'better-sqlite3';
import type pg from 'pg';
import type { DatabaseAddress, DatabaseProvider } from '../lib/database-address.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import type { PrismaClient } from './generated/sqlite/client.ts';
import { connectionNames, openPostgresPool, type PoolOptions, socketOf, timeoutsWith } from './postgres-pool.ts';
import { isPooledSql, transactionSettingsSql } from './postgres-session.ts';
import { readingDirectly, SqliteStatements } from './sqlite-statements.ts';
import { turnOnWal } from './sqlite-wal.ts';

export interface Database {
  readonly provider: DatabaseProvider;
  readonly reader: PrismaClient;
  /** For the few statements that read whole tables, which take seconds if a database has millions of keys. */
  readonly slowReader: PrismaClient;
  readonly writer: PrismaClient;
  /** SQL that each transaction has to start with. */
  readonly transactionStart?: string | undefined;
  /** Cleans up after a failed transaction. Must not be called during another transaction. */
  readonly resetWriter: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** How long SQLite waits for the lock of another process. The wait for the write lock is short, and is repeated. */
const waitMs = 5000;
const writeLockMs = 50;

const postgresTimeouts = { connectMs: 1000, silenceMs: 1500 } as const;
/** There is one connection for slow reads, so a read may wait for another one. */
const slowTimeouts = { connectMs: 10_000, silenceMs: 300_000 } as const;

export async function openDatabase(address: DatabaseAddress): Promise<Database> {
  const { provider } = address;
  const clients = provider === 'sqlite' ? await openSqlite(address.file) : await openPostgres(address.url);
  const close = async () => {
    const { reader, slowReader, writer, endSlowReads, endPools } = clients;
    endSlowReads();
    await Promise.all([...new Set([reader, slowReader, writer])].map((client) => client.$disconnect()));
    await endPools();
  };
  const { endSlowReads: _slow, endPools: _pools, ...shared } = clients;
  return { provider, ...shared, close };
}

/** Opens two connections, because a read on the writer's connection would see uncommitted data. */
async function openSqlite(file: string) {
  const { PrismaClient } = await import('./generated/sqlite/client.ts');
  prepareSqliteFile(file);
  const connect = async (timeout: number, pragmas = '') => {
    const adapter = new SqliteConnections({ url: `file:${file}`, timeout }, pragmas);
    const client = new PrismaClient({ adapter, errorFormat: 'minimal' });
    await client.$connect();
    return { client, adapter };
  };
  // SQLite keeps the pages that a statement changes until it ends, to undo it if it fails. For a group of changes, a
  // temporary file of them takes a third of the time of the statement. Reads that sort many rows may use files.
  const { client: writer } = await connect(writeLockMs, 'PRAGMA temp_store = MEMORY;');
  // After a failed COMMIT, the transaction may still be open. After a failed BEGIN, the adapter never starts another
  // transaction. The reset disconnects the client, which opens a new connection on its next use.
  const { client, adapter } = await connect(waitMs);
  const reader = readingDirectly(client, () => adapter.statements);
  const resetWriter = () => writer.$disconnect();
  return {
    reader,
    slowReader: reader,
    writer,
    resetWriter,
    endSlowReads: () => undefined,
    endPools: async () => undefined,
  };
}

/** Applies the settings to each connection, because a client may connect more than once. */
class SqliteConnections extends PrismaBetterSqlite3 {
  readonly #pragmas: string;
  #statements: SqliteStatements | null = null;

  constructor(config: ConstructorParameters<typeof PrismaBetterSqlite3>[0], pragmas: string) {
    super(config);
    this.#pragmas = pragmas;
  }

  /** Those of the last connection. */
  get statements(): SqliteStatements {
    if (this.#statements === null) throw new Error('the client is not connected');
    return this.#statements;
  }

  override async connect() {
    const connection = await super.connect();
    // A test checks that the adapter calls the `prepare` of this object.
    this.#statements = new SqliteStatements((connection as unknown as { readonly client: Sqlite.Database }).client);
    // In WAL mode, NORMAL may lose an acknowledged write on power loss, so FULL is set. Usage is written to random
    // pages. Rare checkpoints merge more writes to the same page.
    await connection.executeScript(
      `PRAGMA synchronous = FULL; PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4000; ${this.#pragmas}`,
    );
    return connection;
  }
}

export function prepareSqliteFile(file: string): void {
  makeDirectory(dirname(file));
  const sqlite = new Sqlite(file, { timeout: waitMs });
  turnOnWal(sqlite, waitMs);
  sqlite.close();
}

async function openPostgres(url: string) {
  const { PrismaClient } = await import('./generated/postgresql/client.ts');
  const openPool = (max: number, options: Omit<PoolOptions, 'url' | 'name' | 'max'>) =>
    openPostgresPool({ url, name: connectionNames.management, max, ...options });
  const [forReading, forWriting] = [openPool(8, postgresTimeouts), openPool(2, postgresTimeouts)];
  // Connects when it is used.
  const forSlowReading = openPool(1, { min: 0, ...slowTimeouts });
  const slow = new Set<pg.PoolClient>();
  forSlowReading.on('acquire', (client) => slow.add(client));
  forSlowReading.on('release', (_, client) => slow.delete(client));
  // Prisma puts a schema name into every statement: without this option, `public`, whatever the search path is.
  const { schema, isPooled } = await placeOf(forReading);
  const options = { schema, disposeExternalPool: false };
  // A test checks that the two generated clients have the same models, but their types differ. The store is written
  // against the types of SQLite's client, and uses only what both clients have.
  const clientOver = (pool: typeof forReading): PrismaClient =>
    new PrismaClient({ adapter: new PrismaPg(pool, options), errorFormat: 'minimal' }) as unknown as PrismaClient;
  // Nothing to reset: the pool replaces broken connections, and the server rolls back failed transactions.
  return {
    reader: clientOver(forReading),
    slowReader: clientOver(forSlowReading),
    writer: clientOver(forWriting),
    transactionStart: isPooled ? transactionSettingsSql(timeoutsWith(postgresTimeouts)) : undefined,
    resetWriter: async () => undefined,
    // A pool waits for its queries. A process that must stop does not have the time.
    endSlowReads: () => {
      for (const client of slow) socketOf(client).destroy();
    },
    // Not left to Prisma: a client that was never used ends no pool, whose open connection then keeps a command running.
    endPools: async () => {
      const open = [forReading, forWriting, forSlowReading].filter((pool) => !pool.ending);
      await Promise.all(open.map((pool) => pool.end()));
    },
  };
}

interface Place {
  readonly schema: string;
  readonly isPooled: boolean;
}

async function placeOf(pool: pg.Pool): Promise<Place> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<Place>(
      `SELECT current_schema() AS "schema", ${isPooledSql(client)} AS "isPooled"`,
    );
    const [place] = rows;
    if (place === undefined) throw new Error('a query without FROM has one row');
    return place;
  } finally {
    client.release();
  }
}
