/** `latchkey management-keys` and `latchkey trust-rules`: what programs and workloads may manage the keys of a team. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { inTests } from '../support/in-tests.ts';
import { runCommand } from '../support/instance.ts';
import { both, rest, sessionToken, startService } from '../support/service.ts';

const issuer = 'https://token.actions.githubusercontent.com';
const running = inTests(() => startService('sqlite', { TRUSTED_ISSUERS: issuer }));

/** A person who manages access to a team. Each of the functions runs commands, with another credential if it is given. */
function asTeam() {
  const team = randomUUID();
  const token = sessionToken({ [team]: [...both, 'manage_access'] }, 'ada');
  const commands =
    (name: string) =>
    (args: readonly string[], LATCHKEY_TOKEN: string = token) =>
      runCommand([name, ...args], { LATCHKEY_URL: running.url, LATCHKEY_TOKEN, LATCHKEY_TEAM: team });
  return { team, keys: commands('management-keys'), rules: commands('trust-rules') };
}

const oneKey = ['create', '--name', 'Deployments', '--expires', '30d'];
const secretForm = /^lk_mgmt_\w+$/;
const listWith = (token: string, team: string) => rest(running.url, token, 'GET', `/v1/keys?teamId=${team}`);

describe('management-keys', () => {
  it('prints a new secret as the only text on standard output, and never again', async () => {
    const { team, keys } = asTeam();
    const made = await keys(oneKey);
    const secret = made.stdout.trim();
    expect([made.exitCode, secret]).toEqual([0, expect.stringMatching(secretForm)]);
    expect(made.stderr).toMatch(/^[0-9a-f-]{36} {2}lk_mgmt_\w{8} {2}until 20\S+\n$/);
    expect((await listWith(secret, team)).status).toBe(200);
    for (const args of [['list'], ['list', '--json']]) {
      const listed = await keys(args);
      expect(listed.stdout).toContain('Deployments');
      expect(made.stderr + listed.stdout + listed.stderr).not.toContain(secret);
    }
  });

  it('prints the signing secret in a second line', async () => {
    const lines = (await asTeam().keys([...oneKey, '--signing'])).stdout.trim().split('\n');
    expect(lines).toEqual([expect.stringMatching(secretForm), expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  it('gives what is named, and says when and from where the key is accepted', async () => {
    const { team, keys } = asTeam();
    const made = await keys([...oneKey, '--can', 'view_team', '--source', '192.0.2.0/24', '--json']);
    const { secret, ...key } = JSON.parse(made.stdout);
    expect(made.stderr).toBe('');
    expect(key).toMatchObject({ name: 'Deployments', permissions: ['view_team'], allowedIps: ['192.0.2.0/24'] });
    const { status, body } = await listWith(secret, team);
    expect([status, body.detail]).toEqual([401, 'The management key is not accepted from this address.']);
  });

  it('rotates with an overlap, and ends all earlier secrets at once without one', async () => {
    const { team, keys } = asTeam();
    const { id, secret: first } = JSON.parse((await keys([...oneKey, '--json'])).stdout);
    const second = (await keys(['rotate', id, '--overlap', '1d', '--yes'])).stdout.trim();
    expect((await listWith(first, team)).status).toBe(200);
    const replaced = await keys(['rotate', id, '--yes']);
    expect(replaced).toMatchObject({ exitCode: 0 });
    const third = replaced.stdout.trim();
    expect(new Set([first, second, third])).toHaveLength(3);
    const statuses = [first, second, third].map(async (secret) => (await listWith(secret, team)).status);
    expect(await Promise.all(statuses)).toEqual([401, 401, 200]);
  });

  it('revokes a key, which is rejected once the command has ended', async () => {
    const { team, keys } = asTeam();
    const { id, prefix, secret } = JSON.parse((await keys([...oneKey, '--json'])).stdout);
    expect((await keys(['revoke', id, '--yes'])).stdout).toBe(`Revoked ${prefix} (${id})\n`);
    expect((await listWith(secret, team)).status).toBe(401);
    expect((await keys(['list'])).stdout).toMatch(/Deployments .*\brevoked\b/);
  });

  it('cannot be made with a management key', async () => {
    const { keys } = asTeam();
    const secret = (await keys(oneKey)).stdout.trim();
    const other = await keys(oneKey, secret);
    expect([other.exitCode, other.stdout, other.stderr]).toEqual([1, '', expect.stringContaining('FORBIDDEN')]);
  });

  it.each([
    ['a permission that is never given', [...oneKey, '--can', 'manage_access'], 'Allowed choices'],
    ['no expiry', ['create', '--name', 'x'], '--expires'],
    ['a moment that is none', ['create', '--name', 'x', '--expires', 'later'], '--expires'],
    ['an id that is none', ['revoke', `lk_mgmt_${'A'.repeat(57)}`, '--yes'], 'Expected the id of a management key'],
  ])('rejects %s before a call, without repeating a secret', async (_, args, expected) => {
    const { exitCode, stdout, stderr } = await asTeam().keys(args);
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(expected)]);
    expect(stderr).not.toContain('A'.repeat(57));
  });

  it('says what is wrong with an expiry that is too late', async () => {
    const { exitCode, stderr } = await asTeam().keys(['create', '--name', 'x', '--expires', '400d']);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('expiresAt')]);
  });

  it('tells another team nothing about a key', async () => {
    const [mine, other] = [asTeam(), asTeam()];
    const { id } = JSON.parse((await mine.keys([...oneKey, '--json'])).stdout);
    const errors = await Promise.all(
      [id, randomUUID()].map(async (one) => (await other.keys(['revoke', one, '--yes'])).stderr.replace(one, '<id>')),
    );
    expect(errors).toEqual([expect.stringContaining('NOT_FOUND'), errors[0]]);
  });
});

describe('trust-rules', () => {
  const oneRule = ['create', '--name', 'Main branch', '--issuer', issuer, '--audience', 'latchkey'];
  const repository = ['--claim', 'repository_id=74231'];

  it('creates, lists and deletes a rule', async () => {
    const { rules } = asTeam();
    const created = await rules([
      ...oneRule,
      ...repository,
      '--claim',
      'sub=a=b',
      '--once',
      '--can',
      'view_team,manage_keys',
      '--json',
    ]);
    const rule = JSON.parse(created.stdout);
    const claims = { repository_id: '74231', sub: 'a=b' };
    expect(rule).toMatchObject({
      name: 'Main branch',
      issuer,
      claims,
      permissions: ['view_team', 'manage_keys'],
      once: true,
    });
    const listed = (await rules(['list'])).stdout;
    expect(listed).toMatch(/Main branch .*aud=latchkey repository_id=74231 sub=a=b +view_team,manage_keys +never/);
    expect((await rules(['delete', rule.id, '--yes'])).stdout).toBe(`Removed ${rule.id}\n`);
    expect((await rules(['list', '--json'])).stdout.trim()).toBe('[]');
  });

  it.each([
    ['a claim without a value', [...oneRule, '--claim', 'repository_id'], 'Expected <name>=<value>'],
    ['a claim twice', [...oneRule, ...repository, ...repository], 'Each claim can be given once'],
    ['a permission that is never given', [...oneRule, ...repository, '--can', 'manage_policy'], 'Allowed choices'],
    ['an id that is none', ['delete', 'main', '--yes'], 'Expected the id of a trust rule'],
  ])('rejects %s before a call', async (_, args, expected) => {
    const { exitCode, stderr } = await asTeam().rules(args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(expected)]);
  });

  it.each([
    ['a name that can be taken by others', ['--claim', 'repository=octo/app'], 'repository_id instead of repository'],
    ['a wildcard', ['--claim', 'repository_id=7*'], 'exact values'],
    ['an issuer that the operator does not trust', [...repository, '--issuer', 'https://example.com'], 'issuer'],
    ['the name of a prototype', ['--claim', '__proto__=x'], 'must have a claim that only one workload has'],
  ])('says what is wrong with %s', async (_, args, expected) => {
    const { exitCode, stdout, stderr } = await asTeam().rules([...oneRule, ...args]);
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(expected)]);
  });

  it('tells another team nothing about a rule', async () => {
    const [mine, other] = [asTeam(), asTeam()];
    const { id } = JSON.parse((await mine.rules([...oneRule, ...repository, '--json'])).stdout);
    const errors = await Promise.all(
      [id, randomUUID()].map(async (one) => (await other.rules(['delete', one, '--yes'])).stderr.replace(one, '<id>')),
    );
    expect(errors).toEqual([expect.stringContaining('NOT_FOUND'), errors[0]]);
    expect((await mine.rules(['list'])).stdout).toContain('Main branch');
  });
});
