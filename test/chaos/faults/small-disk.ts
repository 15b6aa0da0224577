/** A real file system of a few megabytes that can be filled to the last byte, emptied, and made read-only. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly directory: string;
  readonly fill: () => void;
  readonly free: () => void;
  readonly remount: (mode: 'ro' | 'rw') => void;
  readonly remove: () => void;
}

/** Returns why it is not possible here; null if it is. */
export const noSmallDisk = reasonAgainst();

export function smallDisk(size = '6m'): SmallDisk {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-disk-'));
  const problem = mount('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory);
  if (problem !== null) {
    rmSync(directory, { recursive: true });
    throw new Error(`no small file system could be mounted: ${problem}`);
  }
  const filler = join(directory, 'filler');
  const remove = () => {
    process.off('exit', remove);
    // Lazily, because a process may still have a file open there.
    spawnSync('umount', ['-l', directory]);
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', remove);
  return {
    directory,
    fill: () => fill(filler),
    free: () => rmSync(filler, { force: true }),
    remount: (mode) => {
      const rejected = mount('-o', `remount,${mode}`, directory);
      if (rejected !== null) throw new Error(rejected);
    },
    remove,
  };
}

function fill(file: string): void {
  const descriptor = openSync(file, 'a');
  try {
    for (const bytes of [65_536, 4096, 1]) {
      for (;;) if (!wrote(descriptor, bytes)) break;
    }
  } finally {
    closeSync(descriptor);
  }
}

function wrote(descriptor: number, bytes: number): boolean {
  try {
    return writeSync(descriptor, Buffer.alloc(bytes)) === bytes;
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOSPC') return false;
    throw error;
  }
}

/** Returns the error of mount; null if it succeeded. */
function mount(...options: string[]): string | null {
  const { status, stderr, error } = spawnSync('mount', options, { encoding: 'utf8' });
  return status === 0 ? null : (error?.message ?? stderr.trim());
}

function reasonAgainst(): string | null {
  try {
    smallDisk().remove();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
