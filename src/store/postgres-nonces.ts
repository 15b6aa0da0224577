import { type MonotonicClock, minRetentionMs, type Nonces } from './nonces.ts';
import { openPostgresPool } from './postgres-pool.ts';
import { purgeBatchSize, purgeInBatches } from './purge.ts';

/** By the database's own clock too, the same for all: this instance's may be ahead of the others'. */
const removeSome = `DELETE FROM "SignatureNonce" WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM "SignatureNonce" WHERE "expiresAt" < least($1::timestamp, now() AT TIME ZONE 'utc')
  LIMIT ${purgeBatchSize} FOR UPDATE SKIP LOCKED))`;

export function openPostgresNonces(url: string, clock: MonotonicClock): Nonces {
  // A verification waits for it: better no answer than a late one.
  const pool = openPostgresPool({ url, name: 'latchkey nonces', max: 2, connectMs: 500, silenceMs: 1000 });
  const horizon = purgeHorizon(clock);
  return {
    claim: async (claims) => {
      const { rows } = await pool.query<{ keyId: string; nonce: string }>({
        name: 'latchkey-nonces',
        // In one order for everyone, so that two instances with the same nonces never wait for each other.
        text: `INSERT INTO "SignatureNonce" ("keyId", "nonce", "expiresAt")
          SELECT * FROM unnest($1::text[], $2::text[], $3::timestamp[]) AS t(k, n, e) ORDER BY k, n
          ON CONFLICT DO NOTHING RETURNING "keyId", "nonce"`,
        values: [
          claims.map(({ keyId }) => keyId),
          claims.map(({ nonce }) => nonce),
          claims.map(({ expiresAt }) => expiresAt.toISOString()),
        ],
      });
      const fresh = new Set(rows.map(({ keyId, nonce }) => `${keyId} ${nonce}`));
      // Of two equal ones in one call, the first is the fresh one.
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

interface Reading {
  readonly atMs: number;
  readonly now: Date;
}

/**
 * What expired before this may be forgotten: the earliest that the clock has said within the least retention. So what
 * was not expired then is still there, wherever the clock has jumped meanwhile. Null while that is not known.
 */
function purgeHorizon(clock: MonotonicClock): (now: Date) => Date | null {
  const readings: Reading[] = [];
  return (now) => {
    const atMs = clock();
    readings.push({ atMs, now });
    // The first one stays as long as no other is old enough.
    while (atMs - (readings[1]?.atMs ?? atMs) >= minRetentionMs) readings.shift();
    if (atMs - (readings[0]?.atMs ?? atMs) < minRetentionMs) return null;
    return new Date(Math.min(...readings.map((reading) => reading.now.getTime())));
  };
}
