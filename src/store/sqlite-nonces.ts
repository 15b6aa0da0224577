import Sqlite from 'better-sqlite3';
import type { NonceClaim, Nonces } from './nonces.ts';

/**
 * On SQLite, in a file of its own beside the database: recording a nonce then never waits for a change of keys, nor
 * makes the caches look for one. A power failure may lose the last moments' nonces (synchronous = NORMAL); the end of
 * the process does not.
 */
export function openSqliteNonces(databaseFile: string): Nonces {
  const sqlite = new Sqlite(`${databaseFile}-nonces`, { timeout: 1000 });
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = NORMAL');
  sqlite.exec(`
    CREATE TABLE IF NOT EXISTS nonce (
      keyId TEXT NOT NULL, nonce TEXT NOT NULL, expiresAt INTEGER NOT NULL, PRIMARY KEY (keyId, nonce)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS nonce_expiresAt ON nonce (expiresAt);
  `);
  const insert = sqlite.prepare('INSERT OR IGNORE INTO nonce (keyId, nonce, expiresAt) VALUES (?, ?, ?)');
  const remove = sqlite.prepare('DELETE FROM nonce WHERE expiresAt < ?');
  const claimAll = sqlite.transaction((claims: readonly NonceClaim[]) =>
    claims.map(({ keyId, nonce, expiresAt }) => insert.run(keyId, nonce, expiresAt.getTime()).changes === 1),
  );
  return {
    claim: async (claims) => claimAll.immediate(claims),
    purge: async (now) => {
      remove.run(now.getTime());
    },
    close: async () => {
      sqlite.close();
    },
  };
}
