/** Sets and checks the settings of PostgreSQL, and that it is the primary: a standby lags and accepts revoked keys. */
import type pg from 'pg';

export interface ServerSettings {
  readonly fsync: string;
  readonly replicas: boolean;
  readonly synchronousStandbys: string;
}

export interface SettingsProblem {
  readonly isSerious: boolean;
  readonly note: string;
}

export const selectSettings = `SELECT current_setting('fsync') AS "fsync",
  EXISTS (SELECT FROM pg_stat_replication) AS "replicas",
  current_setting('synchronous_standby_names') AS "synchronousStandbys"`;

export function settingsProblems({ fsync, replicas, synchronousStandbys }: ServerSettings): SettingsProblem[] {
  const problems: SettingsProblem[] = [];
  if (fsync === 'off') {
    problems.push({
      isSerious: true,
      note: 'fsync is off: a crash can undo revocations that were answered; turn it on',
    });
  }
  if (replicas && synchronousStandbys === '') {
    const hint = 'a failover can undo the last changes that were answered; set synchronous_standby_names to avoid that';
    problems.push({ isSerious: false, note: `replication is asynchronous: ${hint}` });
  }
  return problems;
}

/** A server, database or pooler that can't be used, with what to do. */
export class UnusableServerError extends Error {}

export class NotPrimaryError extends UnusableServerError {}

/** An SQL expression for the reason why a server can't be used; null when it can. */
export const notPrimaryReason = `CASE WHEN pg_is_in_recovery() THEN 'recovery'
  WHEN current_setting('transaction_read_only') = 'on' THEN 'read-only' END`;

export function notPrimary(reason: string): NotPrimaryError {
  return new NotPrimaryError(
    reason === 'recovery'
      ? 'PostgreSQL is a standby (in recovery): DATABASE_URL must lead to the primary server only'
      : 'PostgreSQL accepts no writes (transaction_read_only is on): DATABASE_URL must lead to the primary, without default_transaction_read_only',
  );
}

/**
 * What statements and the driver depend on, whatever the server, the database or the role sets. Prisma's adapter parses
 * only ISO dates, and others are errors or, with day and month swapped, other dates. A change decides on what it reads
 * after it has got the lock of all changes, which only this isolation level shows. The timeouts are our own.
 */
const sessionSettings = {
  DateStyle: 'ISO, MDY',
  default_transaction_isolation: 'read committed',
  idle_session_timeout: '0',
  lock_timeout: '0',
  transaction_timeout: '0',
} as const;

export interface SessionTimeouts {
  /** 0 for no limit. */
  readonly statementMs: number;
  /** The server enforces it: a suspended client can't, and its transaction may hold the lock of all changes. */
  readonly idleInTransactionMs: number;
}

/**
 * Returns the settings of a new session as an SQL expression, which has to be evaluated once. Not as options at the start
 * of the connection: poolers reject or ignore them. Older servers don't have all settings.
 */
export function sessionSettingsSql({ statementMs, idleInTransactionMs }: SessionTimeouts): string {
  const settings = {
    ...sessionSettings,
    statement_timeout: Math.round(statementMs),
    idle_in_transaction_session_timeout: idleInTransactionMs,
  };
  const calls = Object.entries(settings).map(
    ([name, value]) =>
      `CASE WHEN current_setting('${name}', true) <> '${value}' THEN set_config('${name}', '${value}', false) END`,
  );
  return `num_nonnulls(${calls.join(', ')})`;
}

/** Applies the settings to a new session, and checks that its server is the primary. */
export async function prepareSession(client: pg.ClientBase, timeouts: SessionTimeouts): Promise<void> {
  const { rows } = await client.query<{ reason: string | null }>(
    `SELECT ${notPrimaryReason} AS "reason", ${sessionSettingsSql(timeouts)} AS "changed"`,
  );
  const reason = rows[0]?.reason ?? null;
  if (reason !== null) throw notPrimary(reason);
}

interface ServerState {
  readonly encoding: string;
  readonly schema: string | null;
  readonly searchPath: string;
  readonly backend: string;
}

const selectServer = `SELECT current_setting('server_encoding') AS "encoding", current_schema() AS "schema",
  current_setting('search_path') AS "searchPath",
  pg_backend_pid() || ' ' || extract(epoch FROM pg_postmaster_start_time()) AS "backend"`;

/**
 * Checks what no setting of a session can correct. `other` is a second connection that was opened meanwhile: if it has the
 * same session of the server, a pooler shares sessions between transactions, which loses settings and prepared statements.
 */
export async function checkServer(client: pg.ClientBase, other: pg.ClientBase): Promise<void> {
  const { encoding, schema, searchPath, backend } = await serverState(client);
  if (encoding !== 'UTF8') {
    const fix = `CREATE DATABASE latchkey ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0`;
    throw new UnusableServerError(
      `the encoding of the database is ${encoding}, which can't store every text: create one with ${fix}`,
    );
  }
  if (schema === null) {
    const fix =
      'create one of its schemas, or run ALTER ROLE … RESET search_path and ALTER DATABASE … RESET search_path';
    throw new UnusableServerError(`no schema of the search_path (${searchPath}) exists: ${fix}`);
  }
  if (backend === (await serverState(other)).backend) {
    const fix = 'set pool_mode = session in PgBouncer, or connect to PostgreSQL directly';
    throw new UnusableServerError(`a pooler shares connections to PostgreSQL between transactions: ${fix}`);
  }
}

async function serverState(client: pg.ClientBase): Promise<ServerState> {
  const { rows } = await client.query<ServerState>(selectServer);
  const [state] = rows;
  if (state === undefined) throw new Error('a query without FROM has one row');
  return state;
}
