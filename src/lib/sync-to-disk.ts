import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Syncs the contents of a file, or the names in a directory, to disk. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
