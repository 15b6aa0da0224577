import { hash } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import type { NonceClaim, Nonces } from './nonces.ts';

/**
 * On SQLite, in a file of its own beside the database: recording a nonce then never waits for a change of keys, nor
 * makes the caches look for one. A power failure may lose the last moments' nonces (synchronous = NORMAL); the end of
 * the process does not.
 *
 * Each signed request costs a row, so rows are small, 16 bytes of a hash, and are never deleted one by one: two tables
 * take turns, each for the nonces that expire within one generation, and are emptied whole.
 */
export function openSqliteNonces(databaseFile: string): Nonces {
  const sqlite = new Sqlite(`${databaseFile}-nonces`, { timeout: 1000 });
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = NORMAL');
  // Pages are written at random places: the longer between checkpoints, the more of those writes fall together.
  sqlite.pragma('wal_autocheckpoint = 4000');
  sqlite.pragma('cache_size = -65536');
  sqlite.exec(`
    CREATE TABLE IF NOT EXISTS even (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS odd (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS generation (parity INTEGER PRIMARY KEY, number INTEGER NOT NULL) STRICT;
    INSERT OR IGNORE INTO generation VALUES (0, 0), (1, 1);
  `);
  const tables = [prepareTable(sqlite, 'even', 'odd', 0), prepareTable(sqlite, 'odd', 'even', 1)] as const;
  const claimAll = sqlite.transaction((claims: readonly NonceClaim[]) => {
    const numbers = tables.map(({ number }) => number.get() ?? 0);
    return claims.map((claim) => {
      const generation = Math.floor(claim.expiresAt.getTime() / generationMs);
      const parity = generation % 2;
      const table = parity === 0 ? tables[0] : tables[1];
      const present = numbers[parity];
      // Another instance's clock is ahead and has begun the next turn: what is claimed here is all but expired.
      if (present === generation + 2) return false;
      if (present !== generation) {
        // Its nonces have expired; or the clock was set back, and they are of signatures that are not valid yet.
        table.empty.run();
        table.begin.run(generation);
        numbers[parity] = generation;
      }
      const id = hash('sha256', `${claim.keyId} ${claim.nonce}`, 'buffer').subarray(0, 16);
      return table.insert.run(id, id).changes === 1;
    });
  });
  return {
    claim: async (claims) => claimAll.immediate(claims),
    // What has expired goes with its table's turn.
    purge: async () => undefined,
    close: async () => {
      sqlite.close();
    },
  };
}

/** Longer than any signature can be accepted, so that at any moment only two generations are alive. */
const generationMs = 320_000;

function prepareTable(sqlite: Sqlite.Database, name: string, other: string, parity: number) {
  return {
    number: sqlite.prepare<[], number>(`SELECT number FROM generation WHERE parity = ${parity}`).pluck(),
    begin: sqlite.prepare<[number]>(`UPDATE generation SET number = ? WHERE parity = ${parity}`),
    empty: sqlite.prepare<[]>(`DELETE FROM ${name}`),
    insert: sqlite.prepare<[Buffer, Buffer]>(
      `INSERT OR IGNORE INTO ${name} SELECT ? WHERE NOT EXISTS (SELECT 1 FROM ${other} WHERE id = ?)`,
    ),
  };
}
