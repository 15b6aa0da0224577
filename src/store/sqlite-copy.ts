/** Creates copies of a SQLite database in use, checks them, and restores them while no service runs. */
import { existsSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { KeyRing } from '../domain/secret/key-ring.ts';
import { syncToDisk } from '../lib/sync-to-disk.ts';
import { pendingOfSqlite } from './migrate.ts';
import { type RingDatabase, ringProblems } from './rows/ring-keys.ts';

export interface CopyRings {
  readonly peppers: KeyRing;
  readonly signingKeks: KeyRing;
}

export interface CopySummary {
  readonly unrevokedKeys: number;
  readonly lastChange: Date | null;
}

/** Copies in one read transaction, which blocks no writer. SQLite's backup API restarts when others write. */
export function copySqlite(file: string, copy: string): void {
  const sqlite = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    sqlite.prepare('VACUUM INTO ?').run(copy);
  } finally {
    sqlite.close();
  }
  syncToDisk(copy);
}

/** Returns why a copy can't be used with the given rings; empty when it can. */
export async function problemsOfCopy(copy: string, { peppers, signingKeks }: CopyRings): Promise<string[]> {
  const structure = await problemsOfStructure(copy);
  if (structure.length > 0) return structure;
  return await withCopy(copy, async (sqlite) => {
    const query: RingDatabase['query'] = async (sql) => sqlite.prepare<[], never>(sql).all();
    const database: RingDatabase = {
      provider: 'sqlite',
      query,
      slowQuery: query,
      tables: new Set(sqlite.prepare<[], string>(`SELECT name FROM sqlite_master WHERE type = 'table'`).pluck().all()),
    };
    return [
      ...(await ringProblems(database, 'pepper', peppers)).map((problem) => `pepper ${problem}`),
      ...(await ringProblems(database, 'signing-kek', signingKeks)).map((problem) => `key-encryption key ${problem}`),
    ];
  });
}

async function problemsOfStructure(copy: string): Promise<string[]> {
  try {
    return await withCopy(copy, async (sqlite) => {
      const [first] = sqlite.prepare<[], string>('PRAGMA integrity_check(1)').pluck().all();
      if (first !== 'ok') return [`the database is damaged: ${first}`];
      // An older copy is fine: the service migrates it when it starts.
      pendingOfSqlite(sqlite);
      return [];
    });
  } catch (error) {
    return [`the database is of no use: ${error instanceof Error ? error.message : String(error)}`];
  }
}

export async function summaryOfCopy(copy: string): Promise<CopySummary> {
  return await withCopy(copy, async (sqlite) => {
    const keys = sqlite.prepare<[], number>('SELECT count(*) FROM "ApiKey" WHERE "revokedAt" IS NULL').pluck().get();
    const last = sqlite.prepare<[], string>('SELECT at FROM "AuditEntry" ORDER BY revision DESC LIMIT 1').pluck().get();
    return { unrevokedKeys: keys ?? 0, lastChange: last === undefined ? null : new Date(last) };
  });
}

/** Returns whether a process has the file open. If not, merges the log, by leaving WAL mode. */
export function isInUse(file: string): boolean {
  const sqlite = new Sqlite(file, { fileMustExist: true, timeout: 0 });
  try {
    sqlite.pragma('journal_mode = DELETE');
    return false;
  } catch (error) {
    const code = error instanceof Sqlite.SqliteError ? error.code : '';
    // A damaged file counts as unused: it can't be checked, and is only moved aside.
    if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') return false;
    if (code.startsWith('SQLITE_BUSY')) return true;
    throw error;
  } finally {
    sqlite.close();
  }
}

/** Moves a database with its log, which must never be used with another database. The nonces stay in place. */
export function moveSqlite(file: string, to: string): void {
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(file + suffix)) renameSync(file + suffix, to + suffix);
  }
  syncToDisk(dirname(to));
}

export async function withCopy<T>(copy: string, use: (sqlite: Sqlite.Database) => Promise<T>): Promise<T> {
  const sqlite = new Sqlite(copy, { readonly: true, fileMustExist: true });
  try {
    return await use(sqlite);
  } finally {
    sqlite.close();
  }
}
