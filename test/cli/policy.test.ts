/** `latchkey policy`: the policy of a team, and the keys that violate it. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { inTests } from '../support/in-tests.ts';
import { runCommand } from '../support/instance.ts';
import { both, rest, sessionToken, startService } from '../support/service.ts';

const running = inTests(() => startService('sqlite'));

function aTeam() {
  const team = randomUUID();
  const token = sessionToken({ [team]: [...both, 'manage_policy'] });
  const env = { LATCHKEY_URL: running.url, LATCHKEY_TOKEN: token, LATCHKEY_TEAM: team };
  return {
    run: (args: readonly string[], input = '') => runCommand(['policy', ...args], env, input),
    create: (fields: object) => rest(running.url, token, 'POST', '/v1/keys', { teamId: team, env: 'live', ...fields }),
  };
}

it('sets a policy from a document, and prints the same document', async () => {
  const { run } = aTeam();
  const rules = { maxLifetimeSeconds: 86_400, scopes: [{ name: 'orders:read', description: 'Read orders' }] };
  const set = await run(['set', 'live', '-'], JSON.stringify(rules));
  expect(JSON.parse(set.stdout)).toMatchObject(rules);
  expect((await run(['get', 'live'])).stdout).toBe(set.stdout);
  expect((await run(['set', 'live', '-'], set.stdout)).stdout).toBe(set.stdout);
  expect(JSON.parse((await run(['get', 'test'])).stdout)).toMatchObject({ maxLifetimeSeconds: null, scopes: null });
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
    expect.stringMatching(/Forever +requireExpiry: expiresAt must be set/),
  ]);
  expect(checked.stdout).not.toContain('For a while');
  expect(checked.stderr).toContain('1 keys violate the policy');
  expect(JSON.parse((await run(['check', '--json'])).stdout)).toMatchObject({ name: 'Forever' });
});
