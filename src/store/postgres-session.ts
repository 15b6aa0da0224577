/** Sets and checks the settings of PostgreSQL, and that it is the primary: a standby lags and accepts revoked keys. */
import pg from 'pg';

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
 * of the connection: poolers reject or ignore them. A pooler may share the session with connections that need longer
 * timeouts. Behind one, each transaction therefore sets its own, and a single statement ends when its client has gone.
 */
export function sessionSettingsSql(timeouts: SessionTimeouts, client: pg.ClientBase): string {
  const isPooled = isPooledSql(client);
  return changedSql([
    ...callsOf(sessionSettings, false),
    ...callsOf(namesOf(timeouts), false, `NOT ${isPooled}`),
    // On other systems, the server does not have it.
    ...callsOf({ client_connection_check_interval: '1s' }, false, `${isPooled} AND version() LIKE '%linux%'`),
  ]);
}

/**
 * Returns the first statements of a transaction behind a pooler, where another connection may have used the session before.
 * They have no parameters, so the driver sends both at once.
 */
export function transactionSettingsSql(timeouts: SessionTimeouts): string {
  const calls = callsOf({ ...sessionSettings, ...namesOf(timeouts) }, true);
  return `SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SELECT ${changedSql(calls)}`;
}

/**
 * Returns an SQL condition that is true behind a pooler. When a client connects, PostgreSQL tells it the number of its
 * process. A pooler tells it another number, or none.
 */
export function isPooledSql(client: pg.ClientBase): string {
  // Missing in its types.
  const { processID } = client as pg.ClientBase & { readonly processID: number | null };
  return `(pg_backend_pid() IS DISTINCT FROM ${processID})`;
}

const namesOf = ({ statementMs, idleInTransactionMs }: SessionTimeouts) => ({
  statement_timeout: String(Math.round(statementMs)),
  idle_in_transaction_session_timeout: String(idleInTransactionMs),
});

/** Older servers don't have all settings. */
function callsOf(settings: Readonly<Record<string, string>>, isLocal: boolean, condition = 'true'): string[] {
  return Object.entries(settings).map(
    ([name, value]) =>
      `CASE WHEN ${condition} AND current_setting('${name}', true) <> '${value}' THEN set_config('${name}', '${value}', ${isLocal}) END`,
  );
}

const changedSql = (calls: readonly string[]) => `num_nonnulls(${calls.join(', ')})`;

/** Applies the settings to a new session, and checks that its server is the primary. */
export async function prepareSession(client: pg.ClientBase, timeouts: SessionTimeouts): Promise<void> {
  const { rows } = await client.query<{ reason: string | null }>(
    `SELECT ${notPrimaryReason} AS "reason", ${sessionSettingsSql(timeouts, client)} AS "changed"`,
  );
  const reason = rows[0]?.reason ?? null;
  if (reason !== null) throw notPrimary(reason);
}

interface ServerState {
  readonly encoding: string;
  readonly schema: string | null;
  readonly searchPath: string;
  readonly isPooled: boolean;
}

/** Checks what no setting of a session can correct. */
export async function checkServer(client: pg.ClientBase): Promise<void> {
  const { encoding, schema, searchPath, isPooled } = await serverState(client);
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
  if (isPooled) await checkTransactions(client);
}

/** PgBouncer's code for what it does not pass on. */
const rejectedByPgbouncer = '08P01';

async function checkTransactions(client: pg.ClientBase): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query('ROLLBACK');
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === rejectedByPgbouncer)) throw error;
    const fix = 'set pool_mode = transaction or session in PgBouncer, or connect to PostgreSQL directly';
    throw new UnusableServerError(`a pooler permits no transactions (${error.message}): ${fix}`);
  }
}

async function serverState(client: pg.ClientBase): Promise<ServerState> {
  const { rows } = await client.query<ServerState>(
    `SELECT current_setting('server_encoding') AS "encoding", current_schema() AS "schema",
      current_setting('search_path') AS "searchPath", ${isPooledSql(client)} AS "isPooled"`,
  );
  const [state] = rows;
  if (state === undefined) throw new Error('a query without FROM has one row');
  return state;
}
