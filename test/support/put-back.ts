import Sqlite from 'better-sqlite3';
import { query } from './postgres.ts';
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
  await query(
    database.url,
    'DROP TABLE IF EXISTS keys_then; CREATE TABLE revision_then AS TABLE "Revision"; CREATE TABLE keys_then AS TABLE "ApiKey"',
  );
  // What pg_restore --clean --single-transaction does, as far as it matters: tables made anew.
  const restore = `BEGIN; DELETE FROM "ApiKey"; INSERT INTO "ApiKey" TABLE keys_then;
    DELETE FROM "AuditEntry" WHERE "revision" > (SELECT "current" FROM revision_then);
    DROP TABLE "Revision"; ALTER TABLE revision_then RENAME TO "Revision"; COMMIT`;
  return async () => {
    await query(database.url, restore);
  };
}
