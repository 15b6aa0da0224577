/** Processes that start at once on an empty directory all come up. */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { turnOnWal } from '../../src/store/sqlite-wal.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

const reader = `
  const { parentPort, workerData } = require('node:worker_threads');
  const sqlite = require('better-sqlite3')(workerData.file);
  sqlite.exec('CREATE TABLE t (x); BEGIN; SELECT * FROM t');
  parentPort.postMessage('reading');
  setTimeout(() => { sqlite.exec('COMMIT'); sqlite.close(); }, workerData.forMs);
`;

async function turnOnWalWhileRead(forMs: number, waitMs: number): Promise<unknown> {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'x.db');
  const worker = new Worker(reader, { eval: true, workerData: { file, forMs } });
  await once(worker, 'message');
  // Without a timeout, SQLite rejects at once, as it does where two turn WAL on at the same moment.
  const sqlite = new Sqlite(file, { timeout: 0 });
  try {
    expect(() => sqlite.pragma('journal_mode = WAL')).toThrow('database is locked');
    turnOnWal(sqlite, waitMs);
    return sqlite.pragma('journal_mode', { simple: true });
  } finally {
    sqlite.close();
    await worker.terminate();
    directory.remove();
  }
}

it('turning on WAL is retried while another process uses the file', async () => {
  expect(await turnOnWalWhileRead(2000, 20_000)).toBe('wal');
});

it('turning on WAL fails with the reason after the timeout', async () => {
  await expect(turnOnWalWhileRead(60_000, 100)).rejects.toThrow('database is locked');
});
