/** The client as its users install it: packed, in projects of their own, against a real service. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { at } from '../recipes/page.ts';
import { type RunningGateway, send, startGateway } from '../support/gateway.ts';
import {
  type ConsumerProject,
  createProject,
  packClient,
  type Resolution,
  readmeProgram,
  resolutions,
} from './consumer-project.ts';

const run = promisify(execFile);
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
  it('has the version of the service, at most 45 kB, no dependencies, and only what runs', () => {
    expect(packed.sizeBytes).toBeLessThanOrEqual(45_000);
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
  beforeAll(async () => {
    project = await createProject([packed.file, ...packages]);
  }, 120_000);
  afterAll(() => {
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
    const [address] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    return { folder, origin: `http://127.0.0.1:${JSON.parse(String(address)).port}` };
  }

  it.each(everyResolution)('compiles with %s, and lets only requests with a valid key pass', async (resolution) => {
    const { folder, origin } = await start(resolution);
    const order = '{"amount":5}';
    const post = (headers: object, body = order) =>
      send(origin, {
        elsewhere: true,
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
