/** Copies of a SQLite database: made while services use it, examined, and put in place while none does. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { KeyRing } from '../domain/key-ring.ts';
import { pendingOfSqlite } from './migrate.ts';
import { type RingDatabase, ringProblems } from './ring-keys.ts';

export interface CopyRings {
  readonly peppers: KeyRing;
  readonly signingKeks: KeyRing;
}

export interface CopySummary {
  readonly unrevokedKeys: number;
  readonly lastChange: Date | null;
}

/**
 * All of one moment, in one file without a write-ahead log. In one read transaction, which holds up no writer; SQLite's
 * stepwise backup would start anew with every change that another process makes.
 */
export function copySqlite(file: string, copy: string): void {
  const sqlite = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    sqlite.prepare('VACUUM INTO ?').run(copy);
  } finally {
    sqlite.close();
  }
  syncToDisk(copy);
}

/** Why a copy is of no use here, with the rings that there are for it; empty when it is good. */
export async function problemsOfCopy(copy: string, { peppers, signingKeks }: CopyRings): Promise<string[]> {
  const structure = problemsOfStructure(copy);
  if (structure.length > 0) return structure;
  return await withCopy(copy, async (sqlite) => {
    const database: RingDatabase = { provider: 'sqlite', query: async (sql) => sqlite.prepare<[], never>(sql).all() };
    return [
      ...(await ringProblems(database, 'pepper', peppers)).map((problem) => `pepper ${problem}`),
      ...(await ringProblems(database, 'signing-kek', signingKeks)).map((problem) => `key-encryption key ${problem}`),
    ];
  });
}

function problemsOfStructure(copy: string): string[] {
  const sqlite = new Sqlite(copy, { readonly: true, fileMustExist: true });
  try {
    const [first] = sqlite.prepare<[], string>('PRAGMA integrity_check(1)').pluck().all();
    if (first !== 'ok') return [`the database is damaged: ${first}`];
    // An older one is welcome: the service brings it up to date when it starts.
    pendingOfSqlite(sqlite);
    return [];
  } catch (error) {
    return [`the database is of no use: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    sqlite.close();
  }
}

export async function summaryOfCopy(copy: string): Promise<CopySummary> {
  return await withCopy(copy, async (sqlite) => {
    const keys = sqlite.prepare<[], number>('SELECT count(*) FROM "ApiKey" WHERE "revokedAt" IS NULL').pluck().get();
    const last = sqlite.prepare<[], string>('SELECT at FROM "AuditEntry" ORDER BY revision DESC LIMIT 1').pluck().get();
    return { unrevokedKeys: keys ?? 0, lastChange: last === undefined ? null : new Date(last) };
  });
}

/**
 * The keys that a copy has as not revoked, and another database as revoked or, purged, not any more; null when that
 * can't be read.
 */
export async function revokedOnlyIn(file: string, copy: string): Promise<string[] | null> {
  try {
    return await withCopy(copy, async (sqlite) => {
      sqlite.prepare('ATTACH ? AS other').run(file);
      return sqlite
        .prepare<[], string>(
          `SELECT k.id FROM main."ApiKey" k LEFT JOIN other."ApiKey" o ON o.id = k.id
           WHERE k."revokedAt" IS NULL AND (o."revokedAt" IS NOT NULL OR o.id IS NULL) ORDER BY k.id`,
        )
        .pluck()
        .all();
    });
  } catch {
    return null;
  }
}

/**
 * Whether some process has the database open. Each holds a lock on it all the while, which leaving WAL mode has to
 * wait for; when it need not, this also empties the write-ahead log into the database and removes it.
 */
export function isInUse(file: string): boolean {
  const sqlite = new Sqlite(file, { fileMustExist: true, timeout: 0 });
  try {
    sqlite.pragma('journal_mode = DELETE');
    return false;
  } catch (error) {
    const code = error instanceof Sqlite.SqliteError ? error.code : '';
    // Whether a damaged file is in use can't be told; it is only ever moved aside.
    if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') return false;
    if (code.startsWith('SQLITE_BUSY')) return true;
    throw error;
  } finally {
    sqlite.close();
  }
}

/** With its write-ahead log, which must never meet another database. The nonces stay: a signature is good once. */
export function moveSqlite(file: string, to: string): void {
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(file + suffix)) renameSync(file + suffix, to + suffix);
  }
  syncToDisk(dirname(to));
}

/** A file's contents, or the names in a directory. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

async function withCopy<T>(copy: string, use: (sqlite: Sqlite.Database) => Promise<T>): Promise<T> {
  const sqlite = new Sqlite(copy, { readonly: true, fileMustExist: true });
  try {
    return await use(sqlite);
  } finally {
    sqlite.close();
  }
}
