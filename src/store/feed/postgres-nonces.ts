import type pg from 'pg';
import { openPostgresPool } from '../postgres-pool.ts';
import { PreparedStatement } from '../prepared-statement.ts';
import { purgeBatchSize, purgeInBatches } from '../rows/purge.ts';
import { type MonotonicClock, minRetentionMs, type Nonces } from './nonces.ts';

/** Keeps nonces that are valid by the database's clock: this instance's clock may be ahead. */
const removeSome = `DELETE FROM "SignatureNonce" WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM "SignatureNonce" WHERE "expiresAt" < least($1::timestamp, now() AT TIME ZONE 'utc')
  LIMIT ${purgeBatchSize} FOR UPDATE SKIP LOCKED))`;

/** All instances insert in the same order, so that they never deadlock. */
const claimText = `INSERT INTO "SignatureNonce" ("keyId", "nonce", "expiresAt")
  SELECT * FROM unnest($1::text[], $2::text[], $3::timestamp[]) AS t(k, n, e) ORDER BY k, n
  ON CONFLICT DO NOTHING RETURNING "keyId", "nonce"`;

export function openPostgresNonces(url: string, clock: MonotonicClock): Nonces {
  // The timeouts are short, because verifications wait for the nonces. On a busy machine, to connect can take longer, so
  // all connections are opened now and stay open.
  const pool = openPostgresPool({ url, name: 'latchkey nonces', ...connections, connectMs: 500, silenceMs: 1000 });
  void openAll(pool, connections.max);
  const insertNonces = new PreparedStatement(claimText);
  const horizon = purgeHorizon(clock);
  return {
    claim: async (claims) => {
      const rows = await insertNonces.query<{ keyId: string; nonce: string }>(pool, [
        claims.map(({ keyId }) => keyId),
        claims.map(({ nonce }) => nonce),
        claims.map(({ expiresAt }) => expiresAt.toISOString()),
      ]);
      const fresh = new Set(rows.map(({ keyId, nonce }) => `${keyId} ${nonce}`));
      // Of two equal nonces in one call, only the first is new.
      return claims.map(({ keyId, nonce }) => fresh.delete(`${keyId} ${nonce}`));
    },
    has: async (keyId, nonce) => {
      const { rowCount } = await pool.query('SELECT 1 FROM "SignatureNonce" WHERE "keyId" = $1 AND "nonce" = $2', [
        keyId,
        nonce,
      ]);
      return rowCount === 1;
    },
    purge: async (now) => {
      const before = horizon(now);
      if (before === null) return;
      await purgeInBatches(async () => (await pool.query(removeSome, [before.toISOString()])).rowCount ?? 0);
    },
    close: () => pool.end(),
  };
}

const connections = { max: 2, min: 2 } as const;

/** Those that can't be opened now are opened when they are needed. */
async function openAll(pool: pg.Pool, count: number): Promise<void> {
  const opened = await Promise.allSettled(Array.from({ length: count }, () => pool.connect()));
  for (const one of opened) if (one.status === 'fulfilled') one.value.release();
}

interface Reading {
  readonly atMs: number;
  readonly now: Date;
}

/**
 * Returns the earliest time that the system clock has shown in the last `minRetentionMs`. A nonce that was valid at
 * that time is kept, even if the clock has jumped. Null until the process has run for `minRetentionMs`.
 */
function purgeHorizon(clock: MonotonicClock): (now: Date) => Date | null {
  const readings: Reading[] = [];
  return (now) => {
    const atMs = clock();
    readings.push({ atMs, now });
    // Keep the first reading until the second is as old as the minimum retention.
    while (atMs - (readings[1]?.atMs ?? atMs) >= minRetentionMs) readings.shift();
    if (atMs - (readings[0]?.atMs ?? atMs) < minRetentionMs) return null;
    return new Date(Math.min(...readings.map((reading) => reading.now.getTime())));
  };
}
