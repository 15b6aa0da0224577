/** Shared code of the operator's commands. */
import { parseArgs } from 'node:util';
import { type Configuration, ConfigurationError, readConfiguration } from '../config/configuration.ts';
import { existingSecrets, needsGeneratedSecrets } from '../config/secrets-file.ts';
import type { CopyRings } from '../store/sqlite-copy.ts';

/** Runs a command. Prints errors on standard error and exits with 1. */
export async function runCommand(usage: string, main: () => Promise<void>): Promise<void> {
  process.umask(0o077);
  try {
    await main();
  } catch (error) {
    if (error instanceof ConfigurationError) console.error(error.problems.join('\n'));
    else console.error(error instanceof Error ? error.message : String(error));
    console.error(`usage: ${usage}`);
    process.exitCode = 1;
  }
}

/** Returns the directory argument of backup and restore, the configuration, and the file of the database. */
export function readCopyArguments(flags: readonly string[], postgresqlAdvice: readonly string[]) {
  const options = Object.fromEntries(flags.map((flag) => [flag, { type: 'boolean' as const, default: false }]));
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  const [directory] = positionals;
  if (directory === undefined || positionals.length > 1)
    throw new ConfigurationError(['exactly one directory is required']);
  const configuration = readConfiguration(process.env);
  const { DATABASE_URL } = configuration;
  if (DATABASE_URL.provider !== 'sqlite') throw new ConfigurationError(postgresqlAdvice);
  return { directory, configuration, file: DATABASE_URL.file, flag: (name: string) => values[name] === true };
}

/** Returns the rings of the environment or, if it has none, those of the secrets in a directory. */
export function ringsWith(configuration: Configuration, secretsDirectory: string): CopyRings | null {
  const stored = needsGeneratedSecrets(configuration) ? existingSecrets(secretsDirectory) : null;
  const peppers = configuration.KEY_PEPPERS ?? stored?.peppers;
  const signingKeks = configuration.SIGNING_KEKS ?? stored?.signingKeks;
  return peppers === undefined || signingKeks === undefined ? null : { peppers, signingKeks };
}

/** The name of the database copy in the directory of a backup. */
export const copyName = 'latchkey.db';
