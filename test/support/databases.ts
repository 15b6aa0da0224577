import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';

export const providers = ['sqlite', 'postgresql'] as const;
export type Provider = (typeof providers)[number];

/**
 * The database for tests of rules above the store: SQLite in `npm test`, PostgreSQL in `npm run test:slow`
 * (test/slow.vitest.config.ts).
 */
export const theProvider: Provider = process.env.TEST_DATABASE === 'postgresql' ? 'postgresql' : 'sqlite';
export const oneProvider: readonly Provider[] = [theProvider];

export interface TemporaryDatabase {
  /** As DATABASE_URL has it. */
  readonly url: string;
  /** A directory of its own, for DATA_DIR. */
  readonly directory: string;
  readonly remove: () => Promise<void>;
}

/** An empty database of its own: a file, or a database in the PostgreSQL of this test run. */
export async function temporaryDatabase(provider: Provider): Promise<TemporaryDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-test-'));
  const removeDirectory = () => rm(directory, { recursive: true, force: true });
  if (provider === 'sqlite') {
    return { url: `file:${join(directory, 'latchkey.db')}`, directory, remove: removeDirectory };
  }
  const server = inject('postgresUrl');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(server, `CREATE DATABASE ${name}`);
  return {
    url: `${server}/${name}`,
    directory,
    remove: async () => {
      await administer(server, `DROP DATABASE ${name} WITH (FORCE)`);
      await removeDirectory();
    },
  };
}

async function administer(server: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${server}/postgres` });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
