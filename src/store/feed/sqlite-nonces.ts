import { hash } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import { turnOnWal } from '../sqlite-wal.ts';
import { type MonotonicClock, minRetentionMs, type NonceClaim, type Nonces } from './nonces.ts';

/** How long SQLite waits for the lock of another process. */
const waitMs = 1000;

/**
 * Opens a separate file, so that nonces never wait for changes of keys, and do not make caches look for changes. A
 * power failure may lose the last nonces (synchronous = NORMAL); the end of a process does not. Rows have 16 bytes of a
 * hash, and are never deleted one by one: two tables alternate, and each is emptied when all its nonces have expired.
 */
export function openSqliteNonces(databaseFile: string, clock: MonotonicClock): Nonces {
  const sqlite = new Sqlite(`${databaseFile}-nonces`, { timeout: waitMs });
  turnOnWal(sqlite, waitMs);
  sqlite.pragma('synchronous = NORMAL');
  // Writes go to random pages. With rare checkpoints, more writes to the same page are merged.
  sqlite.pragma('wal_autocheckpoint = 4000');
  sqlite.pragma('cache_size = -65536');
  sqlite.exec(`
    CREATE TABLE IF NOT EXISTS even (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS odd (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS turn (number INTEGER PRIMARY KEY, expires INTEGER NOT NULL) STRICT;
    INSERT OR IGNORE INTO turn SELECT value, 0 FROM json_each('[0, 1]') WHERE NOT EXISTS (SELECT 1 FROM turn);
  `);
  // The previous and the current turn. `expires`: when the last nonce of the turn expires.
  const turns = sqlite.prepare<[], Turn>('SELECT number, expires FROM turn ORDER BY number');
  const extend = sqlite.prepare<[number, number]>('UPDATE turn SET expires = ? WHERE number = ?');
  const replace = sqlite.prepare<[number, number]>('UPDATE turn SET number = ?, expires = 0 WHERE number = ?');
  const tables = [prepareTable(sqlite, 'even', 'odd'), prepareTable(sqlite, 'odd', 'even')] as const;
  const tableOf = ({ number }: Turn) => (number % 2 === 0 ? tables[0] : tables[1]);
  const readTurns = (): readonly [Turn, Turn] => {
    const [previous, current] = turns.all();
    if (previous === undefined || current === undefined) throw new Error('the nonces have lost their turns');
    return [previous, current];
  };

  const find = sqlite.prepare<[Buffer, Buffer]>(
    'SELECT 1 FROM even WHERE id = ? UNION ALL SELECT 1 FROM odd WHERE id = ?',
  );
  const claimAll = sqlite.transaction((claims: readonly NonceClaim[]) => {
    const [, current] = readTurns();
    const { insert } = tableOf(current);
    const expires = Math.max(...claims.map(({ expiresAt }) => expiresAt.getTime()));
    if (expires > current.expires) extend.run(expires, current.number);
    return claims.map(({ keyId, nonce }) => {
      const id = idOf(keyId, nonce);
      return insert.run(id, id).changes === 1;
    });
  });

  // `sinceMs`: when this process first saw the current turn. Since then, no nonce was added to the previous turn.
  let known = { number: -1, sinceMs: 0 };
  const turnOver = sqlite.transaction((nowMs: number) => {
    const [previous, current] = readTurns();
    if (known.number !== current.number) known = { number: current.number, sinceMs: clock() };
    if (clock() - known.sinceMs < minRetentionMs || !isOver(previous, nowMs)) return;
    tableOf(previous).empty.run();
    replace.run(previous.number + 2, previous.number);
  });

  return {
    claim: async (claims) => claimAll.immediate(claims),
    has: async (keyId, nonce) => {
      const id = idOf(keyId, nonce);
      return find.get(id, id) !== undefined;
    },
    purge: async (now) => turnOver.immediate(now.getTime()),
    close: async () => {
      sqlite.close();
    },
  };
}

function idOf(keyId: string, nonce: string): Buffer {
  return hash('sha256', `${keyId} ${nonce}`, 'buffer').subarray(0, 16);
}

interface Turn {
  readonly number: number;
  readonly expires: number;
}

const maxClockAheadMs = 86_400_000;

/** Returns whether the nonces have expired. An expiry more than a day ahead, from a wrong clock, counts as past. */
function isOver({ expires }: Turn, nowMs: number): boolean {
  return expires <= nowMs || expires > nowMs + maxClockAheadMs;
}

function prepareTable(sqlite: Sqlite.Database, name: string, other: string) {
  return {
    empty: sqlite.prepare<[]>(`DELETE FROM ${name}`),
    insert: sqlite.prepare<[Buffer, Buffer]>(
      `INSERT OR IGNORE INTO ${name} SELECT ? WHERE NOT EXISTS (SELECT 1 FROM ${other} WHERE id = ?)`,
    ),
  };
}
