/** A client that is generated from the served description compiles, and its calls are answered as it expects. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { both, sessionToken } from '../support/service.ts';

const run = promisify(execFile);
/** Inside the checkout, where the compiler finds openapi-fetch. */
const directory = mkdtempSync('test/openapi/generated-');
let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway('sqlite');
  const served = await (await fetch(`${gateway.running.url}/openapi.json`)).text();
  writeFileSync(`${directory}/schema.d.ts`, await typesOf(served));
  writeFileSync(`${directory}/package.json`, '{ "type": "module" }');
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await gateway.stop();
});

async function typesOf(served: string): Promise<string> {
  const generator = spawn(process.execPath, ['test/openapi/client/generate.mjs'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  generator.stdin.end(served);
  const [types] = await Promise.all([text(generator.stdout), once(generator, 'close')]);
  expect(types).toContain('createKey');
  return types;
}

const options = [
  '--strict',
  '--exactOptionalPropertyTypes',
  '--module',
  'nodenext',
  '--target',
  'es2023',
  '--noEmit',
  '--types',
  'node',
];

/** The errors of the compiler, if any. */
async function compile(name: string, source: string): Promise<string> {
  writeFileSync(`${directory}/${name}.ts`, source);
  const compiler = spawn('npx', ['tsc', '--ignoreConfig', ...options, `${directory}/${name}.ts`]);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(compiler.stdout),
    text(compiler.stderr),
    once(compiler, 'close'),
  ]);
  return exitCode === 0 ? '' : stdout + stderr;
}

const program = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

const [managementUrl = '', verificationUrl = '', token = '', teamId = ''] = process.argv.slice(2);
const management = createClient<paths>({ baseUrl: managementUrl, headers: { authorization: \`Bearer \${token}\` } });
const verification = createClient<paths>({ baseUrl: verificationUrl });

const created = await management.POST('/v1/keys', { body: { teamId, name: 'Generated', env: 'test' } });
if (created.data === undefined) throw new Error(created.error?.detail);
const key: components['schemas']['CreatedKey'] = created.data;
const path = { id: key.id };
const settings = { scopes: ['read'], tags: ['shop'], metadata: { plan: 'pro' }, rateLimit: { limit: 5, windowSeconds: 1 } };
const other = await management.POST('/v1/keys', { body: { teamId, name: 'Rotated', env: 'test', ...settings } });
const otherPath = { id: other.data?.id ?? '' };
const rotated = await management.POST('/v1/keys/{id}/rotate', { params: { path: otherPath }, body: { overlapSeconds: 9 } });
await management.POST('/v1/keys/{id}/end-overlap', { params: { path: otherPath } });
await management.PATCH('/v1/keys/{id}', { params: { path: otherPath }, body: { ...settings, externalId: null } });
const { data: whole } = await management.GET('/v1/keys/{id}', { params: { path: otherPath } });
const plan: unknown = whole?.metadata?.plan;
const isRotated = whole?.prefix === rotated.data?.prefix && whole?.previousPrefix === other.data?.prefix;
if (plan !== 'pro' || !isRotated) throw new Error('the key is not as it was changed');
await management.DELETE('/v1/keys/{id}', { params: { path: otherPath } });
const updated = await management.PATCH('/v1/keys/{id}', { params: { path }, body: { allowedIps: ['192.0.2.0/24'] } });
const allowedIps: string[] | undefined = updated.data?.allowedIps;
const listed = await management.GET('/v1/keys', { params: { query: { teamId, limit: 5 } } });
const names: string[] | undefined = listed.data?.map(({ name }) => name);
const verdict = await verification.POST('/v1/verify', { body: { key: key.secret, env: 'live' } });
const code = verdict.data === undefined || Array.isArray(verdict.data) ? undefined : verdict.data.code;
const verdicts = await verification.POST('/v1/verify', { body: [{ key: key.secret }] });
const codes = [verdicts.data ?? []].flat().map((one): components['schemas']['VerdictCode'] => one.code);
const revoked = await management.DELETE('/v1/keys/{id}', { params: { path } });
const again = await management.POST('/v1/keys/{id}/signing/enable', { params: { path } });
const problem: components['schemas']['ErrorCode'] | undefined = again.error?.code;
console.log(JSON.stringify({ allowedIps, names, code, codes, ok: revoked.data?.ok, problem }));
`;

it('compiles, and its calls are answered as it expects', async () => {
  expect(await compile('client', program)).toBe('');
  const { teamId, running, url } = gateway;
  const given = [running.url, url, sessionToken({ [teamId]: both }), teamId];
  const { stdout } = await run(process.execPath, [`${directory}/client.ts`, ...given]);
  expect(JSON.parse(stdout)).toEqual({
    allowedIps: ['192.0.2.0/24'],
    names: ['Generated'],
    code: 'WRONG_ENVIRONMENT',
    codes: ['SOURCE_NOT_ALLOWED'],
    ok: true,
    problem: 'KEY_REVOKED',
  });
}, 60_000);

it.each([
  ['a field that a request does not have', "name: 'Generated'", "label: 'Generated'"],
  ['an environment that does not exist', "env: 'test'", "env: 'prod'"],
  ['a field that an answer does not have', 'data.code', 'data.reason'],
  ['a path that does not exist', "'/v1/verify'", "'/v1/verified'"],
])(
  'does not compile with %s',
  async (name, from, to) => {
    expect(program).toContain(from);
    const file = name.replaceAll(' ', '-');
    expect(await compile(file, program.replace(from, to))).toMatch(new RegExp(`${file}\\.ts.*error TS2`));
  },
  60_000,
);
