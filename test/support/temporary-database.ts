/** Temporary directories, and empty databases with a data directory of their own. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from './postgres.ts';

export interface TemporaryDirectory {
  readonly path: string;
  readonly remove: () => void;
}

const directories = new Set<string>();
process.once('exit', () => {
  for (const path of directories) rmSync(path, { recursive: true, force: true });
});

/** Removed at the latest when the program ends. */
export function temporaryDirectory(): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), 'latchkey-test-'));
  directories.add(path);
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true });
      directories.delete(path);
    },
  };
}

export interface TemporaryDatabase {
  /** For DATABASE_URL. */
  readonly url: string;
  /** For DATA_DIR. */
  readonly directory: string;
  readonly sizeMb: () => Promise<number>;
  readonly remove: () => Promise<void>;
}

const bytesPerMb = 1024 * 1024;

/** A file, which is created when the service starts. */
export async function sqliteDatabase(): Promise<TemporaryDatabase> {
  const { path: directory, remove } = temporaryDirectory();
  const sizes = () => readdirSync(directory).map((name) => statSync(join(directory, name)).size);
  return {
    url: `file:${join(directory, 'latchkey.db')}`,
    directory,
    sizeMb: async () => sizes().reduce((sum, size) => sum + size, 0) / bytesPerMb,
    remove: async () => remove(),
  };
}

/** A database of a server, whose URL has no database. `options` are those of CREATE DATABASE. */
export async function postgresDatabase(server: string, options = ''): Promise<TemporaryDatabase> {
  const { path: directory, remove } = temporaryDirectory();
  const name = `latchkey_${randomBytes(8).toString('hex')}`;
  const url = `${server}/${name}`;
  await query(`${server}/postgres`, `CREATE DATABASE ${name} ${options}`);
  return {
    url,
    directory,
    sizeMb: async () => {
      const [row] = await query(url, 'SELECT pg_database_size(current_database()) AS size');
      return Number(row?.size) / bytesPerMb;
    },
    remove: async () => {
      await query(`${server}/postgres`, `DROP DATABASE ${name} WITH (FORCE)`);
      remove();
    },
  };
}
