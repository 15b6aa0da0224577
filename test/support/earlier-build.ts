/** Builds of earlier versions, from the history of this repository. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface EarlierBuild {
  /** Where `dist` is. */
  readonly root: string;
  readonly remove: () => Promise<void>;
}

interface EarlierBuildOptions {
  /** What it used and this version does not, such as `name@1.0.0`. */
  readonly packages?: readonly string[];
  /** Generates Prisma's clients. */
  readonly generate: string;
}

/** Builds the service of a commit, without its pages, which take long and are not what is tested. */
export async function buildEarlier(
  commit: string,
  { packages = [], generate }: EarlierBuildOptions,
): Promise<EarlierBuild> {
  const parent = await mkdtemp(join(tmpdir(), 'latchkey-earlier-'));
  const root = join(parent, 'latchkey');
  await mkdir(root);
  await run('sh', ['-c', `git archive ${commit} | tar -x -C ${root}`]);
  await linkPackages(root);
  if (packages.length > 0) {
    // They find Apollo Server, their peer, beside them.
    await run('npm', ['install', '--no-save', '--ignore-scripts', '--legacy-peer-deps', ...packages], { cwd: parent });
    await symlink(join(process.cwd(), 'node_modules/@apollo'), join(parent, 'node_modules/@apollo'));
  }
  await run('sh', ['-c', `${generate} && npx rolldown --config`], { cwd: root });
  await cp('dist/dashboard', join(root, 'dist/dashboard'), { recursive: true });
  return { root, remove: () => rm(parent, { recursive: true }) };
}

/** Links packages one by one: the build writes the command of the version into `.bin`. */
async function linkPackages(root: string): Promise<void> {
  const [from, to] = [join(process.cwd(), 'node_modules'), join(root, 'node_modules')];
  await mkdir(to);
  await cp(join(from, '.bin'), join(to, '.bin'), { recursive: true, verbatimSymlinks: true });
  const names = (await readdir(from)).filter((name) => !name.startsWith('.'));
  await Promise.all(names.map((name) => symlink(join(from, name), join(to, name))));
}
