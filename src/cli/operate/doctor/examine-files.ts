/** Checks the files of generated secrets, and the directories that the service writes to. */
import { existsSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Configuration } from '../../../config/configuration.ts';
import { needsGeneratedSecrets, secretsPath } from '../../../config/secrets-file.ts';
import { fileProblem } from '../../../lib/file-problem.ts';
import { writeAside } from '../../../lib/private-file.ts';
import { ringsOf } from '../own-store.ts';
import { error, type Finding, messageOf, ok, warning } from './finding.ts';

export function examineSecrets(configuration: Configuration): Finding {
  const what = 'secrets';
  if (!needsGeneratedSecrets(configuration)) return ok(what, 'all come from the environment');
  const path = secretsPath(configuration.DATA_DIR);
  if (!existsSync(path)) return warning(what, 'none yet: the first start generates them');
  if ((statSync(path).mode & 0o077) !== 0) {
    return error(what, `${path} can be read by other users: run chmod 600 on it, and rotate its secrets`);
  }
  try {
    ringsOf(configuration);
    return ok(what, `${path} can be read by its owner only`);
  } catch (thrown) {
    return error(what, messageOf(thrown));
  }
}

/** A database grows by less in a day. Reports before it is full, because then no change can be written. */
const nearlyFullMb = 256;
/** More than the file system may still have within a file or directory. */
const testBytes = 65_536;

/** Checks each directory that the service writes to. */
export function examineDirectories(configuration: Configuration): Finding[] {
  const { DATABASE_URL, DATA_DIR } = configuration;
  const used = [
    ...(needsGeneratedSecrets(configuration) ? [DATA_DIR] : []),
    ...(DATABASE_URL.provider === 'sqlite' ? [dirname(DATABASE_URL.file)] : []),
  ];
  return [...new Set(used.map((directory) => resolve(directory)))].map(examineDirectory);
}

function examineDirectory(directory: string): Finding {
  const what = `directory ${directory}`;
  try {
    const existing = existingDirectory(directory);
    // Creates nothing but a file that it removes again.
    rmSync(writeAside(join(existing, 'latchkey-doctor'), 'x'.repeat(testBytes)));
    const { bavail, bsize } = statfsSync(existing);
    const freeMb = Math.floor((bavail * bsize) / 1_000_000);
    if (freeMb < nearlyFullMb) return warning(what, `only ${freeMb} MB are free on its disk: free some space`);
    return ok(what, existing === directory ? 'can be written to' : 'does not exist yet: the first start creates it');
  } catch (thrown) {
    return error(what, `can't be written: ${fileProblem(thrown)}`);
  }
}

/** Returns the directory, or the nearest one above it that exists. */
function existingDirectory(directory: string): string {
  return existsSync(directory) || dirname(directory) === directory ? directory : existingDirectory(dirname(directory));
}
