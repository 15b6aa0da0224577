import type Sqlite from 'better-sqlite3';

/**
 * WAL lets readers go on while a transaction is written; the mode stays with the file.
 *
 * Of two processes that turn it on at the same moment, SQLite refuses one at once, however long its timeout is: each
 * holds the lock that the other waits for. The one that was refused tries again and finds it done.
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
      // Nothing else runs in a process that starts.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
