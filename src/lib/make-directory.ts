import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const isDirectory = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Creates a directory and its parents, for their owner only. Not with the option `recursive`, with which Node.js tries
 * forever where a file system answers ENOENT although the parent exists, as in `/proc`.
 */
export function makeDirectory(path: string): void {
  if (isDirectory(path)) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isDirectory(path)) throw error;
  }
}
