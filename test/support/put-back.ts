import Sqlite from 'better-sqlite3';
import pg from 'pg';
import type { RunningService } from './service.ts';

/** Saves the state of the database. Returns a function that restores it, as the tools of that database do. */
export async function stateOf({ database }: RunningService): Promise<() => Promise<void>> {
  if (database.url.startsWith('file:')) {
    const file = database.url.slice('file:'.length);
    const copy = `${file}.copy`;
    await new Sqlite(file, { readonly: true }).backup(copy);
    return async () => {
      await new Sqlite(copy, { readonly: true }).backup(file);
    };
  }
  const perform = async (sql: string) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await perform(
    'DROP TABLE IF EXISTS keys_then; CREATE TABLE revision_then AS TABLE "Revision"; CREATE TABLE keys_then AS TABLE "ApiKey"',
  );
  // What pg_restore --clean --single-transaction does, as far as it matters: tables made anew.
  return async () =>
    await perform(`
      BEGIN; DELETE FROM "ApiKey"; INSERT INTO "ApiKey" TABLE keys_then;
      DELETE FROM "AuditEntry" WHERE "revision" > (SELECT "current" FROM revision_then);
      DROP TABLE "Revision"; ALTER TABLE revision_then RENAME TO "Revision"; COMMIT`);
}
