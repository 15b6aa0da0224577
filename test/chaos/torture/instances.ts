/** What a run tortures: instances of the built service on one database, and edges. */

import { Server } from '../../harness/server.ts';
import { startPgbouncer } from '../../support/pgbouncer.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { postgresDatabase, sqliteDatabase, type TemporaryDatabase } from '../../support/temporary-database.ts';
import { startStaleProxy } from './stale-proxy.ts';

export interface Instances {
  readonly all: readonly Server[];
  readonly edges: readonly Server[];
  /** What can be disturbed besides the processes; null on SQLite. */
  readonly network: PostgresNetwork | EdgeNetwork | OwnFaults | null;
  readonly stop: () => Promise<void>;
}

export interface PostgresNetwork {
  readonly postgres: PostgresServer;
  readonly url: string;
  /** The way of one instance to PostgreSQL. */
  readonly proxy: TcpProxy;
  readonly proxiedUrl: string;
  readonly proxied: Server;
}

export interface EdgeNetwork {
  /** The proxies between the edges and their upstreams. */
  readonly proxies: readonly TcpProxy[];
}

/** Faults that only this run has, such as those of links between hosts. */
interface OwnFaults {
  /** The kinds of faults, and `stop` for the next stop of an edge, in their order. */
  readonly turns: readonly string[];
  /** Resolves when the fault is over, with the time. */
  readonly cause: (kind: string) => Promise<{ readonly returned: number }>;
}

/** Instances whose events are delivered to receivers on loopback. */
export interface EventInstances {
  readonly all: readonly Server[];
  /** Null on SQLite. */
  readonly postgres: PostgresServer | null;
  readonly stop: () => Promise<void>;
}

/** Registers what must be stopped later, also if the start fails half-way. */
type Closing = (close: () => unknown) => void;

const tinyCache = { VERIFY_CACHE_KEYS: '16' };

/** Two on one SQLite database: A with two verification processes, B with one and a tiny cache. */
export async function startSqliteInstances(environment: NodeJS.ProcessEnv = {}): Promise<Instances> {
  return await startTogether(async (closing) => {
    const database = await sqliteDatabase();
    closing(database.remove);
    return { all: await startTwo(database, environment, closing), edges: [], network: null };
  });
}

/**
 * Three on a PostgreSQL server of the run's own: the same two, and C, which reaches it through a proxy. With `isPooled`, the
 * two reach it through a PgBouncer, in which they share the sessions of a few connections.
 */
export async function startPostgresInstances(
  environment: NodeJS.ProcessEnv = {},
  isPooled = false,
): Promise<Instances> {
  return await startTogether(async (closing) => {
    const { postgres, database } = await startDatabase(closing);
    const proxy = await startTcpProxy(postgres.port);
    closing(proxy.stop);
    const proxiedUrl = database.url.replace(`:${postgres.port}/`, `:${proxy.port}/`);
    const poolerUrl = isPooled ? await startPooler(postgres.url, closing) : postgres.url;
    const pooled = { ...database, url: database.url.replace(postgres.url, poolerUrl) };
    const all = await startTwo(pooled, environment, closing);
    const proxied = await startOne('C', { ...database, url: proxiedUrl }, environment, closing);
    const network = { postgres, url: database.url, proxy, proxiedUrl, proxied };
    return { all: [...all, proxied], edges: [], network };
  });
}

/**
 * The same two, and three edges: one behind a proxy with a single upstream, one behind a proxy with a second upstream for
 * failover, and one with a tiny cache. With `staleMs`, the first edge gets answers of the feed that are as old as that.
 */
export async function startEdgeInstances(
  environment: NodeJS.ProcessEnv = {},
  staleMs: number | null = null,
): Promise<Instances> {
  return await startTogether(async (closing) => {
    const { database } = await startDatabase(closing);
    const [a, b] = await startTwo(database, environment, closing);
    const stale = staleMs === null ? null : await startStaleProxy(a.verifyPort, staleMs);
    if (stale !== null) closing(stale.stop);
    const proxies: TcpProxy[] = [];
    for (const port of [stale?.port ?? a.verifyPort, b.verifyPort]) {
      const proxy = await startTcpProxy(port);
      closing(proxy.stop);
      proxies.push(proxy);
    }
    const [toA = '', toB = ''] = proxies.map(({ port }) => `http://127.0.0.1:${port}`);
    const edges: Server[] = [];
    for (const [name, upstreams, own] of [
      [stale === null ? 'E1' : 'E1, stale', [toA], {}],
      ['E2', [toB, a.verifyUrl], {}],
      ['E3', [b.verifyUrl, a.verifyUrl], tinyCache],
    ] as const) {
      const edge = await Server.startEdge(upstreams, own, name);
      closing(() => edge.stop());
      edges.push(edge);
    }
    return { all: [a, b], edges, network: { proxies } };
  });
}

/** One on SQLite, or two on a PostgreSQL server of the run's own. */
export async function startEventInstances(onPostgres: boolean): Promise<EventInstances> {
  return await startTogether(async (closing) => {
    const environment = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
    if (!onPostgres) {
      const database = await sqliteDatabase();
      closing(database.remove);
      return { all: [await startOne('A', database, environment, closing)], postgres: null };
    }
    const { postgres, database } = await startDatabase(closing);
    const [a, b] = [
      await startOne('A', database, environment, closing),
      await startOne('B', database, environment, closing),
    ];
    return { all: [a, b], postgres };
  });
}

/** Starts things that are stopped together, the last one first. */
export async function startTogether<Started>(startAll: (closing: Closing) => Promise<Started>) {
  const closes: (() => unknown)[] = [];
  const stop = async () => {
    for (const close of closes.reverse()) await close();
  };
  try {
    return { ...(await startAll((close) => closes.push(close))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startDatabase(closing: Closing) {
  const postgres = await startPostgres();
  closing(() => postgres.stop());
  return { postgres, database: await postgresDatabase(postgres.url) };
}

async function startPooler(serverUrl: string, closing: Closing): Promise<string> {
  // It would wait for 15 s after a restart of the server.
  const pooler = await startPgbouncer(serverUrl, 'transaction', ['default_pool_size = 6', 'server_login_retry = 1']);
  closing(pooler.stop);
  return pooler.url;
}

async function startTwo(database: TemporaryDatabase, environment: NodeJS.ProcessEnv, closing: Closing) {
  return [
    await startOne('A', database, { ...environment, WORKERS: '2' }, closing),
    await startOne('B', database, { ...environment, ...tinyCache }, closing),
  ] as const;
}

async function startOne(name: string, { url, directory }: TemporaryDatabase, own: NodeJS.ProcessEnv, closing: Closing) {
  const server = await Server.service({ name, directory, environment: { DATABASE_URL: url, WORKERS: '1', ...own } });
  closing(() => server.stop());
  return await server.start();
}
