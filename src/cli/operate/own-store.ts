/** Opens the service's store for the operator's commands, even while the service runs, and finds its secrets. */
import type { Command } from 'commander';
import { type Configuration, ConfigurationError, readConfiguration } from '../../config/configuration.ts';
import { existingSecrets, needsGeneratedSecrets } from '../../config/secrets-file.ts';
import type { CopyRings } from '../../store/sqlite-copy.ts';
import { Store } from '../../store/store.ts';

/** Adds a command that prints its result as text or JSON. Files that the command creates are private to their owner. */
export function addOperatorCommand(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .option('--json', 'print JSON')
    .hook('preAction', () => {
      process.umask(0o077);
    });
}

export async function withStore<T>(run: (store: Store, configuration: Configuration) => Promise<T>): Promise<T> {
  const configuration = readConfiguration(process.env);
  const store = await Store.openAsItIs(configuration.DATABASE_URL);
  try {
    return await run(store, configuration);
  } finally {
    await store.close();
  }
}

/** Takes each ring from the environment, or else from the secrets directory. Returns null if one is missing. */
export function findRings(configuration: Configuration, secretsDirectory: string): CopyRings | null {
  const stored = needsGeneratedSecrets(configuration) ? existingSecrets(secretsDirectory) : null;
  const peppers = configuration.KEY_PEPPERS ?? stored?.peppers;
  const signingKeks = configuration.SIGNING_KEKS ?? stored?.signingKeks;
  return peppers === undefined || signingKeks === undefined ? null : { peppers, signingKeks };
}

export function ringsOf(configuration: Configuration, secretsDirectory = configuration.DATA_DIR): CopyRings {
  const rings = findRings(configuration, secretsDirectory);
  if (rings !== null) return rings;
  throw new ConfigurationError(['the secrets are neither in the environment nor in secrets.json']);
}

/** The name of the database copy in the directory of a backup. */
export const copyName = 'latchkey.db';

/** Returns the path of the SQLite database. For PostgreSQL, throws the advice to use PostgreSQL's tools. */
export function sqliteFileOf({ DATABASE_URL }: Configuration, postgresqlAdvice: readonly string[]): string {
  if (DATABASE_URL.provider === 'sqlite') return DATABASE_URL.file;
  throw new ConfigurationError(postgresqlAdvice);
}
