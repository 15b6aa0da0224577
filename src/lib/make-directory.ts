import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory and its parents, for their owner only. Node.js's option `recursive` would try forever if the file
 * system answers ENOENT although the parent exists, as in `/proc`.
 */
export function makeDirectory(path: string): void {
  try {
    makeOne(path);
  } catch (error) {
    const parent = dirname(path);
    if (!(error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') || parent === path) throw error;
    makeDirectory(parent);
    makeOne(path);
  }
}

function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Not an error if the directory exists: another process may have just created it.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}
