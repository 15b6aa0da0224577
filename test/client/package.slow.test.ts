/** The client as its users install it: packed, in projects of their own, against a real service. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { at } from '../recipes/page.ts';
import { type RunningGateway, send, startGateway } from '../support/gateway.ts';
import { nextOutput } from '../support/processes.ts';

const run = promisify(execFile);

/** The ways in which TypeScript can resolve the package, each with the module format of the compiled program. */
const resolutions = {
  nodenext: { type: 'module', module: 'nodenext', moduleResolution: 'nodenext' },
  'node16 in CommonJS': { type: 'commonjs', module: 'node16', moduleResolution: 'node16' },
  bundler: { type: 'module', module: 'esnext', moduleResolution: 'bundler' },
} as const;

type Resolution = keyof typeof resolutions;

interface ConsumerProject {
  /** Compiles programs, by name, with every check of TypeScript. Resolves to their folder; rejects with the errors. */
  readonly compile: (programs: Readonly<Record<string, string>>, resolution: Resolution) => Promise<string>;
  readonly remove: () => void;
}

/** Packs what is built, so that other tests that use it are not disturbed. Resolves to the file and its contents. */
async function packClient(directory: string) {
  const words = ['--workspace=@latchkey/client', '--ignore-scripts', '--json', `--pack-destination=${directory}`];
  const { stdout } = await run('npm', ['pack', ...words]);
  // npm 10 answers an array, npm 11 and later may answer an object by name.
  const answer: Record<string, { filename: string; size: number; files: { path: string }[] }> = JSON.parse(stdout);
  const [{ filename, size, files } = expect.fail('npm packed nothing')] = Object.values(answer);
  return { file: join(directory, filename), sizeBytes: size, paths: files.map(({ path }) => path) };
}

async function createProject(packages: readonly string[]): Promise<ConsumerProject> {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-consumer-'));
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true }));
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
    cwd: directory,
  });
  const types = packages.some((name) => name.startsWith('@types/node@')) ? ['node'] : [];
  return {
    compile: async (programs, resolution) => {
      const { type, ...modules } = resolutions[resolution];
      const folder = mkdtempSync(join(directory, 'compiled-'));
      const compilerOptions = { ...modules, ...strictOptions, types };
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
      for (const [name, source] of Object.entries(programs)) writeFileSync(join(folder, `${name}.ts`), source);
      await run(resolve('node_modules/.bin/tsc'), ['-p', folder]).catch(({ stdout }) => {
        throw new Error(String(stdout));
      });
      return folder;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

const strictOptions = {
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
};

const readme = readFileSync('src/client/README.md', 'utf8');

/** The program in a section of the package's README. */
function readmeProgram(title: string): string {
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
  const [, program] = /^```ts\n(.*?)^```$/ms.exec(section ?? '') ?? [];
  if (program === undefined) throw new Error(`the README of the client has no program in the section ${title}`);
  return program;
}

const directory = mkdtempSync(join(tmpdir(), 'latchkey-client-'));
let packed: Awaited<ReturnType<typeof packClient>>;
let gateway: RunningGateway;
beforeAll(async () => {
  packed = await packClient(directory);
  gateway = await startGateway('sqlite');
});
afterAll(async () => {
  await gateway?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const here = (program: string) => at(program, { 'http://127.0.0.1:4001': gateway.url });
const everyResolution = Object.keys(resolutions) as Resolution[];

describe('the package', () => {
  it('has the version of the service, at most 56 kB, no dependencies, and only what runs', () => {
    expect(packed.sizeBytes).toBeLessThanOrEqual(56_000);
    expect(packed.paths.filter((path) => !/^(?:package\.json|README\.md|dist\/)/.test(path))).toEqual([]);
    expect(packed.paths.filter((path) => /test|\.map$|(?<!\.d)\.ts$/.test(path))).toEqual([]);
    const manifest = JSON.parse(readFileSync('src/client/package.json', 'utf8'));
    expect(Object.keys(manifest).filter((field) => /dependencies$/i.test(field))).toEqual([]);
    expect(manifest.version).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
  });
});

const frameworks = {
  'Express 4': {
    section: 'Express',
    packages: ['express@4.21.2', '@types/express@4.17.21', '@types/node@24.19.2'],
  },
  'Express 5': { section: 'Express', packages: ['express@5.3.0', '@types/express@5.0.6', '@types/node@24.19.2'] },
  'Fastify 5': { section: 'Fastify', packages: ['fastify@5.12.8', '@types/node@24.19.2'] },
} as const;
const listening = {
  Express: `const server = app.listen(0, '127.0.0.1', () => console.log(JSON.stringify(server.address())));`,
  Fastify: `app.listen({ host: '127.0.0.1', port: 0 }, () => console.log(JSON.stringify(app.server.address())));`,
};
const verifying = `keyIdOf(process.env['KEY'] ?? '').then((id) => { console.log(id); verifier.close(); });`;

describe.each(Object.keys(frameworks) as (keyof typeof frameworks)[])('a project with %s', (framework) => {
  const { section, packages } = frameworks[framework];
  let project: ConsumerProject;
  const children: ChildProcess[] = [];
  // Keeps connections open. A server that closes one before it has read the body resets it, and the answer can be lost.
  const agent = new Agent({ keepAlive: true });
  beforeAll(async () => {
    project = await createProject([packed.file, ...packages]);
  });
  afterAll(() => {
    agent.destroy();
    for (const child of children) child.kill('SIGKILL');
    project?.remove();
  });

  /** Compiles everything that the project uses of the package, and starts its service. */
  async function start(resolution: Resolution): Promise<{ readonly folder: string; readonly origin: string }> {
    const service = `${here(readmeProgram(section))}\n${listening[section]}`;
    const verify = `${here(readmeProgram('Verify'))}\n${verifying}`;
    const local = `${here(readmeProgram('Local verifier'))}\n${verifying}`;
    const programs = { service, verify, local, sign: readmeProgram('Sign') };
    const folder = await project.compile(programs, resolution);
    const environment = { PATH: process.env.PATH };
    const child = spawn('node', [`${folder}/service.js`], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    return { folder, origin: `http://127.0.0.1:${JSON.parse(await nextOutput(child)).port}` };
  }

  it.each(everyResolution)('compiles with %s, and lets only requests with a valid key pass', async (resolution) => {
    const { folder, origin } = await start(resolution);
    const order = '{"amount":5}';
    const post = (headers: object, body = order) =>
      send(origin, {
        elsewhere: true,
        agent,
        method: 'POST',
        path: '/orders',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
    const accepted = (keyId: string) => ({ status: 200, body: JSON.stringify({ keyId, order: { amount: 5 } }) });

    const { id, secret } = await gateway.issue();
    const bearer = { authorization: `Bearer ${secret}` };
    expect(await post(bearer)).toMatchObject(accepted(id));
    for (const program of ['verify', 'local']) {
      const { stdout } = await run('node', [`${folder}/${program}.js`], {
        env: { PATH: process.env.PATH, KEY: secret },
      });
      expect(stdout.trim()).toBe(id);
    }
    await gateway.revoke(id);
    const revoked = await post(bearer);
    const missing = await post({});

    const key = await gateway.issueSigning();
    const signed = (body: string) => ({
      authorization: `Bearer ${key.secret}`,
      ...signRequest(
        { method: 'POST', url: `${origin}/orders`, body },
        { keyId: key.id, signingSecret: key.signingSecret },
      ),
    });
    expect(await post(signed(order))).toMatchObject(accepted(key.id));
    const altered = await post(signed(order), '{"amount":9}');
    const unsigned = await post({ authorization: `Bearer ${key.secret}` });
    const tooLarge = await post(signed('x'.repeat(1_048_577)), 'x'.repeat(1_048_577));

    const reader = await gateway.issueSigning({ scopes: ['orders:read'], externalId: 'customer-1' });
    const read = (of: typeof reader) =>
      send(origin, {
        elsewhere: true,
        path: '/orders',
        headers: {
          authorization: `Bearer ${of.secret}`,
          ...signRequest({ method: 'GET', url: `${origin}/orders` }, { keyId: of.id, signingSecret: of.signingSecret }),
        },
      });
    expect(await read(reader)).toMatchObject({ status: 200, body: JSON.stringify({ externalId: 'customer-1' }) });
    const unscoped = await read(key);

    const answers = [revoked, missing, altered, unsigned, tooLarge, unscoped];
    expect(answers.map(({ status, body }) => [status, JSON.parse(body).code])).toEqual([
      [401, 'REVOKED'],
      [401, 'UNAUTHENTICATED'],
      [401, 'SIGNATURE_INVALID'],
      [401, 'SIGNATURE_REQUIRED'],
      [413, 'PAYLOAD_TOO_LARGE'],
      [403, 'INSUFFICIENT_SCOPE'],
    ]);
  });
});

describe('a project for a runtime with the Fetch API', () => {
  let project: ConsumerProject;
  beforeAll(async () => {
    project = await createProject([packed.file]);
  });
  afterAll(() => project?.remove());

  it.each(everyResolution)('compiles with %s, without the types of Node', async (resolution) => {
    await project.compile({ service: here(readmeProgram('Fetch API')) }, resolution);
  });
});
