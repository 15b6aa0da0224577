import Sqlite from 'better-sqlite3';
import { until } from './instance.ts';
import { query } from './postgres.ts';

/** Runs a statement as `sqlite3` and `psql` do: on a connection of its own, without any code of the service. */
export async function runSql(url: string, sql: string): Promise<Record<string, unknown>[]> {
  if (!url.startsWith('file:')) return await query(url, sql);
  // Waiting inside SQLite would stop this process, and with it the service under test, which may hold the lock.
  const sqlite = new Sqlite(url.slice('file:'.length), { timeout: 0 });
  try {
    if (/^\s*SELECT/i.test(sql)) return sqlite.prepare<[], Record<string, unknown>>(sql).all();
    await until('the database is not locked', () => hasRun(sqlite, sql));
    return [];
  } finally {
    sqlite.close();
  }
}

function hasRun(sqlite: Sqlite.Database, sql: string): boolean {
  try {
    sqlite.exec(sql);
    return true;
  } catch (error) {
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return false;
    throw error;
  }
}
