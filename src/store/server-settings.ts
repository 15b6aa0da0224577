/** Checks the settings of a PostgreSQL server, and that it is the primary: a standby lags and accepts revoked keys. */
import type pg from 'pg';

export interface ServerSettings {
  readonly fsync: string;
  readonly idleInTransactionMs: string;
  readonly replicas: boolean;
  readonly synchronousStandbys: string;
}

export interface SettingsProblem {
  readonly isSerious: boolean;
  readonly note: string;
}

export const selectSettings = `SELECT current_setting('fsync') AS "fsync",
  current_setting('idle_in_transaction_session_timeout') AS "idleInTransactionMs",
  EXISTS (SELECT FROM pg_stat_replication) AS "replicas",
  current_setting('synchronous_standby_names') AS "synchronousStandbys"`;

export function settingsProblems({
  fsync,
  idleInTransactionMs,
  replicas,
  synchronousStandbys,
}: ServerSettings): SettingsProblem[] {
  const problems: SettingsProblem[] = [];
  if (fsync === 'off') {
    problems.push({
      isSerious: true,
      note: 'fsync is off: a crash can undo revocations that were answered; turn it on',
    });
  }
  // The service sets this timeout on its connections, so 0 means that a pooler removed it.
  if (idleInTransactionMs === '0') {
    const hint = "ALTER ROLE … SET idle_in_transaction_session_timeout = '1s'";
    const cause = 'a pooler removes the timeout of idle transactions, in which a stopped instance blocks all changes';
    problems.push({ isSerious: false, note: `${cause}: ${hint}` });
  }
  if (replicas && synchronousStandbys === '') {
    const hint = 'a failover can undo the last changes that were answered; set synchronous_standby_names to avoid that';
    problems.push({ isSerious: false, note: `replication is asynchronous: ${hint}` });
  }
  return problems;
}

export class NotPrimaryError extends Error {}

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

export async function checkPrimary(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ reason: string | null }>(`SELECT ${notPrimaryReason} AS "reason"`);
  const reason = rows[0]?.reason ?? null;
  if (reason !== null) throw notPrimary(reason);
}
