/** Generates missing secrets once, and stores them beside the database. */
import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { type KeyRing, keyRing } from '../domain/secret/key-ring.ts';
import { fileProblem } from '../lib/file-problem.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import { replacePrivateFile, writeAside } from '../lib/private-file.ts';
import { syncToDisk } from '../lib/sync-to-disk.ts';
import { type Configuration, ConfigurationError } from './configuration.ts';

const ringKey = z.object({
  id: z.string().min(1),
  base64: z.base64().refine((value) => Buffer.from(value, 'base64').length === 32),
});
export type StoredRingKey = z.output<typeof ringKey>;

/** One key or a list of keys, whose first key is the current one. */
const ring = z
  .union([ringKey.transform((key) => [key]), z.array(ringKey).min(1)])
  .refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length);
const contents = z.object({ jwtSecret: z.string().min(32), pepper: ring, signingKek: ring });
type Contents = z.output<typeof contents>;

export function generatedSecrets(directory: string): GeneratedSecrets {
  const path = secretsPath(directory);
  const isNew = create(path, directory);
  // A backup may not have preserved the file mode.
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return fromContents(read(path), isNew);
}

export function existingSecrets(directory: string): GeneratedSecrets | null {
  const path = secretsPath(directory);
  return statSync(path, { throwIfNoEntry: false }) === undefined ? null : fromContents(read(path), false);
}

export type GeneratedSecrets = ReturnType<typeof fromContents>;
export type ServiceSecrets = ReturnType<typeof serviceSecrets>;

/**
 * Returns the secrets of the environment. Secrets that are missing are read from DATA_DIR, or generated there once.
 * `generated` is null if the environment has every secret.
 */
export function serviceSecrets(configuration: Configuration) {
  const generated = needsGeneratedSecrets(configuration) ? generatedSecrets(configuration.DATA_DIR) : null;
  const peppers = configuration.KEY_PEPPERS ?? generated?.peppers;
  const signingKeks = configuration.SIGNING_KEKS ?? generated?.signingKeks;
  if (peppers === undefined || signingKeks === undefined) throw new Error('missing secrets are always generated');
  return { peppers, signingKeks, generated };
}

export function needsGeneratedSecrets(configuration: Configuration): boolean {
  const { KEY_PEPPERS, SIGNING_KEKS, JWT_SECRET, JWT_PUBLIC_KEY, JWT_JWKS_URL } = configuration;
  const tokensAreGiven = [JWT_SECRET, JWT_PUBLIC_KEY, JWT_JWKS_URL].some((value) => value !== undefined);
  return !tokensAreGiven || KEY_PEPPERS === undefined || SIGNING_KEKS === undefined;
}

export function secretsPath(directory: string): string {
  return join(directory, 'secrets.json');
}

/** Replaces one of the rings atomically: concurrent readers see the old or the new file. */
export function changeStoredRing(
  directory: string,
  name: 'pepper' | 'signingKek',
  change: (keys: readonly StoredRingKey[]) => StoredRingKey[],
): readonly StoredRingKey[] {
  const before = read(secretsPath(directory));
  const after = change(before[name]);
  replaceSecrets(directory, `${JSON.stringify({ ...before, [name]: after }, null, 2)}\n`);
  return after;
}

/** Replaces the file atomically. When this function returns, the file is on disk. */
export function replaceSecrets(directory: string, text: string): void {
  const path = secretsPath(directory);
  try {
    replacePrivateFile(path, text);
  } catch (error) {
    throw notWritten(path, error);
  }
}

/** Returns a key with a random id, so that a new key is not mistaken for a lost one. */
export function newRingKey(): StoredRingKey {
  return { id: randomBytes(4).toString('hex'), base64: randomBytes(32).toString('base64') };
}

function fromContents({ jwtSecret, pepper, signingKek }: Contents, isNew: boolean) {
  return { jwtSecret, peppers: toRing(pepper), signingKeks: toRing(signingKek), isNew };
}

function toRing(keys: readonly StoredRingKey[]): KeyRing {
  const [first, ...rest] = keys.map(({ id, base64 }) => ({ id, bytes: Buffer.from(base64, 'base64') }));
  if (first === undefined) throw new Error('a ring has at least one key');
  return keyRing([first, ...rest]);
}

function read(path: string): Contents {
  try {
    return contents.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new ConfigurationError([
      `${path}: can't be read; restore it from a backup: without it, no key in the database can be verified`,
    ]);
  }
}

/** Writes a temporary file and links it, so that only one process creates the file. Returns false if it exists. */
function create(path: string, directory: string): boolean {
  try {
    makeDirectory(directory);
  } catch (error) {
    throw notWritten(directory, error);
  }
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return false;
  const jwtSecret = randomBytes(32).toString('base64');
  const generated = { jwtSecret, pepper: newRingKey(), signingKek: newRingKey() };
  const aside = writeSecrets(path, generated);
  try {
    linkSync(aside, path);
    // The file name must survive a power failure too: a remote database may soon store keys that need the file.
    syncToDisk(directory);
    return true;
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'EEXIST') return false;
    throw notWritten(path, error);
  } finally {
    rmSync(aside, { force: true });
  }
}

function writeSecrets(path: string, secrets: object): string {
  try {
    return writeAside(path, `${JSON.stringify(secrets, null, 2)}\n`);
  } catch (error) {
    throw notWritten(path, error);
  }
}

/** Returns an error with the path, which the system's message for a full disk does not contain. */
function notWritten(path: string, error: unknown): Error {
  return new Error(`DATA_DIR: ${path} can't be written: ${fileProblem(error)}`, { cause: error });
}

/** Returns the secret for session tokens without generating it; null if an identity provider signs the tokens. */
export function localTokenSecret({ JWT_PUBLIC_KEY, JWT_JWKS_URL, JWT_SECRET, DATA_DIR }: Configuration): string | null {
  if (JWT_PUBLIC_KEY !== undefined || JWT_JWKS_URL !== undefined) return null;
  const secret = JWT_SECRET ?? existingSecrets(DATA_DIR)?.jwtSecret;
  if (secret !== undefined) return secret;
  throw new ConfigurationError([
    `DATA_DIR: there is no ${resolve(secretsPath(DATA_DIR))}; set DATA_DIR to the directory of the service, and start the service once, which creates it`,
  ]);
}
