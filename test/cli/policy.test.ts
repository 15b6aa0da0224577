/** `latchkey policy`: the policy of a team, and the keys that violate it. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { blockOf } from '../support/documents.ts';
import { inTests } from '../support/in-tests.ts';
import { runCommand } from '../support/instance.ts';
import { both, rest, sessionToken, startService } from '../support/service.ts';

const running = inTests(() => startService('sqlite'));

function aTeam() {
  const team = randomUUID();
  const token = sessionToken({ [team]: [...both, 'manage_policy'] });
  const env = { LATCHKEY_URL: running.url, LATCHKEY_TOKEN: token, LATCHKEY_TEAM: team };
  return {
    ...{ team, env, token },
    run: (args: readonly string[], input = '') => runCommand(['policy', ...args], env, input),
    create: (fields: object) => rest(running.url, token, 'POST', '/v1/keys', { teamId: team, env: 'live', ...fields }),
  };
}

it('sets a policy from a document, and prints the same document', async () => {
  const { run } = aTeam();
  const rules = {
    maxLifetimeSeconds: 86_400,
    scopes: [{ name: 'orders:read', description: 'Read orders' }],
    defaults: { lifetimeSeconds: 3600, allowedIps: ['10.0.0.0/8'], scopes: ['orders:read'], rateLimit: null },
  };
  const set = await run(['set', 'live', '-'], JSON.stringify(rules));
  expect(JSON.parse(set.stdout)).toMatchObject(rules);
  expect((await run(['get', 'live'])).stdout).toBe(set.stdout);
  expect((await run(['set', 'live', '-'], set.stdout)).stdout).toBe(set.stdout);
  expect(JSON.parse((await run(['get', 'test'])).stdout)).toMatchObject({ maxLifetimeSeconds: null, scopes: null });
});

it('gives a key that is created without settings those of the policy, unless an option says otherwise', async () => {
  const { run, env } = aTeam();
  await run(['set', 'live', '-'], '{"defaults": {"lifetimeSeconds": 3600, "scopes": ["orders:read"]}}');
  const created = async (...options: string[]) => {
    const { stdout } = await runCommand(
      ['keys', 'create', '--name', 'Shop', '--env', 'live', '--json', ...options],
      env,
    );
    return JSON.parse(stdout);
  };
  expect(await created()).toMatchObject({ scopes: ['orders:read'], expiresAt: expect.any(String) });
  expect(await created('--expires', 'never', '--scope', 'b')).toMatchObject({ scopes: ['b'], expiresAt: null });
});

it('rejects a document that is no policy, and says what is wrong with it', async () => {
  const { run } = aTeam();
  expect((await run(['set', 'live', '-'], '[]')).stderr).toContain('The file is not a JSON object.');
  const wrong = await run(['set', 'live', '-'], '{"maxLifetimeSeconds": 1, "surprise": 2}');
  expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining('surprise')]);
});

it('lists the keys that violate a policy with the rules, and fails if there is one', async () => {
  const { run, create } = aTeam();
  await create({ name: 'Forever' });
  await create({ name: 'For a while', expiresAt: new Date(Date.now() + 3_600_000) });
  expect(await run(['check'])).toMatchObject({ exitCode: 0, stdout: 'No key violates the policy.\n' });
  await run(['set', 'live', '-'], '{"requireExpiry": true}');
  const checked = await run(['check']);
  expect([checked.exitCode, checked.stdout]).toEqual([
    1,
    expect.stringMatching(/Forever +expiresAt must be set.*\(requireExpiry\)/),
  ]);
  expect(checked.stdout).not.toContain('For a while');
  expect(checked.stderr).toContain('1 key violates the policy');
  expect(JSON.parse((await run(['check', '--json'])).stdout)).toMatchObject({ name: 'Forever' });
});

it('docs/reference/policies.md sets a policy, checks keys, and shows what a rejected change gets', async () => {
  const page = 'docs/reference/policies.md';
  const { team, env, token, run, create } = aTeam();
  await create({ name: 'Forever' });
  const shell = async (title: string) => {
    const script = blockOf(page, title).replaceAll(
      'npx latchkey',
      `"${process.execPath}" "${resolve('dist/cli/latchkey.js')}"`,
    );
    const options = { env: { ...process.env, ...env, TEAM: team } };
    return await promisify(execFile)('sh', ['-eu', '-c', script], options);
  };
  const { stdout } = await shell('Set a policy');
  expect(JSON.parse(stdout)).toMatchObject({ maxLifetimeSeconds: 7_776_000, requireAllowedIps: true });
  await expect(shell('What violates a policy already')).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/Forever +expiresAt must be at most .*\(maxLifetimeSeconds\)/),
  });
  for (const title of ['Defaults for new keys', 'Enforce it']) {
    const policy = blockOf(page, title);
    const put = await rest(running.url, token, 'PUT', `/v1/policies/${team}/live`, JSON.parse(policy));
    expect([put.status, put.body]).toMatchObject([200, JSON.parse(policy, withMilliseconds)]);
  }
  await run(['set', 'live', '-'], '{"requireExpiry": true}');
  expect((await create({ name: 'Forever' })).body).toMatchObject(
    JSON.parse(blockOf(page, 'When a change is rejected')),
  );
});

/** Moments as the API writes them. */
function withMilliseconds(name: string, value: unknown): unknown {
  return name === 'enforceAfter' ? new Date(String(value)).toISOString() : value;
}
