/** Secrets that the environment does not give are generated once and kept beside the database, for its owner alone. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { KeyRing } from '../domain/key-ring.ts';
import { keyRing } from '../domain/key-ring.ts';
import { type Configuration, ConfigurationError } from './configuration.ts';

export interface GeneratedSecrets {
  readonly jwtSecret: string;
  readonly peppers: KeyRing;
  readonly signingKeks: KeyRing;
  /** Whether this very call generated them. */
  readonly isNew: boolean;
}

const ringKey = z.object({
  id: z.string().min(1),
  base64: z.base64().refine((value) => Buffer.from(value, 'base64').length === 32),
});
export type StoredRingKey = z.output<typeof ringKey>;

/** One key, or several, of which the first is current. */
const ring = z
  .union([ringKey.transform((key) => [key]), z.array(ringKey).min(1)])
  .refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length);
const contents = z.object({ jwtSecret: z.string().min(32), pepper: ring, signingKek: ring });
type Contents = z.output<typeof contents>;

export function generatedSecrets(directory: string): GeneratedSecrets {
  const path = secretsPath(directory);
  const isNew = create(path, directory);
  // It may have been restored from a backup that did not keep its mode.
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return fromContents(read(path), isNew);
}

/** The secrets in a directory, if there are any; makes none. */
export function existingSecrets(directory: string): GeneratedSecrets | null {
  const path = secretsPath(directory);
  return statSync(path, { throwIfNoEntry: false }) === undefined ? null : fromContents(read(path), false);
}

/** Whether the environment leaves anything to be generated. */
export function needsGeneratedSecrets(configuration: Configuration): boolean {
  const { KEY_PEPPERS, SIGNING_KEKS, JWT_SECRET, JWT_PUBLIC_KEY, JWT_JWKS_URL } = configuration;
  const tokensAreGiven = [JWT_SECRET, JWT_PUBLIC_KEY, JWT_JWKS_URL].some((value) => value !== undefined);
  return !tokensAreGiven || KEY_PEPPERS === undefined || SIGNING_KEKS === undefined;
}

export function secretsPath(directory: string): string {
  return join(directory, 'secrets.json');
}

/** Replaces one of the rings; whoever reads the file meanwhile reads the old one or the new one, whole. */
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

/** Whole or not at all, and on the disk when this returns. */
export function replaceSecrets(directory: string, text: string): void {
  const path = secretsPath(directory);
  const aside = writeAside(path, text);
  renameSync(aside, path);
  syncDirectory(directory);
}

/** The ids are random too: secrets generated anew must not pass for the lost ones. */
export function newRingKey(): StoredRingKey {
  return { id: randomBytes(4).toString('hex'), base64: randomBytes(32).toString('base64') };
}

function fromContents({ jwtSecret, pepper, signingKek }: Contents, isNew: boolean): GeneratedSecrets {
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

/** Whole or not at all, and by one process only: written aside and linked into place, which fails where it exists. */
function create(path: string, directory: string): boolean {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw notWritten(directory, error);
  }
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return false;
  const generated = {
    jwtSecret: randomBytes(32).toString('base64'),
    pepper: newRingKey(),
    signingKek: newRingKey(),
  };
  const aside = writeAside(path, `${JSON.stringify(generated, null, 2)}\n`);
  try {
    linkSync(aside, path);
    // The name too must outlive a power failure: the first key may soon be acknowledged in a database elsewhere.
    syncDirectory(directory);
    return true;
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'EEXIST') return false;
    throw notWritten(path, error);
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Not by the process id: in containers that share the directory, every process has the same. */
function writeAside(path: string, text: string): string {
  const aside = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    writeFileSync(aside, text, { mode: 0o600, flush: true });
    return aside;
  } catch (error) {
    // The beginning of it that a full disk took.
    rmSync(aside, { force: true });
    throw notWritten(path, error);
  }
}

/** The message for a full disk does not say where. */
function notWritten(path: string, error: unknown): Error {
  return new Error(`DATA_DIR: ${path} can't be written: ${error instanceof Error ? error.message : error}`, {
    cause: error,
  });
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The secrets that tokens are signed with here, or null when an identity provider elsewhere signs them. */
export function localTokenSecret(configuration: Configuration): string | null {
  if (configuration.JWT_PUBLIC_KEY !== undefined || configuration.JWT_JWKS_URL !== undefined) return null;
  return configuration.JWT_SECRET ?? generatedSecrets(configuration.DATA_DIR).jwtSecret;
}
