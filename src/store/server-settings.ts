/** Checks the settings of a PostgreSQL server that the strict promise or the service depends on. */

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
  // The service sets one on its own connections.
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
