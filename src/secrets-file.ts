/** Secrets that the environment does not give are generated once and kept beside the database, for its owner alone. */
import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Configuration, ConfigurationError } from './config.ts';
import type { KeyRing } from './domain/key-ring.ts';
import { keyRing } from './domain/key-ring.ts';

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
const contents = z.object({ jwtSecret: z.string().min(32), pepper: ringKey, signingKek: ringKey });

export function generatedSecrets(directory: string): GeneratedSecrets {
  const path = join(directory, 'secrets.json');
  const isNew = create(path, directory);
  // It may have been restored from a backup that did not keep its mode.
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  const { jwtSecret, pepper, signingKek } = read(path);
  return { jwtSecret, peppers: ring(pepper), signingKeks: ring(signingKek), isNew };
}

function ring({ id, base64 }: z.output<typeof ringKey>): KeyRing {
  return keyRing([{ id, bytes: Buffer.from(base64, 'base64') }]);
}

function read(path: string): z.output<typeof contents> {
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
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return false;
  // Not the process id: in containers that share the directory, every process has the same.
  const aside = `${path}.${randomBytes(8).toString('hex')}`;
  const random = () => randomBytes(32).toString('base64');
  // The ids are random too: secrets generated anew must not pass for the lost ones.
  const id = () => randomBytes(4).toString('hex');
  const generated = {
    jwtSecret: random(),
    pepper: { id: id(), base64: random() },
    signingKek: { id: id(), base64: random() },
  };
  try {
    writeFileSync(aside, `${JSON.stringify(generated, null, 2)}\n`, { mode: 0o600, flush: true });
    linkSync(aside, path);
    return true;
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'EEXIST') return false;
    // That of a full disk does not say where.
    throw new Error(`${path} can't be written: ${error instanceof Error ? error.message : error}`, { cause: error });
  } finally {
    // Also the beginning of it that a full disk took.
    rmSync(aside, { force: true });
  }
}

/** The secrets that tokens are signed with here, or null when an identity provider elsewhere signs them. */
export function localTokenSecret(configuration: Configuration): string | null {
  if (configuration.JWT_PUBLIC_KEY !== undefined || configuration.JWT_JWKS_URL !== undefined) return null;
  return configuration.JWT_SECRET ?? generatedSecrets(configuration.DATA_DIR).jwtSecret;
}
