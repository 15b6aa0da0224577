import { inject } from 'vitest';
import { postgresDatabase, sqliteDatabase, type TemporaryDatabase } from './temporary-database.ts';

export const providers = ['sqlite', 'postgresql'] as const;
export type Provider = (typeof providers)[number];

/**
 * For tests of rules above the store, which one database proves in `npm test`. `npm run test:slow` runs them on the
 * other one (test/slow.vitest.config.ts).
 */
export const oneProvider: readonly Provider[] = [process.env.TEST_DATABASE === 'postgresql' ? 'postgresql' : 'sqlite'];

/** An empty database of its own: a file, or a database in the PostgreSQL of this test run. */
export async function temporaryDatabase(provider: Provider): Promise<TemporaryDatabase> {
  return provider === 'sqlite' ? await sqliteDatabase() : await postgresDatabase(inject('postgresUrl'));
}
