/** `npm run package`: what is in it, and that it runs. And `npx latchkey`, which runs what is built. */
import { execFile } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKey, teamId, verdictOn, verifyBody } from './support/calls.ts';
import { startCollector } from './support/collector.ts';
import { blockOf, sectionOf } from './support/documents.ts';
import { serviceEnvironment, startInstance } from './support/instance.ts';

const run = promisify(execFile);
const offline = { ...process.env, npm_config_offline: 'true' };

let directory: string;
let archive: string;
/** The package, installed by the documented command. */
let root: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'latchkey-package-'));
  root = join(directory, 'opt/latchkey');
  for (const path of ['opt', 'bin', 'etc/systemd/system']) await mkdir(join(directory, path), { recursive: true });
  // Stands for systemd: records when it is called.
  const systemctl = `#!/bin/sh\necho "$@:" $(ls ${root}) >> ${directory}/calls\n`;
  await writeFile(join(directory, 'bin/systemctl'), systemctl, { mode: 0o755 });
  const { stdout } = await run('node', ['deploy/package.ts', directory]);
  archive = stdout.trim();
  await runDocumented(blockOf('docs/start/deploying.md', 'One machine'));
});
afterAll(() => rm(directory, { recursive: true }));

/** Runs the commands of a document with paths below the directory of this test. */
async function runDocumented(commands: string): Promise<void> {
  const here = commands.replaceAll(/(?<= )\/(?=opt|etc)/g, `${directory}/`);
  const env = { ...process.env, PATH: `${directory}/bin:${process.env.PATH}` };
  await run('sh', ['-euc', here], { cwd: directory, env });
}

/** The calls of the service manager, with the files that were installed then. */
async function calls(): Promise<string[]> {
  return (await readFile(join(directory, 'calls'), 'utf8')).trim().split('\n');
}

describe('the package', () => {
  it('contains only what runs and the documents: no tests, sources, types, source maps or scripts of installation', async () => {
    const files = (await readdir(root, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1));
    const folders = new Set(files.map((path) => path.split('/')[0]));
    expect([...folders].sort()).toEqual([
      'CHANGELOG.md',
      'README.md',
      'deploy',
      'dist',
      'docs',
      'node_modules',
      'openapi.yaml',
      'package.json',
      'prisma',
      'schema.graphql',
    ]);
    expect(files.filter((path) => /\.(?:ts|map|tsbuildinfo|gyp|[ch]|[ch]pp)$/.test(path))).toEqual([]);
    expect(files.filter((path) => path.startsWith('prisma/') && !path.startsWith('prisma/migrations/'))).toEqual([]);
    const manifests = files.filter((path) => path.endsWith('package.json'));
    expect(manifests.sort()).toEqual(['node_modules/better-sqlite3/package.json', 'package.json']);
    const scripts = await Promise.all(
      manifests.map(async (manifest) => JSON.parse(await readFile(join(root, manifest), 'utf8')).scripts),
    );
    expect(scripts.map((names) => Object.keys(names ?? {}))).toEqual([[], ['start', 'token', 'sign-in']]);
  });

  it('has docs and deploy as they are in the repository, without secrets of Compose, and no link, so that rsync -a copies it', async () => {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    expect(entries.filter((entry) => !entry.isFile() && !entry.isDirectory())).toEqual([]);
    const packed = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
      .filter((path) => /^(?:docs|deploy)\//.test(path));
    const { stdout } = await run('git', ['ls-files', 'docs', 'deploy']);
    const tracked = stdout
      .trim()
      .split('\n')
      // What builds is left out.
      .filter((path) => !/\.ts$|^deploy\/(?:Dockerfile|docs\/)/.test(path));
    expect(packed.sort()).toEqual(tracked.sort());
  });

  it('takes at most 40 MB without Node.js', async () => {
    const { stdout } = await run('du', ['-sm', root]);
    expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(40);
  });

  it('has a scoped name, so that no foreign package can be installed in its place', async () => {
    expect(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).name).toBe('@latchkey/server');
  });

  it('starts, migrates, verifies a key, sends traces, and has its commands, without any other package', async () => {
    const collector = await startCollector();
    const service = await startInstance(
      { DATA_DIR: join(directory, 'data'), OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, VERIFY_TRACE_RATIO: '1' },
      1,
      root,
    );
    const key = await makeKey(service);
    expect(await verdictOn(service, await verifyBody(key))).toBe('VALID');
    expect((await fetch(service.url)).headers.get('content-type')).toContain('text/html');
    const { stdout } = await run('npx', ['latchkey', '--help'], { cwd: root, env: offline });
    expect(stdout).toContain('Usage: latchkey');
    const token = await run('npm', ['run', '-s', 'token', '--', '--team', teamId], {
      cwd: root,
      env: serviceEnvironment({ DATA_DIR: join(directory, 'data') }),
    });
    expect(token.stdout).toMatch(/^eyJ/);
    expect(await service.stop()).toBe(0);
    expect(collector.spans.map(({ name }) => name)).toContain('POST /v1/keys');
    await collector.stop();
  });

  it('can be installed by npm, without a registry and with the same contents', async () => {
    const prefix = join(directory, 'npm');
    const args = ['install', '--global', '--prefix', prefix, join(directory, archive)];
    await run('npm', args, { env: { ...offline, npm_config_cache: join(directory, 'empty-cache') } });
    const { stdout } = await run(join(prefix, 'bin/latchkey'), ['--help']);
    expect(stdout).toContain('Usage: latchkey');
    await run('diff', ['-r', join(prefix, 'lib/node_modules/@latchkey/server'), root]);
  });

  it('has the systemd unit, which is enabled as documented', async () => {
    await runDocumented(blockOf('docs/start/deploying.md', 'One machine', 1));
    const unit = await readFile(join(directory, 'etc/systemd/system/latchkey.service'), 'utf8');
    expect(unit).toBe(await readFile('deploy/systemd/latchkey.service', 'utf8'));
    expect((await calls()).at(-1)).toMatch(/^enable --now latchkey: /);
  });

  it('is replaced as a whole by the documented upgrade, which keeps the previous version', async () => {
    await writeFile(join(root, 'of-the-old-version'), '');
    await runDocumented(blockOf('docs/tasks/upgrading.md', 'One instance'));
    expect(await readdir(root)).not.toContain('of-the-old-version');
    expect(await readdir(`${root}.old`)).toContain('of-the-old-version');
    const [stopped, started] = (await calls()).slice(-2);
    expect(stopped).toMatch(/^stop latchkey: .*of-the-old-version/);
    expect(started).toMatch(/^start latchkey: (?!.*of-the-old-version)/);
  });
});

it('the Node.js that deploying.md names is one file, which runs alone where rsync -a or cp -a has copied it', async () => {
  const { prose } = sectionOf('docs/start/deploying.md', 'One machine');
  const [, path = ''] = /copy `([\w/-]+\/node)` of the checkout/.exec(prose) ?? [];
  const here = path.replace('x64', process.arch);
  const folder = join(directory, 'bin-alone');
  await mkdir(folder);
  await run('cp', ['-a', here, folder]);
  expect((await lstat(join(folder, 'node'))).isFile()).toBe(true);
  const { stdout } = await run(join(folder, 'node'), ['--version'], { env: {} });
  expect(stdout).toMatch(/^v24\./);
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
