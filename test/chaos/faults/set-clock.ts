/**
 * A clock on the wall that a test sets while the service runs, with libfaketime. As on a real machine, the monotonic
 * clock goes on undisturbed. It stands still, so that borders can be tried to the second.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SetClock {
  /** The environment of the process that uses it. */
  readonly environment: NodeJS.ProcessEnv;
  /** To whole seconds. */
  readonly set: (time: Date) => void;
  readonly remove: () => void;
}

const library = preloaded();

/** Returns why it is not possible here; null if it is. */
export const noSetClock = library === null ? 'there is no faketime; Debian has it in the package faketime' : null;

export function setClock(time: Date): SetClock {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-clock-'));
  const file = join(directory, 'time');
  const set = (to: Date) => {
    // Aside and into place: the process may read it at any moment.
    writeFileSync(`${file}-new`, `${to.toISOString().slice(0, 19).replace('T', ' ')}\n`);
    renameSync(`${file}-new`, file);
  };
  set(time);
  return {
    environment: {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      TZ: 'UTC',
    },
    set,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** What the command preloads: where it is differs between machines. */
function preloaded(): string | null {
  const { status, stdout } = spawnSync('faketime', ['-f', '+0s', 'env'], { encoding: 'utf8' });
  return status === 0 ? (/^LD_PRELOAD=(.+)$/m.exec(stdout)?.[1] ?? null) : null;
}
