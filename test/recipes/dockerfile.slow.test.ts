/**
 * Tests the Dockerfile without a Docker engine and a registry of images. Its steps run in order, in
 * directories instead of layers, with the files that .dockerignore allows COPY to take. The packages are those that are
 * installed already; CI starts with `npm ci` itself.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { verifyAt } from '../support/gateway.ts';
import { takePackages } from '../support/installed-packages.ts';
import { startBuilt } from '../support/instance.ts';
import { jwtSecret } from '../support/service.ts';
import { expectSignIn } from '../support/sign-in.ts';
import { recipe, variablesOf } from './page.ts';
import { expectVerdict, run, startConfined, whyNoSandbox } from './sandbox.ts';

const text = await readFile('deploy/Dockerfile', 'utf8');
const steps = [...text.replaceAll(/\\\n\s*/g, '').matchAll(/^([A-Z]+) +(.+)$/gm)].map(([, name = '', rest = '']) => ({
  name,
  rest,
}));
const ignoreRules = (await readFile('.dockerignore', 'utf8')).split('\n').filter((line) => /^[^#]/.test(line));

/** The last rule that matches decides. The rules here are the asterisk and paths. */
function isIgnored(path: string): boolean {
  const matches = (rule: string) => rule === '*' || path === rule || path.startsWith(`${rule}/`);
  const rule = ignoreRules.findLast((line) => matches(line.replace(/^!/, '')));
  return rule?.startsWith('!') === false;
}

const pinned = /^node:24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/;
/** node:24-bookworm-slim, compressed: Debian 29 MB, Node with npm and headers 59 MB, Yarn 2 MB. */
const baseImageBytes = 90_000_000;
/** What the last of them says: of the stage that becomes the image, where it says anything. */
const last = (name: string) => steps.findLast((step) => step.name === name)?.rest ?? '';

/** The health check of a stage, by what it exposes. */
function healthCheckOf(ports: string): string[] {
  const exposed = steps.findIndex(({ name, rest }) => name === 'EXPOSE' && rest === ports);
  const check = steps.slice(exposed).find(({ name }) => name === 'HEALTHCHECK')?.rest ?? '';
  return JSON.parse(check.replace(/^CMD /, ''));
}

/** Runs a health check as the container does: it finds the ports as the service does, or by their defaults. */
async function checkHealth([first = '', ...command]: readonly string[], ports: Readonly<Record<string, string>>) {
  return await run(first, command, { env: { PATH: process.env.PATH, ...ports } });
}

test('neither secrets nor data nor the history can get into a layer: only what the build reads is copied', async () => {
  const secrets = [
    ...['.env', 'latchkey.env', 'data/secrets.json', 'deploy/secrets/key_peppers', '.git/config', '.npmrc'],
    'src/store/generated/x.ts',
  ];
  expect(secrets.filter((path) => !isIgnored(path))).toStrictEqual([]);
  const { stdout } = await run('git', ['ls-files']);
  const copied = stdout.split('\n').filter((path) => path !== '' && !isIgnored(path));
  const known = ignoreRules.flatMap((rule) => (rule.startsWith('!') ? [rule.slice(1)] : []));
  const unknown = copied.filter((path) => !known.some((rule) => path === rule || path.startsWith(`${rule}/`)));
  expect(unknown).toStrictEqual([]);
  expect(known.filter((rule) => !existsSync(rule))).toStrictEqual([]);
  expect(steps.filter(({ name }) => name === 'ARG')).toStrictEqual([]);
  expect(text).not.toMatch(/(?:SECRET|TOKEN|PEPPER|KEK|PASSWORD)/);
});

test('it runs as a numeric user, which an orchestrator can distinguish from root, and which owns only the state', () => {
  expect(last('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  expect(text).not.toContain('--chown');
  expect(last('RUN')).toContain(`install -d -o ${last('USER').replace(':', ' -g ')} -m 700 ${last('VOLUME')}`);
  expect(last('ENV')).toContain(`DATA_DIR=${last('VOLUME')}`);
});

const obstacle = await whyNoSandbox();
if (obstacle !== '') console.warn(`The image\u2019s command is not started: ${obstacle}`);

describe('what the steps leave', () => {
  let directory: string;
  let image: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'latchkey-image-'));
    image = await build(directory);
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('is at most 110 MB compressed, as registries count, with the base image', async () => {
    const bases = steps.filter(({ name }) => name === 'FROM').map(({ rest }) => rest.replace(/ AS \w+$/, ''));
    // By its digest: a tag can be moved to another image.
    expect(bases).toStrictEqual([expect.stringMatching(pinned), bases[0], 'runtime', 'runtime']);
    const layers = await run('sh', ['-c', 'tar -c -C "$0" . | gzip | wc -c', image]);
    expect(baseImageBytes + Number(layers.stdout)).toBeLessThanOrEqual(110_000_000);
  });

  it.skipIf(obstacle !== '')(
    'serves when started as documented, reports its health, and stops on request',
    async () => {
      const { text: commands, blocks } = recipe('Docker');
      for (const flag of ['--read-only', '--tmpfs /tmp', '--cap-drop ALL', '--security-opt no-new-privileges']) {
        expect(commands).toContain(flag);
      }
      expect(commands).toContain(`-v latchkey:${last('VOLUME')} `);
      expect(Number(/--stop-timeout (\d+)/.exec(commands)?.[1])).toBeGreaterThan(8 + 5);
      for (const port of last('EXPOSE').split(' ')) expect(commands).toContain(`-p 127.0.0.1:${port}:${port}`);
      expect(commands).toContain('-e VERIFIER_TOKENS ');
      const token = 'a-verifier-token-of-16-or-more';
      const environment = variablesOf(last('ENV'));
      const start = (more: Readonly<Record<string, string>>) =>
        startConfined({
          application: join(image, last('WORKDIR')),
          workingDirectory: last('WORKDIR'),
          stateDirectory: last('VOLUME'),
          user: Number(last('USER').split(':')[0]),
          environment: { ...environment, JWT_SECRET: jwtSecret, PORT: '0', VERIFY_PORT: '0', ...more },
          command: JSON.parse(last('CMD')),
        });
      // Said before anything listens: VERIFY_HOST is not the loopback interface.
      await expect(start({})).rejects.toThrow('the service has ended before it was ready');

      const service = await start({ VERIFIER_TOKENS: token, FEED_TOKENS: token });
      try {
        await expectVerdict(service, token);
        expect((await verifyAt(service.verifyUrl, { key: 'x' })).status).toBe(401);
        await expectSignIn(blocks[1] ?? '', {
          url: service.url,
          environment: { ...environment, JWT_SECRET: jwtSecret, DATA_DIR: service.state, VERIFIER_TOKENS: token },
          root: join(image, last('WORKDIR')),
        });
        const page = await fetch(service.url);
        expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
        const ports = { PORT: new URL(service.url).port, VERIFY_PORT: new URL(service.verifyUrl).port };
        const health = healthCheckOf('4000 4001');
        await expect(checkHealth(health, ports)).resolves.toBeDefined();
        const closed = String(await freePort());
        await expect(checkHealth(health, { ...ports, PORT: closed })).rejects.toMatchObject({ code: 1 });
        await expect(checkHealth(health, { ...ports, VERIFY_PORT: closed })).rejects.toMatchObject({ code: 1 });
        await expectEdge(service.verifyUrl, token);
        expect(await service.stop()).toBe(0);
        await expect(checkHealth(health, ports)).rejects.toMatchObject({ code: 1 });
      } finally {
        await service.remove();
      }
    },
  );

  /** Starts the image of an edge, whose health is that of its own port. */
  async function expectEdge(upstream: string, token: string): Promise<void> {
    const [command = '', ...args]: string[] = JSON.parse(last('ENTRYPOINT'));
    const port = String(await freePort());
    const edge = await startBuilt(
      { ...variablesOf(last('ENV')), LATCHKEY_FEED_TOKEN: token, VERIFIER_TOKENS: token, VERIFY_PORT: port },
      { root: join(image, last('WORKDIR')), command: [command, ...args, '--upstream', upstream].join(' ') },
    );
    const health = healthCheckOf('4001');
    await expect(checkHealth(health, { VERIFY_PORT: port })).resolves.toBeDefined();
    expect(await edge.stop()).toBe(0);
    await expect(checkHealth(health, { VERIFY_PORT: port })).rejects.toMatchObject({ code: 1 });
  }
});

/** The root of the image: of the last stage. */
async function build(directory: string): Promise<string> {
  const roots = new Map<string, string>();
  let root = directory;
  let place = '/';
  for (const { name, rest: args } of steps) {
    const words = args.split(/\s+/);
    if (name === 'FROM') {
      const base = roots.get(words[0] ?? '');
      root = join(directory, String(roots.size));
      if (base !== undefined) await run('cp', ['-al', base, root]);
      roots.set(words[2] ?? '', root);
      place = base === undefined ? '/' : last('WORKDIR');
    } else if (name === 'WORKDIR') {
      place = args;
      await mkdir(join(root, place), { recursive: true });
    } else if (name === 'COPY') {
      const from = /^--from=(\S+)$/.exec(words[0] ?? '')?.[1];
      if (from === undefined) await copyContext(words, join(root, place));
      else await copyFrom(roots.get(from) ?? '', words.slice(1), join(root, place));
    } else if (name === 'RUN') {
      await runStep(args, root, join(root, place));
    } else {
      expect(['ENV', 'VOLUME', 'USER', 'EXPOSE', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD']).toContain(name);
    }
  }
  return root;
}

async function copyContext(words: readonly string[], target: string): Promise<void> {
  expect(words).toStrictEqual(['.', '.']);
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard']);
  const files = stdout.trim().split('\n');
  for (const path of files.filter((file) => !isIgnored(file))) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await cp(path, join(target, path));
  }
}

/** Copies the contents of directories, as COPY does. */
async function copyFrom(source: string, words: readonly string[], target: string): Promise<void> {
  const to = resolve(target, words.at(-1) ?? '');
  await mkdir(to, { recursive: true });
  for (const path of words.slice(0, -1)) await run('cp', ['-al', `${join(source, path)}/.`, to]);
}

async function runStep(args: string, root: string, place: string): Promise<void> {
  if (/^npm ci && /.test(args)) {
    await takePackages(place);
    // What `npm ci` does when the packages are there.
    await run('npm', ['run', 'prepare'], { cwd: place });
  }
  // Paths of the image are paths below its root here.
  const command = args.replace(/^npm ci && /, '').replace(/(?<=\s)\/(?=\w)/g, `${root}/`);
  await run('sh', ['-euc', command], { cwd: place, env: { ...process.env, npm_config_offline: 'true' } });
}
