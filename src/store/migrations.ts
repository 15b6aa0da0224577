/**
 * The migrations of this version: `init`, which joins what came before 0.2.0, and one folder for each release since. `init`
 * ran on databases of main before 0.2.0 was complete, so 0.2.0 has a folder too.
 */
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { DatabaseProvider } from '../lib/database-address.ts';
import { projectFile } from '../lib/project-files.ts';

export interface Migration {
  readonly name: string;
  readonly sql: string;
  /** The SHA-256 of the script in hexadecimal, as Prisma computes it. */
  readonly checksum: string;
}

interface Migrations {
  /** The first one is `init`. */
  readonly migrations: readonly Migration[];
  /** Reads those before 0.2.0, which led to what `init` creates. A database that has some of them needs the others. */
  readonly before: () => readonly Migration[];
}

export function readMigrations(provider: DatabaseProvider): Migrations {
  const directory = projectFile(`prisma/migrations/${provider}/`);
  const read = (path: string) => readFileSync(new URL(path, directory), 'utf8');
  const folders = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return {
    migrations: folders
      .map(({ name }) => name)
      .sort()
      .map((name) => migration(name, read(`${name}/migration.sql`))),
    before: () => {
      const [, ...parts] = read('before-init.sql').split(/^-- migration: (\w+)\n/m);
      return parts.flatMap((part, i) => (i % 2 === 0 ? [migration(part, parts[i + 1] ?? '')] : []));
    },
  };
}

function migration(name: string, sql: string): Migration {
  return { name, sql, checksum: hash('sha256', sql, 'hex') };
}
