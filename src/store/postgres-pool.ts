import { Socket } from 'node:net';
import pg from 'pg';
import { prepareSession, type SessionTimeouts } from './postgres-session.ts';

/** The names by which an operator recognizes the connections (`application_name`). */
export const connectionNames = { management: 'latchkey', verification: 'latchkey verification' } as const;

export interface PoolOptions {
  readonly url: string;
  readonly name: string;
  readonly max: number;
  /** How many connections stay open while they are idle. Default: 1, because a busy machine can take long to connect. */
  readonly min?: number;
  /** The timeout for getting a connection, new or returned to the pool. */
  readonly connectMs: number;
  /** How long a connection with a running query may be silent before it is closed. */
  readonly silenceMs: number;
}

/** Routers and load balancers may drop a connection that is silent for some minutes, without a word to either side. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 60_000 } as const;

const idleInTransactionMs = 1000;

/** The server's statement timeout is shorter than `silenceMs`, so that a wait for a lock closes no connection. */
const statementShare = 0.9;

export function timeoutsWith({ silenceMs }: Pick<PoolOptions, 'silenceMs'>): SessionTimeouts {
  return { statementMs: statementShare * silenceMs, idleInTransactionMs };
}

/**
 * Opens a pool that never reuses a connection after an unanswered query: the connection may be dead, or the next query
 * could run in the unfinished transaction and commit it.
 */
export function openPostgresPool({ url, name, max, min = 1, connectMs, silenceMs }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    min,
    connectionTimeoutMillis: connectMs,
    ...keepAlive,
    application_name: name,
    verify: (client, done) => {
      prepareSession(client, timeoutsWith({ silenceMs })).then(() => done(), done);
    },
  });
  const idle = new Set<pg.PoolClient>();
  // Without a listener, the end of an idle connection would end the process. The pool replaces the connection.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    // The same is true for a connection that is checked out but has no running query.
    client.on('error', () => undefined);
    whenSilent(socketOf(client), () => {
      // Idle connections have probably failed for the same reason.
      for (const silent of [client, ...idle]) socketOf(silent).destroy(new Error('Connection terminated: no answer'));
    });
  });
  pool.on('acquire', (client) => {
    idle.delete(client);
    socketOf(client).setTimeout(silenceMs);
  });
  pool.on('release', (_, client) => {
    idle.add(client);
    socketOf(client).setTimeout(0);
  });
  pool.on('remove', (client) => idle.delete(client));
  return pool;
}

function whenSilent(socket: Socket, act: () => void): void {
  socket.on('timeout', () => {
    const { bytesRead } = socket;
    // After a suspension or busy time, an answer may be unread. The event loop reads it first.
    setImmediate(() => {
      if (socket.bytesRead === bytesRead) act();
    });
  });
}

export function socketOf({ connection: { stream } }: pg.PoolClient): Socket {
  if (!(stream instanceof Socket)) throw new Error('node-postgres connects by sockets');
  return stream;
}
