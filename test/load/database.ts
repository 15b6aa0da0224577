/** Temporary directories, and empty databases with a data directory of their own. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from '../support/postgres.ts';

export interface TemporaryDirectory {
  readonly path: string;
  readonly remove: () => void;
}

/** Removed at the latest when the program ends. */
export function temporaryDirectory(): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), 'latchkey-load-'));
  const remove = () => rmSync(path, { recursive: true, force: true });
  process.once('exit', remove);
  return {
    path,
    remove: () => {
      process.off('exit', remove);
      remove();
    },
  };
}

export interface Database {
  readonly url: string;
  /** For DATA_DIR. */
  readonly directory: string;
  readonly sizeMb: () => Promise<number>;
  readonly remove: () => Promise<void>;
}

const bytesPerMb = 1024 * 1024;

/** A file. It is created with its directory when the service starts. */
export async function sqliteDatabase(): Promise<Database> {
  const { path, remove } = temporaryDirectory();
  const directory = join(path, 'data');
  const sizes = () => readdirSync(directory).map((name) => statSync(join(directory, name)).size);
  return {
    url: `file:${join(directory, 'latchkey.db')}`,
    directory,
    sizeMb: async () => sizes().reduce((sum, size) => sum + size, 0) / bytesPerMb,
    remove: async () => remove(),
  };
}

/** A database of a server, whose URL has no database. */
export async function postgresDatabase(server: string): Promise<Database> {
  const { path, remove } = temporaryDirectory();
  const name = `latchkey_${randomBytes(8).toString('hex')}`;
  const url = `${server}/${name}`;
  await query(`${server}/postgres`, `CREATE DATABASE ${name}`);
  return {
    url,
    directory: join(path, 'data'),
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
