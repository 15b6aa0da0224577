/** Only the primary PostgreSQL server is used: on a standby, which lags, a revoked key would still be accepted. */
import type pg from 'pg';

export class NotPrimaryError extends Error {}

/** An SQL expression: why the server that runs it can't be used; null when it can. */
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
