import Sqlite from 'better-sqlite3';
import pg from 'pg';

/** Runs a statement as `sqlite3` and `psql` do: on a connection of its own, without any code of the service. */
export async function runSql(url: string, sql: string): Promise<Record<string, unknown>[]> {
  if (url.startsWith('file:')) {
    const sqlite = new Sqlite(url.slice('file:'.length));
    try {
      if (/^\s*SELECT/i.test(sql)) return sqlite.prepare<[], Record<string, unknown>>(sql).all();
      sqlite.exec(sql);
      return [];
    } finally {
      sqlite.close();
    }
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
