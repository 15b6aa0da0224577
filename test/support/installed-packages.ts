/** The packages that are installed here, in another directory: what `npm ci` would put there. */
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** As links, which pruning only removes; but npm writes to its own list of them. */
export async function takePackages(directory: string): Promise<void> {
  const packages = join(directory, 'node_modules');
  const list = '.package-lock.json';
  // There are no hard links across devices.
  await run('cp', ['-al', 'node_modules', packages]).catch(async () => {
    await rm(packages, { recursive: true, force: true });
    await run('cp', ['-a', 'node_modules', packages]);
  });
  await rm(join(packages, list));
  await writeFile(join(packages, list), await readFile(join('node_modules', list)));
}
