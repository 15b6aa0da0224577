/** The database of a run, made for it and removed with it. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Provider } from '../support/databases.ts';
import { startPostgres } from '../support/embedded-postgres.ts';

export interface SoakStore {
  readonly environment: { readonly DATA_DIR: string; readonly DATABASE_URL: string };
  readonly sizeMb: () => Promise<number>;
  readonly remove: () => Promise<void>;
}

const bytesOfMb = 1024 * 1024;

export async function createStore(provider: Provider): Promise<SoakStore> {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-soak-'));
  const removeDirectory = () => rmSync(directory, { recursive: true, force: true });
  if (provider === 'sqlite') {
    return {
      environment: { DATA_DIR: directory, DATABASE_URL: `file:${join(directory, 'latchkey.db')}` },
      sizeMb: async () =>
        readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0) / bytesOfMb,
      remove: async () => removeDirectory(),
    };
  }
  const server = await startPostgres();
  const DATABASE_URL = `${server.url}/soak`;
  await ask(`${server.url}/postgres`, 'CREATE DATABASE soak');
  return {
    environment: { DATA_DIR: directory, DATABASE_URL },
    sizeMb: async () => Number(await ask(DATABASE_URL, 'SELECT pg_database_size(current_database())')) / bytesOfMb,
    remove: async () => {
      await server.stop();
      removeDirectory();
    },
  };
}

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return Object.values(rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}
