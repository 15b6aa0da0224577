/** `latchkey restore`: restores a backup while no service runs. Keeps existing files under another name. */
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { type Configuration, ConfigurationError, readConfiguration } from '../../config/configuration.ts';
import { needsGeneratedSecrets, replaceSecrets, secretsPath } from '../../config/secrets-file.ts';
import { makeDirectory } from '../../lib/make-directory.ts';
import { syncToDisk } from '../../lib/sync-to-disk.ts';
import { type ReversedKeys, reversedKeys } from '../../store/rows/reversed-keys.ts';
import {
  type CopySummary,
  copySqlite,
  isInUse,
  moveSqlite,
  problemsOfCopy,
  summaryOfCopy,
} from '../../store/sqlite-copy.ts';
import type { JsonOption } from '../options.ts';
import { printResult } from '../print.ts';
import { addOperatorCommand, copyName, findRings, sqliteFileOf } from './own-store.ts';

const advice = [
  'The database is PostgreSQL. Stop the service and use its own tools:',
  '  pg_restore --clean --if-exists --single-transaction --no-owner --dbname="$DATABASE_URL" latchkey.dump',
];

/** The maximum time for which a signature can be accepted: 300 seconds plus twice the clock skew. */
const signatureLifetimeMs = 310_000;

interface Options extends JsonOption {
  readonly replace?: boolean;
}

export function addRestoreCommand(program: Command): void {
  addOperatorCommand(program, 'restore', 'put a backup in place, while no service runs')
    .argument('<directory>', 'the directory of a backup')
    .option('--replace', 'replace existing files; they are kept under another name')
    .action(async (directory: string, { replace = false, json }: Options) => {
      printResult(await restore(directory, replace, readConfiguration(process.env)), json, describe);
    });
}

interface Restored extends CopySummary {
  readonly file: string;
  readonly replaced: string | null;
  /** The keys whose changes are undone; null if there was no previous database that can be read. */
  readonly reversed: ReversedKeys | null;
  /** The time when all used signatures have expired; null if the file with their nonces still exists. */
  readonly startAfter: Date | null;
}

async function restore(directory: string, replace: boolean, configuration: Configuration): Promise<Restored> {
  const file = sqliteFileOf(configuration, advice);
  const source = join(directory, copyName);
  if (!existsSync(source)) throw new Error(`there is no backup in ${directory}: it has no ${copyName}`);
  const restoresSecrets = await needsSecretsOf(source, directory, configuration);
  const targets = [file, ...(restoresSecrets ? [secretsPath(configuration.DATA_DIR)] : [])];
  const existing = targets.filter((path) => existsSync(path));
  if (existsSync(file) && isInUse(file)) throw new Error(`a service is running on ${file}: stop it first`);
  if (existing.length > 0 && !replace) {
    throw new Error(
      `${existing.join(' and ')}: would be replaced; with --replace, the existing files are kept under another name`,
    );
  }
  const suffix = `.replaced-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`;
  if (restoresSecrets) placeSecrets(directory, configuration.DATA_DIR, suffix);
  placeDatabase(source, file, suffix);
  const replaced = existsSync(file + suffix) ? file + suffix : null;
  return {
    file,
    ...(await summaryOfCopy(file)),
    replaced,
    reversed: replaced === null ? null : await reversedKeys(file, replaced),
    startAfter: existsSync(`${file}-nonces`) ? null : new Date(Date.now() + signatureLifetimeMs),
  };
}

/** Returns whether to restore the secrets too. Existing secrets that fit stay: their rings may have newer keys. */
async function needsSecretsOf(source: string, directory: string, configuration: Configuration): Promise<boolean> {
  const existing = findRings(configuration, configuration.DATA_DIR);
  const problems = existing === null ? [] : await problemsOfCopy(source, existing);
  if (existing !== null && problems.length === 0) return false;
  const backedUp = needsGeneratedSecrets(configuration) ? findRings(configuration, directory) : null;
  if (backedUp === null) {
    if (existing === null) problems.push('the secrets are neither in the environment nor in the backup');
    throw new ConfigurationError(problems);
  }
  const otherProblems = await problemsOfCopy(source, backedUp);
  if (otherProblems.length > 0) throw new ConfigurationError(otherProblems);
  return true;
}

function placeSecrets(directory: string, dataDirectory: string, suffix: string): void {
  const path = secretsPath(dataDirectory);
  makeDirectory(dataDirectory);
  if (existsSync(path)) copyFileSync(path, path + suffix);
  replaceSecrets(dataDirectory, readFileSync(secretsPath(directory), 'utf8'));
}

/** Replaces the database in the last step, so that an earlier error leaves the existing database unchanged. */
function placeDatabase(source: string, file: string, suffix: string): void {
  makeDirectory(dirname(file));
  const restoring = join(dirname(file), `${basename(file)}.restoring-${randomBytes(4).toString('hex')}`);
  try {
    copySqlite(source, restoring);
    moveSqlite(file, file + suffix);
    renameSync(restoring, file);
    syncToDisk(dirname(file));
  } finally {
    rmSync(restoring, { force: true });
  }
}

function describe({ file, unrevokedKeys, lastChange, replaced, reversed, startAfter }: Restored): string {
  const lines = [
    `${file}: ${unrevokedKeys} keys that are not revoked; last change ${lastChange?.toISOString() ?? 'none yet'}`,
    'Every change after that is undone: keys revoked or disabled since then, and secrets rotated since then, WORK AGAIN.',
    'Keys and secrets created since then do not work.',
    'With a newer audit trail, latchkey reapply revokes and disables them again.',
  ];
  if (replaced !== null) lines.push(`The previous database is kept as ${replaced}.`, ...describeReversed(reversed));
  if (startAfter !== null) {
    lines.push(
      `There is no ${basename(file)}-nonces here, which records the used signatures. If the service ran elsewhere until`,
      `now, start it after ${startAfter.toISOString()}, when all of them have expired.`,
    );
  }
  return lines.join('\n');
}

function describeReversed(reversed: ReversedKeys | null): string[] {
  if (reversed === null) {
    return ["It can't be read, so the keys that were revoked, disabled or rotated in it are not known."];
  }
  const listed = (ids: readonly string[]) => (ids.length === 0 ? 'none' : ids.join(', '));
  return [
    `Keys that were revoked in it and work again: ${listed(reversed.revoked)}`,
    `Keys that were disabled in it and work again: ${listed(reversed.disabled)}`,
    `Keys that work again with an earlier secret or signing secret: ${listed(reversed.rotated)}`,
  ];
}
