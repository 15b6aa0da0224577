/** Files that only their owner can read, replaced atomically. */
import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncToDisk } from './sync-to-disk.ts';

/** Replaces the file atomically. When this function returns, the file is on disk. */
export function replacePrivateFile(path: string, text: string): void {
  const aside = writeAside(path, text);
  try {
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
  syncToDisk(dirname(path));
}

/** Writes a temporary file. Its name is random: process ids are not unique in containers that share the directory. */
export function writeAside(path: string, text: string): string {
  const aside = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    writeFileSync(aside, text, { mode: 0o600, flush: true });
    return aside;
  } catch (error) {
    // A full disk may have left a partial file.
    rmSync(aside, { force: true });
    throw error;
  }
}
