import type Sqlite from 'better-sqlite3';

/**
 * Turns on WAL mode, in which readers continue during writes. If two processes turn it on at once, SQLite rejects one
 * immediately, without the busy timeout, so this function tries again.
 */
export function turnOnWal(sqlite: Sqlite.Database, waitMs: number): void {
  const deadline = Date.now() + waitMs;
  for (;;) {
    try {
      sqlite.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
      if (!isBusy || Date.now() > deadline) throw error;
      // Blocking is fine: nothing else runs in a starting process.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
