import Sqlite from 'better-sqlite3';
import { query } from './postgres.ts';

/** Runs a statement as `sqlite3` and `psql` do: on a connection of its own, without any code of the service. */
export async function runSql(url: string, sql: string): Promise<Record<string, unknown>[]> {
  if (!url.startsWith('file:')) return await query(url, sql);
  const sqlite = new Sqlite(url.slice('file:'.length));
  try {
    if (/^\s*SELECT/i.test(sql)) return sqlite.prepare<[], Record<string, unknown>>(sql).all();
    sqlite.exec(sql);
    return [];
  } finally {
    sqlite.close();
  }
}
