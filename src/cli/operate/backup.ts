/** `latchkey backup`: copies the SQLite database of a running service, and the secrets that it needs. */
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type Configuration, ConfigurationError, readConfiguration } from '../../config/configuration.ts';
import { needsGeneratedSecrets, secretsPath } from '../../config/secrets-file.ts';
import { makeDirectory } from '../../lib/make-directory.ts';
import { syncToDisk } from '../../lib/sync-to-disk.ts';
import { type CopySummary, copySqlite, problemsOfCopy, summaryOfCopy } from '../../store/sqlite-copy.ts';
import type { JsonOption } from '../options.ts';
import { printResult } from '../print.ts';
import { addOperatorCommand, copyName, ringsOf, sqliteFileOf } from './own-store.ts';

const advice = [
  'The database is PostgreSQL. Use its own tools, also while the service runs:',
  '  pg_dump --format=custom --file=latchkey.dump "$DATABASE_URL"',
  'The generated secrets, if there are any, are in <DATA_DIR>/secrets.json: keep a copy of it apart from the dump.',
];

export function addBackupCommand(program: Command): void {
  addOperatorCommand(program, 'backup', 'copy the SQLite database of a running service, and its secrets')
    .argument('<directory>', 'a new directory')
    .action(async (directory: string, { json }: JsonOption) => {
      printResult(await backUp(resolve(directory), readConfiguration(process.env)), json, describe);
    });
}

interface Backup extends CopySummary {
  readonly directory: string;
  readonly withSecrets: boolean;
}

async function backUp(directory: string, configuration: Configuration): Promise<Backup> {
  const file = sqliteFileOf(configuration, advice);
  if (existsSync(directory)) throw new Error(`${directory} exists already; each backup gets a directory of its own`);
  if (!existsSync(file)) throw new Error(`there is no database at ${file}`);
  // The directory gets its final name when it is complete.
  const unfinished = `${directory}.unfinished-${randomBytes(4).toString('hex')}`;
  makeDirectory(unfinished);
  try {
    const withSecrets = copyInto(unfinished, file, configuration);
    const problems = await problemsOfCopy(join(unfinished, copyName), ringsOf(configuration, unfinished));
    if (problems.length > 0) throw new ConfigurationError(problems);
    syncToDisk(unfinished);
    renameSync(unfinished, directory);
    syncToDisk(dirname(directory));
    return { directory, withSecrets, ...(await summaryOfCopy(join(directory, copyName))) };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Copies the database first, so that the copied secrets have every ring key that the copied database needs. */
function copyInto(directory: string, file: string, configuration: Configuration): boolean {
  copySqlite(file, join(directory, copyName));
  if (!needsGeneratedSecrets(configuration)) return false;
  copyFileSync(secretsPath(configuration.DATA_DIR), secretsPath(directory));
  syncToDisk(secretsPath(directory));
  return true;
}

function describe({ directory, withSecrets, unrevokedKeys, lastChange }: Backup): string {
  const secrets = withSecrets
    ? `  secrets.json   the generated secrets: with them, anyone can forge signatures and session tokens.
                 Protect the directory like passwords, or move this file to a separate place.`
    : `The secrets come from the environment and are not in the backup: KEY_PEPPERS, SIGNING_KEKS and the keys of session
tokens. Keep a copy of them elsewhere: the backup can't be used without them.`;
  return `${directory}
  ${copyName}    ${unrevokedKeys} keys that are not revoked; last change ${lastChange?.toISOString() ?? 'none yet'}
${secrets}`;
}
