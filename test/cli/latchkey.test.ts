/** The command line, as a person and as a script use it, on a service that runs. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { runCommand } from '../support/instance.ts';
import { both, sessionToken } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

const program = fileURLToPath(new URL('../../dist/cli/latchkey.js', import.meta.url));
const directory = temporaryDirectory().path;
const gateway = inTests(() => startGateway('sqlite'));

const run = (
  args: readonly string[],
  { input = '', env = {} }: { readonly input?: string; readonly env?: NodeJS.ProcessEnv } = {},
) => {
  const [LATCHKEY_URL, LATCHKEY_VERIFY_URL] = [gateway.running.url, gateway.url];
  const LATCHKEY_TOKEN = sessionToken({ [gateway.teamId]: both });
  const own = { LATCHKEY_URL, LATCHKEY_VERIFY_URL, LATCHKEY_TOKEN, DATA_DIR: directory, JWT_SECRET: undefined };
  return runCommand(args, { ...own, ...env }, input);
};

/** Of a command that does what it is asked. */
async function json(args: readonly string[], input = '') {
  const { stdout, stderr, exitCode } = await run([...args, '--json'], { input });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

const create = (...more: string[]) => [
  ...['keys', 'create', '--team', gateway.teamId, '--name', 'From a script', '--env', 'test'],
  ...more,
];

describe('teams', () => {
  it('get a name from the operator, which sessions without a name of their own show', async () => {
    const env = { DATABASE_URL: gateway.running.database.url };
    const teams = async (...args: string[]) => await run(['teams', ...args], { env });
    expect(await teams('name', gateway.teamId.toUpperCase(), 'Payments')).toEqual({
      stdout: '',
      stderr: '',
      exitCode: 0,
    });
    const listed = { id: gateway.teamId, name: 'Payments' };
    expect(JSON.parse((await teams('list', '--json')).stdout)).toEqual([listed]);
    expect((await teams('list')).stdout).toContain('Payments');
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${sessionToken({ [gateway.teamId]: both })}`,
    };
    const body = JSON.stringify({ query: '{ viewer { teams { id name } } }' });
    const response = await fetch(`${gateway.running.url}/graphql`, { method: 'POST', headers, body });
    expect(await response.json()).toEqual({ data: { viewer: { teams: [listed] } } });
    await teams('unname', gateway.teamId);
    expect(JSON.parse((await teams('list', '--json')).stdout)).toEqual([]);
  });
});

describe('keys', () => {
  it('show from where they were used', async () => {
    const { id } = await json(create());
    const [firstAt, lastAt] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')];
    const counts = [
      { code: 'VALID' as const, count: 3 },
      { code: 'EXPIRED' as const, count: 1 },
    ];
    const source = { keyId: id, teamId: gateway.teamId, version: 1, address: '192.0.2.1', firstAt, lastAt, counts };
    await gateway.running.service.management.store.observedSources.add([source], new Date());
    const { stdout } = await run(['keys', 'sources', id]);
    expect(stdout).toMatch(/^ADDRESS +SECRET +FIRST SEEN +LAST SEEN +VERDICTS/);
    expect(stdout).toMatch(/192\.0\.2\.1 +current +2026-01-01T00:00:00\.000Z +2026-01-02T00:00:00\.000Z +.*VALID 3/);
    expect(await json(['keys', 'sources', id])).toMatchObject([{ address: '192.0.2.1', secret: 'CURRENT' }]);
    expect((await run(['keys', 'sources', id])).stderr).toBe('');
    await gateway.running.service.management.store.observedSources.add(
      Array.from({ length: 101 }, (_, i) => ({ ...source, address: `10.0.0.${i}`, firstAt: lastAt })),
      new Date(),
    );
    const { stdout: table, stderr: note } = await run(['keys', 'sources', id]);
    expect(table.trim().split('\n')).toHaveLength(101);
    expect(note).toMatch(/^This list is not complete: .* last seen 2026-01-02T00:00:00\.000Z\n$/);
    await json(['keys', 'revoke', id]);
  });

  it('are created, with the secret alone on standard output, listed, updated and revoked', async () => {
    const created = await run(create('--expires', '2090-01-31T12:00:00+01:00'));
    expect(created.exitCode).toBe(0);
    expect(created.stdout).toMatch(/^lk_test_\w{8}_\w{49}\n$/);
    const secret = created.stdout.trim();
    expect(created.stderr).not.toContain(secret);
    const id = created.stderr.slice(0, 36);

    const listed = await run(['keys', 'list', '--team', gateway.teamId, '--search', 'script']);
    expect(listed.stdout).toContain(id);
    expect(listed.stdout).not.toContain(secret);
    expect(await json(['keys', 'list', '--team', gateway.teamId, '--env', 'live'])).toEqual([]);

    const sources = ['--source', '10.0.0.0/8 # ours', '--source', 'vpn.example.com'];
    const updated = await json(['keys', 'update', id, '--name', 'Renamed', '--remove', 'expiry', ...sources]);
    expect(updated).toMatchObject({
      name: 'Renamed',
      expiresAt: null,
      allowedIps: ['10.0.0.0/8 # ours', 'vpn.example.com'],
    });
    expect(await json(['keys', 'update', id, '--remove', 'sources'])).toMatchObject({
      name: 'Renamed',
      allowedIps: [],
    });

    expect(await json(['verify', '--env', 'test'], `${secret}\n`)).toMatchObject({ valid: true, keyId: id });
    expect(await json(['keys', 'revoke', id])).toMatchObject({ state: 'REVOKED' });
    const rejected = await run(['verify'], { input: secret });
    expect(rejected.exitCode).toBe(3);
    expect(rejected.stdout).toContain('REVOKED');
    expect(
      (await json(['keys', 'list', '--team', gateway.teamId, '--state', 'revoked'])).map(
        (key: { id: string }) => key.id,
      ),
    ).toContain(id);
  });

  it('are created with every restriction, with the signing secret in a second line, and filtered by owner and tag', async () => {
    const settings = ['--source', '10.0.0.0/8', '--scope', 'orders:read', '--scope', 'orders:write'];
    settings.push('--description', 'of the shop', '--external-id', 'customer-42', '--tag', 'shop', '--tag', 'ci');
    settings.push('--metadata', '{"plan": "pro"}');
    const created = await run(create(...settings, '--rate-limit', '100/60', '--signing'));
    expect(created).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^lk_test_\w{58}\n[0-9a-f]{64}\n$/) });
    const id = created.stderr.slice(0, 36);
    const list = (...more: string[]) => json(['keys', 'list', '--team', gateway.teamId, ...more]);
    const [listed, ...others] = await list('--tag', 'shop', '--tag', 'ci', '--external-id', 'customer-42');
    expect(others).toEqual([]);
    expect(listed).toMatchObject({
      id,
      description: 'of the shop',
      allowedIps: ['10.0.0.0/8'],
      scopes: ['orders:read', 'orders:write'],
      externalId: 'customer-42',
      tags: ['shop', 'ci'],
      metadata: { plan: 'pro' },
      rateLimit: { limit: 100, windowSeconds: 60 },
      signingEnabled: true,
    });
    expect(await list('--tag', 'other')).toEqual([]);
    expect(await json(['keys', 'update', id, '--scope', 'all', '--tag', 'other'])).toMatchObject({
      scopes: ['all'],
      tags: ['other'],
      metadata: { plan: 'pro' },
    });
    const all = ['description', 'sources', 'scopes', 'external-id', 'tags', 'metadata', 'rate-limit'];
    expect(await json(['keys', 'update', id, '--remove', ...all])).toMatchObject({
      description: null,
      allowedIps: [],
      scopes: [],
      externalId: null,
      tags: [],
      metadata: null,
      rateLimit: null,
    });
    const { prefix } = listed;
    expect((await run(['keys', 'revoke', id])).stdout).toBe(`Revoked ${prefix} "From a script" (${id})\n`);
  });

  it('are rotated, with the new secret alone on standard output, and the overlap ends when asked to', async () => {
    const { id, secret } = await json(create());
    const rotated = await run(['keys', 'rotate', id, '--overlap', '7d']);
    expect(rotated).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^lk_test_\w{58}\n$/) });
    expect(rotated.stderr).toMatch(/: the previous secret is accepted until \d{4}-/);
    expect(rotated.stderr).not.toContain(rotated.stdout.trim());
    expect(await json(['verify'], secret)).toMatchObject({ code: 'VALID', secret: 'previous' });
    expect(await json(['verify'], rotated.stdout)).toMatchObject({ code: 'VALID', secret: 'current' });
    expect(await json(['keys', 'end-overlap', id])).toMatchObject({ id, previousSecretExpiresAt: null });
    expect((await run(['verify'], { input: secret })).stdout).toContain('ROTATED');
    const again = await json(['keys', 'rotate', id]);
    expect(again).toMatchObject({ id, secret: expect.stringMatching(/^lk_test_/), previousSecretExpiresAt: null });
    expect((await run(['verify'], { input: rotated.stdout })).stdout).toContain('ROTATED');
    await json(['keys', 'revoke', id]);
  });

  it('are rotated with an overlap that ends with the key, as the text and the JSON say', async () => {
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await json(create('--expires', end));
    const { stderr } = await run(['keys', 'rotate', id, '--overlap', '7d']);
    expect(stderr).toBe(`${id}  From a script: the previous secret is accepted until ${end}, when the key expires\n`);
    expect(await json(['keys', 'rotate', id, '--overlap', '7d'])).toMatchObject({ previousSecretExpiresAt: end });
    expect(await json(['keys', 'get', id])).toMatchObject({ expiresAt: end, previousSecretExpiresAt: end });
    await json(['keys', 'update', id, '--expires', 'never']);
    const { previousSecretExpiresAt } = await json(['keys', 'get', id]);
    expect(previousSecretExpiresAt > end).toBe(true);
    await json(['keys', 'revoke', id]);
    expect(await json(['keys', 'get', id])).toMatchObject({ previousSecretExpiresAt: null });
  });

  it('are disabled and enabled, with a reason', async () => {
    const { id, secret } = await json(create());
    expect(await json(['keys', 'disable', id, '--reason', 'an incident'])).toMatchObject({ state: 'DISABLED' });
    expect((await run(['verify'], { input: secret })).stdout).toContain('DISABLED');
    const disabled = await json(['keys', 'list', '--team', gateway.teamId, '--state', 'disabled']);
    expect(disabled.map((key: { id: string }) => key.id)).toEqual([id]);
    expect(await json(['keys', 'enable', id])).toMatchObject({ state: 'ACTIVE', disabledAt: null });
    await json(['keys', 'revoke', id]);
  });

  it('are listed whole, however many there are', async () => {
    const issued = await Promise.all(Array.from({ length: 620 }, () => gateway.issue()));
    const listed: { id: string }[] = await json(['keys', 'list', '--team', gateway.teamId]);
    expect(new Set(listed.map(({ id }) => id))).toEqual(new Set([...issued.map(({ id }) => id)]));
    expect(listed).toHaveLength(620);
  });
});

it('signing is enabled, rotated and disabled, with each secret once', async () => {
  const { id } = await json(create());
  const first = await run(['signing', 'enable', id]);
  expect(first.stdout).toMatch(/^[0-9a-f]{64}\n$/);
  const second = await json(['signing', 'rotate', id.toUpperCase(), '--overlap', '1h']);
  expect(second).toEqual({ id, signingSecret: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(second.signingSecret).not.toBe(first.stdout.trim());
  expect(await run(['signing', 'enable', id])).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringContaining('SIGNING_ALREADY_ENABLED'),
  });
  expect((await json(['signing', 'disable', id])).signingEnabled).toBe(false);
  await json(['keys', 'revoke', id]);
});

describe('what goes wrong', () => {
  it('an error has the code of the service, for people and for programs', async () => {
    const unknown = randomUUID();
    expect(await run(['keys', 'revoke', unknown])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'KEY_NOT_FOUND: There is no key with this id.\n',
    });
    const { stderr } = await run(['keys', 'revoke', unknown, '--json']);
    expect(JSON.parse(stderr)).toEqual({ error: { code: 'KEY_NOT_FOUND', message: 'There is no key with this id.' } });
  });

  it('a wrong port is named, with its URL', async () => {
    const { url } = gateway.running;
    const list = ['keys', 'list', '--team', gateway.teamId];
    expect(await run(list, { env: { LATCHKEY_URL: gateway.url } })).toMatchObject({
      exitCode: 1,
      stderr: `NOT_FOUND: ${gateway.url}: This is the verification port (VERIFY_PORT). The path is on the management port (PORT).\n`,
    });
    expect(await run(['verify'], { input: 'a.key', env: { LATCHKEY_VERIFY_URL: url } })).toMatchObject({
      exitCode: 1,
      stderr: `NOT_FOUND: ${url}: This is the management port (PORT). The path is on the verification port (VERIFY_PORT).\n`,
    });
  });

  it('a missing token, an invalid token and an unreachable service give different errors', async () => {
    const list = ['keys', 'list', '--team', gateway.teamId];
    expect(await run(list, { env: { LATCHKEY_TOKEN: undefined } })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('NO_TOKEN'),
    });
    const bad = await run(list, { env: { LATCHKEY_TOKEN: 'canary-token' } });
    expect(bad).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('UNAUTHENTICATED') });
    expect(bad.stderr).not.toContain('canary');
    expect(await run(list, { env: { LATCHKEY_URL: 'http://127.0.0.1:1' } })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('UNREACHABLE'),
    });
    expect(await run(list, { env: { LATCHKEY_URL: 'nonsense' } })).toMatchObject({
      exitCode: 1,
      stderr: 'CONFIGURATION: LATCHKEY_URL: expected an http or https URL\n',
    });
  });
});

it('verify says that it was given no source for a key with an allow-list', async () => {
  const { secret } = await gateway.issue({ allowedIps: ['192.0.2.1'] });
  const hint = 'The key has an allow-list, and no source was given: use --source <address>.\n';
  expect(await run(['verify'], { input: secret })).toMatchObject({ exitCode: 3, stderr: hint });
  expect(await run(['verify', '--source', '192.0.2.9'], { input: secret })).toMatchObject({ exitCode: 3, stderr: '' });
});

it('verify explains that a session token is not a key', async () => {
  const { stderr, exitCode } = await run(['verify'], { input: sessionToken({ [gateway.teamId]: both }) });
  expect(exitCode).toBe(3);
  expect(stderr).toContain('This is a session token, for the management port, and not a key.');
});

it('serve runs the service until it is stopped', async () => {
  const data = join(directory, 'served');
  const child = spawn(process.execPath, [program, 'serve'], { env: { DATA_DIR: data, PORT: '0', VERIFY_PORT: '0' } });
  let output = '';
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes('"msg":"ready"')) resolve();
    });
  });
  child.kill('SIGTERM');
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
});
