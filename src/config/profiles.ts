/** Profiles of the command line: which service it calls, with which session token. Each is a file of its own. */
import { chmodSync, closeSync, constants, fstatSync, openSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { makeDirectory } from '../lib/make-directory.ts';
import { replacePrivateFile } from '../lib/private-file.ts';
import { isUuid } from '../lib/uuid.ts';
import { ConfigurationError } from './configuration.ts';

const url = z.url({ protocol: /^https?$/ });
const contents = z.object({
  url,
  verifyUrl: url.optional(),
  /** The default team. */
  team: z.string().refine(isUuid).optional(),
  token: z.string().min(1),
});

export type Profile = Readonly<z.output<typeof contents>>;

/** A profile is smaller, because a session token has at most 8 KB. */
const maxBytes = 32_768;

/**
 * Returns the path of a profile, in the directory of the XDG Base Directory Specification.
 *
 * @param configHome XDG_CONFIG_HOME. As the specification demands, a relative path is ignored.
 */
export function profilePath(configHome: string | undefined, name: string): string {
  const base = configHome !== undefined && isAbsolute(configHome) ? configHome : join(homeDirectory(), '.config');
  return join(base, 'latchkey', `${name}.json`);
}

function homeDirectory(): string {
  try {
    return homedir();
  } catch {
    // Containers run as users that no list of users has. Commands that need no profile work for them too.
    return '/';
  }
}

/** Returns null if there is no such file. Throws ConfigurationError if other users can read or could have written it. */
export function readProfile(path: string): Profile | null {
  const text = readPrivateFile(path);
  if (text === null) return null;
  try {
    return contents.parse(JSON.parse(text));
  } catch {
    // The error of a parser could contain the token.
    throw new ConfigurationError([`${path}: is not a profile; remove it, and run latchkey login again`]);
  }
}

/** Replaces the profile atomically. Only its owner can read it and list its directory. */
export function writeProfile(path: string, profile: Profile): void {
  const directory = join(path, '..');
  makeDirectory(directory);
  chmodSync(directory, 0o700);
  replacePrivateFile(path, `${JSON.stringify(profile, null, 2)}\n`);
}

export function removeProfile(path: string): void {
  rmSync(path, { force: true });
}

function readPrivateFile(path: string): string | null {
  const descriptor = openExisting(path);
  if (descriptor === null) return null;
  try {
    const { mode, uid, size } = fstatSync(descriptor);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG || size > maxBytes) {
      throw new ConfigurationError([`${path}: is not a profile; remove it, and run latchkey login again`]);
    }
    // Another user who owns the file chooses the service that gets the commands, and their secrets.
    if (process.getuid !== undefined && uid !== process.getuid()) {
      throw new ConfigurationError([`${path}: belongs to another user; remove it, and run latchkey login again`]);
    }
    if (process.getuid !== undefined && (mode & 0o077) !== 0) {
      throw new ConfigurationError([
        `${path}: other users can read it, and may have copied its session token; run latchkey logout and then latchkey login with a new token`,
      ]);
    }
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** Checks follow on the descriptor, so that the file can't be exchanged in between. */
function openExisting(path: string): number | null {
  try {
    // Opening a named pipe would otherwise wait for a writer.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    // A service may run with a home directory that it can't open.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return null;
    throw new ConfigurationError([`${path}: can't be read (${code})`]);
  }
}
