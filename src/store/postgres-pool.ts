import { Socket } from 'node:net';
import pg from 'pg';
import { checkPrimary } from './primary-server.ts';

export interface PoolOptions {
  readonly url: string;
  readonly name: string;
  readonly max: number;
  /** How long to wait for a connection, be it a new one or one that somebody else has. */
  readonly connectMs: number;
  /** How long a connection that was asked something may say nothing before it is given up. */
  readonly silenceMs: number;
}

/**
 * On the server: a transaction whose owner has fallen silent, stopped or cut off from the network, would hold the
 * revision's lock, which all changes of all instances wait for.
 */
const idleInTransactionMs = 1000;

/** Sooner than our own patience ends, so that a statement that waits for a lock costs no connection. */
const statementShare = 0.9;

/**
 * A pool of connections to the primary server, that hands out no connection whose last question was not answered. A connection may have died without a word
 * (a network that drops packets, a firewall that forgot it), and one that was given up alive is worse: what comes next on
 * it would run in a transaction that was never ended, and commit it.
 */
export function openPostgresPool({ url, name, max, connectMs, silenceMs }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementShare * silenceMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    keepAlive: true,
    application_name: name,
    verify: (client, done) => {
      checkPrimary(client).then(() => done(), done);
    },
  });
  const idle = new Set<pg.PoolClient>();
  // Without a listener, the end of an idle connection would end the process; the pool opens another when asked.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    // Nor may it end while somebody has it and asks nothing right now.
    client.on('error', () => undefined);
    whenSilent(socketOf(client), () => {
      // Whatever made this one fall silent befell those as well that nobody uses right now.
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
    // If it was we who were stopped or busy, the answer is here and is read before this is called.
    setImmediate(() => {
      if (socket.bytesRead === bytesRead) act();
    });
  });
}

function socketOf({ connection: { stream } }: pg.PoolClient): Socket {
  if (!(stream instanceof Socket)) throw new Error('node-postgres connects by sockets');
  return stream;
}
