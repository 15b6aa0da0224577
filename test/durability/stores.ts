/** The databases of a run, and when a killed service no longer uses them. */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pause } from './processes.ts';

export interface RunDatabase {
  readonly url: string;
  /** For DATA_DIR. */
  readonly directory: string;
  /** Whether its migration has started. */
  readonly migrationHasBegun: () => Promise<boolean>;
  /** Records the current sessions. Returns a function that resolves when their statements have been done or dropped. */
  readonly watchSessions: () => Promise<() => Promise<void>>;
  readonly remove: () => Promise<void>;
}

const directories = new Set<string>();
process.once('exit', () => {
  // If the run itself fails.
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-durability-'));
  directories.add(directory);
  return directory;
}

async function removeDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  directories.delete(directory);
}

export async function sqliteDatabase(): Promise<RunDatabase> {
  const directory = await newDirectory();
  const file = join(directory, 'data', 'latchkey.db');
  return {
    url: `file:${file}`,
    directory: join(directory, 'data'),
    migrationHasBegun: async () => existsSync(file),
    // What a killed process had not written is lost.
    watchSessions: async () => async () => undefined,
    remove: () => removeDirectory(directory),
  };
}

const settledWithinMs = 10_000;

export async function postgresDatabase(server: string): Promise<RunDatabase> {
  const directory = await newDirectory();
  const name = `durability_${randomBytes(8).toString('hex')}`;
  const ask = async (sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: `${server}/postgres` });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql, [...values])).rows;
    } finally {
      await client.end();
    }
  };
  await ask(`CREATE DATABASE ${name}`);
  const sessions = `SELECT pid FROM pg_stat_activity WHERE datname = $1 AND application_name LIKE $2`;
  return {
    url: `${server}/${name}`,
    directory: join(directory, 'data'),
    migrationHasBegun: async () => (await ask(sessions, [name, 'latchkey migrations'])).length > 0,
    watchSessions: async () => {
      // A commit that was sent before the kill is still carried out: a session reads what has arrived, and only then
      // finds that the process has ended.
      const old = (await ask(sessions, [name, 'latchkey%'])).map(({ pid }) => Number(pid));
      return async () => {
        const deadline = performance.now() + settledWithinMs;
        while ((await ask('SELECT 1 FROM pg_stat_activity WHERE pid = ANY ($1)', [old])).length > 0) {
          if (performance.now() > deadline) throw new Error('sessions of a killed service do not end');
          await pause(5);
        }
      };
    },
    remove: async () => {
      await ask(`DROP DATABASE ${name} WITH (FORCE)`);
      await removeDirectory(directory);
    },
  };
}
