/** `npm run restore`: restores a backup while no service runs. Existing files are kept under another name. */
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Configuration, ConfigurationError } from '../config/configuration.ts';
import { needsGeneratedSecrets, replaceSecrets, secretsPath } from '../config/secrets-file.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import { reversedKeys } from '../store/rows/reversed-keys.ts';
import { copySqlite, isInUse, moveSqlite, problemsOfCopy, summaryOfCopy, syncToDisk } from '../store/sqlite-copy.ts';
import { copyName, readCopyArguments, ringsWith, runCommand } from './command.ts';

const advice = [
  'The database is PostgreSQL. Stop the service and use its own tools:',
  '  pg_restore --clean --if-exists --single-transaction --no-owner --dbname="$DATABASE_URL" latchkey.dump',
];

/** The maximum time for which a signature can be accepted: 300 seconds and twice the clock skew. */
const signatureLifetimeMs = 310_000;

await runCommand('npm run restore -- <directory of a backup> [--replace]', async () => {
  const { directory, configuration, file, flag } = readCopyArguments(['replace'], advice);
  const source = join(directory, copyName);
  if (!existsSync(source)) throw new Error(`there is no backup in ${directory}: it has no ${copyName}`);
  const secrets = await secretsFor(source, directory, configuration);
  const replaced = [
    ...(existsSync(file) ? [file] : []),
    ...(secrets === 'of the backup' && existsSync(secretsPath(configuration.DATA_DIR))
      ? [secretsPath(configuration.DATA_DIR)]
      : []),
  ];
  if (existsSync(file) && isInUse(file)) throw new Error(`a service is running on ${file}: stop it first`);
  if (replaced.length > 0 && !flag('replace')) {
    throw new Error(
      `${replaced.join(' and ')}: would be replaced; with --replace, the existing files are kept under another name`,
    );
  }
  const suffix = `.replaced-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`;
  if (secrets === 'of the backup') placeSecrets(directory, configuration.DATA_DIR, suffix);
  placeDatabase(source, file, suffix);
  console.log(await describe(file, existsSync(file + suffix) ? file + suffix : null));
});

/**
 * Returns which secrets to use: the existing ones if they fit the backup, because their rings may have newer keys;
 * otherwise those of the backup. Throws if the backup is damaged or neither fits.
 */
async function secretsFor(source: string, directory: string, configuration: Configuration) {
  const inPlace = ringsWith(configuration, configuration.DATA_DIR);
  const problems = inPlace === null ? [] : await problemsOfCopy(source, inPlace);
  if (inPlace !== null && problems.length === 0) return 'in place';
  const own = needsGeneratedSecrets(configuration) ? ringsWith(configuration, directory) : null;
  if (own === null) {
    if (inPlace === null) problems.push('the secrets are neither in the environment nor in the backup');
    throw new ConfigurationError(problems);
  }
  const problemsWithOwn = await problemsOfCopy(source, own);
  if (problemsWithOwn.length > 0) throw new ConfigurationError(problemsWithOwn);
  return 'of the backup';
}

function placeSecrets(directory: string, dataDirectory: string, suffix: string): void {
  const path = secretsPath(dataDirectory);
  makeDirectory(dataDirectory);
  if (existsSync(path)) copyFileSync(path, path + suffix);
  replaceSecrets(dataDirectory, readFileSync(secretsPath(directory), 'utf8'));
}

/** Replaces the database in the last step, so that an error before it leaves the existing one unchanged. */
function placeDatabase(source: string, file: string, suffix: string): void {
  makeDirectory(dirname(file));
  const aside = join(dirname(file), `${basename(file)}.restoring-${randomBytes(4).toString('hex')}`);
  try {
    copySqlite(source, aside);
    moveSqlite(file, file + suffix);
    renameSync(aside, file);
    syncToDisk(dirname(file));
  } finally {
    rmSync(aside, { force: true });
  }
}

async function describe(file: string, replaced: string | null): Promise<string> {
  const { unrevokedKeys, lastChange } = await summaryOfCopy(file);
  const lines = [
    `${file}: ${unrevokedKeys} keys that are not revoked; last change ${lastChange?.toISOString() ?? 'none yet'}`,
    'Every change after that is undone: keys revoked or disabled since then, and secrets rotated since then, WORK AGAIN.',
    'Keys and secrets created since then do not work.',
  ];
  if (replaced !== null) {
    lines.push(`The previous database is kept as ${replaced}.`, ...(await describeReversed(file, replaced)));
  }
  if (!existsSync(`${file}-nonces`)) {
    const safe = new Date(Date.now() + signatureLifetimeMs).toISOString();
    lines.push(
      `There is no ${basename(file)}-nonces here, which records the used signatures. If the service ran elsewhere until`,
      `now, start it after ${safe}, when all of them have expired.`,
    );
  }
  return lines.join('\n');
}

async function describeReversed(file: string, replaced: string): Promise<string[]> {
  const reversed = await reversedKeys(file, replaced);
  if (reversed === null)
    return ["It can't be read, so the keys that were revoked, disabled or rotated in it are not known."];
  const listed = (ids: readonly string[]) => (ids.length === 0 ? 'none' : ids.join(', '));
  return [
    `Keys that were revoked in it and work again: ${listed(reversed.revoked)}`,
    `Keys that were disabled in it and work again: ${listed(reversed.disabled)}`,
    `Keys that work again with an earlier secret or signing secret: ${listed(reversed.rotated)}`,
  ];
}
