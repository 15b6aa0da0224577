import { inject } from 'vitest';
import { postgresDatabase, sqliteDatabase, type TemporaryDatabase } from './temporary-database.ts';

export const providers = ['sqlite', 'postgresql'] as const;
export type Provider = (typeof providers)[number];

/**
 * The database for tests of rules above the store: SQLite in `npm test`, PostgreSQL in `npm run test:slow`
 * (test/slow.vitest.config.ts).
 */
export const theProvider: Provider = process.env.TEST_DATABASE === 'postgresql' ? 'postgresql' : 'sqlite';
export const oneProvider: readonly Provider[] = [theProvider];

/** An empty database of its own: a file, or a database in the PostgreSQL of this test run. */
export async function temporaryDatabase(provider: Provider): Promise<TemporaryDatabase> {
  return provider === 'sqlite' ? await sqliteDatabase() : await postgresDatabase(inject('postgresUrl'));
}
