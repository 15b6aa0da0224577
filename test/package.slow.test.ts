/** `npm pack`: what is in it, and that it runs. And `npx latchkey`, which runs what is built. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takePackages } from './support/installed-packages.ts';
import { startBuilt } from './support/instance.ts';
import { rest } from './support/service.ts';

const run = promisify(execFile);
const offline = { ...process.env, npm_config_offline: 'true' };

let directory: string;
/** The extracted package. */
let root: string;
let files: string[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'latchkey-package-'));
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', directory]);
  const [packed]: { filename: string; files: { path: string }[] }[] = JSON.parse(stdout);
  files = packed?.files.map(({ path }) => path) ?? [];
  await run('tar', ['-xzf', join(directory, packed?.filename ?? ''), '-C', directory]);
  root = join(directory, 'package');
}, 60_000);
afterAll(() => rm(directory, { recursive: true }));

describe('the package', () => {
  it('contains only what runs: no tests, sources, types or source maps', () => {
    const folders = new Set(files.map((path) => path.split('/')[0]));
    expect([...folders].sort()).toEqual([
      'README.md',
      'dist',
      'openapi.yaml',
      'package.json',
      'prisma',
      'schema.graphql',
      'start.sh',
    ]);
    expect(files.filter((path) => /\.(?:ts|map|tsbuildinfo)$/.test(path))).toEqual([]);
    expect(files.filter((path) => path.startsWith('prisma/') && !path.startsWith('prisma/migrations/'))).toEqual([]);
    expect(files.length).toBeLessThan(500);
  });

  it('has a scoped name, so that no foreign package can be installed in its place', async () => {
    expect(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).name).toBe('@latchkey/server');
  });

  it('starts with its production dependencies only, and its command line works', async () => {
    await takePackages(root);
    // Without them in package.json, npm also removes those that a production dependency could use.
    await run('npm', ['pkg', 'delete', 'devDependencies'], { cwd: root });
    await run('npm', ['prune', '--ignore-scripts'], { cwd: root, env: offline });
    expect(existsSync(join(root, 'node_modules/typescript'))).toBe(false);
    const service = await startBuilt({ DATA_DIR: join(directory, 'data') }, { root });
    expect((await rest(service.url, null, 'GET', '/readyz')).status).toBe(200);
    expect((await fetch(service.url)).headers.get('content-type')).toContain('text/html');
    const { stdout } = await run('npx', ['latchkey', '--help'], { cwd: root, env: offline });
    expect(stdout).toContain('Usage: latchkey');
    expect(await service.stop()).toBe(0);
  }, 120_000);
});

it('installs on the oldest Node.js of the README without warnings about engines', async () => {
  const { engines } = JSON.parse(await readFile('package.json', 'utf8'));
  const [, oldest] = /and Node\.js ([\d.]+) or later with npm/.exec(await readFile('README.md', 'utf8')) ?? [];
  expect(engines.node).toBe(`>=${oldest}`);
  // Packages that need a newer one run on the Node.js that `npm ci` installs.
  const env = { ...process.env, npm_config_loglevel: undefined };
  expect((await run('npm', ['config', 'get', 'loglevel'], { env })).stdout.trim()).toBe('error');
});

describe('npx latchkey', () => {
  it('in the checkout runs what is built, and builds nothing', async () => {
    const before = await builtAt('dist');
    const { stdout } = await run('npx', ['latchkey', '--help'], { env: offline });
    expect(stdout).toContain('Usage: latchkey');
    expect(await builtAt('dist')).toEqual(before);
  });

  it('never downloads a package of that name, also where nothing is built yet', async () => {
    const { stdout } = await run('npm', ['config', 'get', 'yes']);
    expect(stdout.trim()).toBe('false');
  });
});

/** When each file was written last. */
async function builtAt(folder: string): Promise<Map<string, number>> {
  const entries = await readdir(folder, { recursive: true });
  return new Map(
    await Promise.all(entries.map(async (path) => [path, (await stat(join(folder, path))).mtimeMs] as const)),
  );
}
