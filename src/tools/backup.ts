/** `npm run backup`: copies the SQLite database of a running service, and the secrets that it needs. */
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Configuration, ConfigurationError } from '../config/configuration.ts';
import { needsGeneratedSecrets, secretsPath } from '../config/secrets-file.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import { copySqlite, problemsOfCopy, summaryOfCopy, syncToDisk } from '../store/sqlite-copy.ts';
import { copyName, readCopyArguments, ringsWith, runCommand } from './command.ts';

const advice = [
  'The database is PostgreSQL. Use its own tools, also while the service runs:',
  '  pg_dump --format=custom --file=latchkey.dump "$DATABASE_URL"',
  'The generated secrets, if there are any, are in <DATA_DIR>/secrets.json: keep a copy of it apart from the dump.',
];

await runCommand('npm run backup -- <new directory>', async () => {
  const { directory, configuration, file } = readCopyArguments([], advice);
  const target = resolve(directory);
  if (existsSync(target)) throw new Error(`${target} exists already; each backup gets a directory of its own`);
  if (!existsSync(file)) throw new Error(`there is no database at ${file}`);
  // Renamed once it is complete.
  const aside = `${target}.unfinished-${randomBytes(4).toString('hex')}`;
  makeDirectory(aside);
  try {
    const withSecrets = copyInto(aside, file, configuration);
    await examine(aside, configuration);
    syncToDisk(aside);
    renameSync(aside, target);
    syncToDisk(dirname(target));
    const { unrevokedKeys, lastChange } = await summaryOfCopy(join(target, copyName));
    console.log(describe({ target, withSecrets, unrevokedKeys, lastChange }));
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
});

/** Copies the database first: a ring key that is added in between is then in the copy of the secrets. */
function copyInto(directory: string, file: string, configuration: Configuration): boolean {
  copySqlite(file, join(directory, copyName));
  if (!needsGeneratedSecrets(configuration)) return false;
  copyFileSync(secretsPath(configuration.DATA_DIR), secretsPath(directory));
  syncToDisk(secretsPath(directory));
  return true;
}

/** Checks that the backup can be restored. */
async function examine(directory: string, configuration: Configuration): Promise<void> {
  const rings = ringsWith(configuration, directory);
  if (rings === null) throw new Error('the secrets are neither in the environment nor in secrets.json');
  const problems = await problemsOfCopy(join(directory, copyName), rings);
  if (problems.length > 0) throw new ConfigurationError(problems);
}

interface Made {
  readonly target: string;
  readonly withSecrets: boolean;
  readonly unrevokedKeys: number;
  readonly lastChange: Date | null;
}

function describe({ target, withSecrets, unrevokedKeys, lastChange }: Made): string {
  const secrets = withSecrets
    ? `  secrets.json   the generated secrets: with them, anyone can forge signatures and session tokens.
                 Protect the directory like passwords, or move this file to a separate place.`
    : `The secrets come from the environment and are not in the backup: KEY_PEPPERS, SIGNING_KEKS and the keys of session
tokens. Keep a copy of them elsewhere: the backup can't be used without them.`;
  return `${target}
  ${copyName}    ${unrevokedKeys} keys that are not revoked; last change ${lastChange?.toISOString() ?? 'none yet'}
${secrets}`;
}
