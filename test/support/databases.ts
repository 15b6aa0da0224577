import { inject } from 'vitest';
import type { DatabaseProvider } from '../../src/lib/database-address.ts';
import { postgresDatabase, sqliteDatabase, type TemporaryDatabase } from './temporary-database.ts';

const chosen = process.env.TEST_DATABASE;

/** The databases that tests run on: one for each project of test/vitest.config.ts, and both for `*.slow.test.ts`. */
export const providers: readonly DatabaseProvider[] =
  chosen === 'sqlite' || chosen === 'postgresql' ? [chosen] : ['sqlite', 'postgresql'];
export const theProvider: DatabaseProvider = providers[0] ?? 'sqlite';

/** An empty database of its own: a file, or a database in the PostgreSQL of this test run. */
export async function temporaryDatabase(provider: DatabaseProvider): Promise<TemporaryDatabase> {
  return provider === 'sqlite' ? await sqliteDatabase() : await postgresDatabase(inject('postgresUrl'));
}
