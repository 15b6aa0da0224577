/** A directory that loses in a power loss what no process has synced, for processes that preload a library. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '../../support/temporary-database.ts';

export interface VolatileDisk {
  /** The environment of the processes that write to it. */
  readonly environment: NodeJS.ProcessEnv;
  /** Leaves of its files what was synced. Only while no process uses it. */
  readonly losePower: () => void;
  readonly remove: () => void;
}

const source = fileURLToPath(new URL('volatile-disk.c', import.meta.url));
const library = compiled();

/** Returns why it is not possible here; null if it is. */
export const noVolatileDisk = library === null ? 'gcc is needed to compile a library that is preloaded' : null;

/** @param forgets a suffix of names of files for which a sync does nothing; by default, all syncs count */
export function volatileDisk(directory: string, forgets = ''): VolatileDisk {
  const disk = realpathSync(directory);
  const { path: saved, remove } = temporaryDirectory();
  const names = join(saved, 'names');
  mkdirSync(names);
  return {
    environment: {
      LD_PRELOAD: library ?? '',
      VOLATILE_DISK: disk,
      VOLATILE_DISK_SAVED: saved,
      VOLATILE_DISK_FORGETS: forgets,
    },
    losePower: () => {
      for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true });
      const old = readdirSync(saved);
      for (const name of readdirSync(names)) {
        const file = join(disk, name.replaceAll('!', '/'));
        mkdirSync(dirname(file), { recursive: true });
        copyFileSync(join(names, name), file);
      }
      // The files have other inodes now.
      for (const name of old) if (name !== 'names') rmSync(join(saved, name));
      for (const name of readdirSync(names)) {
        const file = join(disk, name.replaceAll('!', '/'));
        const data = `data.${lstatSync(file).ino}`;
        copyFileSync(file, join(saved, data));
        rmSync(join(names, name));
        symlinkSync(`../${data}`, join(names, name));
      }
    },
    remove,
  };
}

function compiled(): string | null {
  const file = join(temporaryDirectory().path, 'volatile-disk.so');
  const { status } = spawnSync('gcc', ['-shared', '-fPIC', '-O2', '-Wall', '-Werror', '-o', file, source]);
  return status === 0 ? file : null;
}
