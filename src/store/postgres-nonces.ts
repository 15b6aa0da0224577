import pg from 'pg';
import type { Nonces } from './nonces.ts';

const patienceMs = 1000;

export function openPostgresNonces(url: string): Nonces {
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    application_name: 'latchkey nonces',
  });
  // The pool replaces a connection that broke while idle.
  pool.on('error', () => undefined);
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
    purge: async (now) => {
      await pool.query('DELETE FROM "SignatureNonce" WHERE "expiresAt" < $1::timestamp', [now.toISOString()]);
    },
    close: () => pool.end(),
  };
}
