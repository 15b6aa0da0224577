// SECURITY.md: A session token
/** Keys on the command line: named by id or prefix and never by secret, with expiries as people write them. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readExpiry } from '../../src/domain/moment-text.ts';
import { startGateway } from '../support/gateway.ts';
import { foreignSecret, sha256 } from '../support/imports.ts';
import { inTests } from '../support/in-tests.ts';
import { runCommand } from '../support/instance.ts';
import { both, importing, sessionToken } from '../support/service.ts';

const gateway = inTests(() => startGateway('sqlite'));

const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}, input = '') =>
  runCommand(
    args,
    {
      LATCHKEY_URL: gateway.running.url,
      LATCHKEY_VERIFY_URL: gateway.url,
      LATCHKEY_TOKEN: sessionToken({ [gateway.teamId]: both }),
      ...env,
    },
    input,
  );

async function json(args: readonly string[], env: NodeJS.ProcessEnv = {}, input = '') {
  const { stdout, stderr, exitCode } = await run([...args, '--json'], env, input);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

const create = (...more: string[]) => json(['keys', 'create', '--name', 'From a script', '--env', 'test', ...more]);

it('the version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await run(['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
});

describe('a key', () => {
  it('is shown and changed by its prefix as by its id, in any state, with one line about each change', async () => {
    const { id, prefix, secret } = await create();
    // The search of the service ignores case and also finds names.
    await create('--description', prefix, '--external-id', prefix);
    await json(['keys', 'update', (await create()).id, '--name', `Not ${prefix}`]);
    const shown = await run(['keys', 'get', prefix]);
    expect(shown.stdout).toMatch(new RegExp(`^id +${id}\n`));
    expect(shown.stdout).not.toContain(secret);
    expect(await json(['keys', 'get', prefix])).toEqual(await json(['keys', 'get', id.toUpperCase()]));
    const line = async (...args: string[]) => (await run(args)).stdout;
    expect(await line('keys', 'update', prefix, '--name', 'New')).toBe(`Updated ${prefix} "New" (${id})\n`);
    expect(await line('keys', 'disable', prefix)).toBe(`Disabled ${prefix} "New" (${id})\n`);
    expect(await line('keys', 'enable', prefix)).toBe(`Enabled ${prefix} "New" (${id})\n`);
    expect(await line('keys', 'end-overlap', prefix)).toBe(`Ended the overlap of ${prefix} "New" (${id})\n`);
    expect(await line('signing', 'enable', prefix)).toMatch(/^[0-9a-f]{64}\n$/);
    expect(await line('signing', 'disable', prefix)).toBe(`Disabled signing for ${prefix} "New" (${id})\n`);
    expect(await json(['keys', 'sources', prefix])).toEqual([]);
    expect(await line('keys', 'revoke', prefix)).toBe(`Revoked ${prefix} "New" (${id})\n`);
    expect(await json(['keys', 'get', prefix])).toMatchObject({ id, state: 'REVOKED' });
  });

  it('with an unknown prefix is not found, and neither is one whose letters differ in case', async () => {
    const { prefix } = await create();
    const swapped = prefix.replace(/.{8}$/, (text: string) =>
      text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase(),
    );
    const others = [...(/[A-Za-z]/.test(prefix.slice(-8)) ? [swapped] : []), prefix.slice(0, -1), `${prefix}0`];
    for (const other of others) {
      expect(await run(['keys', 'revoke', other])).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `KEY_NOT_FOUND: no key has the prefix ${other}. A rotated key has another one: latchkey keys list\n`,
      });
    }
  });

  it('whose prefix keys of several teams have is not guessed, and --team says which one', async () => {
    const teams = [randomUUID(), randomUUID()];
    const LATCHKEY_TOKEN = sessionToken(Object.fromEntries(teams.map((team) => [team, [...both, ...importing]])));
    for (const team of teams) {
      const line = JSON.stringify({
        digest: sha256(foreignSecret()),
        name: 'Old',
        env: 'live',
        prefix: 'sk_live_aaaa',
      });
      const file = ['keys', 'import', '-', '--format', 'ndjson', '--team', team];
      expect((await run(file, { LATCHKEY_TOKEN }, line)).exitCode).toBe(0);
    }
    const { stderr, exitCode } = await run(['keys', 'revoke', 'sk_live_aaaa'], { LATCHKEY_TOKEN });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('AMBIGUOUS')]);
    const ids = await Promise.all(
      teams.map(async (team) => (await json(['keys', 'get', 'sk_live_aaaa', '--team', team], { LATCHKEY_TOKEN })).id),
    );
    for (const id of ids) expect(stderr).toContain(id);
    await run(['keys', 'revoke', 'sk_live_aaaa'], { LATCHKEY_TOKEN, LATCHKEY_TEAM: teams[1] ?? '' });
    const states = ids.map(async (id) => (await json(['keys', 'get', id], { LATCHKEY_TOKEN })).state);
    expect(await Promise.all(states)).toEqual(['ACTIVE', 'REVOKED']);
  });

  it('is never named by its secret, which is neither sent nor repeated, wherever it was pasted', async () => {
    const { secret } = await create();
    const foreign = `sk_live_${'a1'.repeat(16)}`;
    const nowhere = { LATCHKEY_URL: 'http://127.0.0.1:1', LATCHKEY_VERIFY_URL: 'http://127.0.0.1:1' };
    const asKey = (key: string) => [
      ['keys', 'get', key],
      ['keys', 'list', '--team', key],
    ];
    const anywhere = [
      ['keys', 'revoke', secret],
      ['signing', 'enable', secret],
      ['keys', 'create', '--name', 'x', '--env', secret],
      ['keys', secret],
      ['verify', secret],
      ['login', secret],
      ['verify', `--${secret}`],
      ['verify', '--profile', secret],
      [secret],
    ];
    const others = [foreign, `${secret}x`, secret.slice(0, -1), sessionToken({})];
    for (const args of [...anywhere, ...[secret, ...others].flatMap(asKey)]) {
      const { stdout, stderr, exitCode } = await run(args, nowhere);
      expect([exitCode, stdout], args.slice(0, 2).join(' ')).toEqual([2, '']);
      for (const key of [secret.slice(20, 50), foreign.slice(-20), 'eyJ']) expect(stderr).not.toContain(key);
      expect(stderr).toMatch(/Run latchkey(?: [a-z-]+)* --help/);
    }
    expect((await run(['keys', 'revoke', secret])).stderr).toContain('rotate the key');
    // Twenty processes.
  });
});

describe('an expiry', () => {
  const now = new Date('2030-01-31T12:00:00Z');

  it.each([
    ['30d', '2030-03-02T12:00:00.000Z'],
    ['12h', '2030-02-01T00:00:00.000Z'],
    [' 90s ', '2030-01-31T12:01:30.000Z'],
    ['in 6 months', '2030-07-31T12:00:00.000Z'],
    ['1 month', '2030-02-28T12:00:00.000Z'],
    ['In a year', '2031-01-31T12:00:00.000Z'],
    ['2 weeks', '2030-02-14T12:00:00.000Z'],
    ['an hour', '2030-01-31T13:00:00.000Z'],
    ['2031-02-28', '2031-02-28T00:00:00.000Z'],
    ['2031-02-28T01:00:00+01:00', '2031-02-28T01:00:00+01:00'],
    ['never', null],
  ])('%s is accepted', (text, value) => {
    expect(readExpiry(text, now)).toEqual({ ok: true, value });
  });

  it.each([
    '',
    '30',
    'd',
    '0d',
    '-1d',
    '30D',
    '1.5d',
    '30 d',
    '1w',
    '0 days',
    'in 6 moons',
    '6 months ago',
    '9999 years',
    '999999999d',
    '2031-02-30',
    '2031-2-1',
    '2030-01-01T00:00:00',
    'Never',
    'soon',
  ])('%j is rejected', (text) => {
    expect(readExpiry(text, now)).toMatchObject({ ok: false });
  });

  it('in days, as a date or never is set at creation and later, and shown', async () => {
    const before = Date.now();
    const { stderr } = await run(['keys', 'create', '--name', 'x', '--env', 'test', '--expires', '30d']);
    const [, id = '', moment = ''] = /^(\S{36}) {2}x {2}expires at (\S+)\n$/.exec(stderr) ?? [];
    const days = (Date.parse(moment) - before) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    const update = (...args: string[]) => json(['keys', 'update', id, ...args]);
    expect((await update('--expires', '2099-01-31')).expiresAt).toBe('2099-01-31T00:00:00.000Z');
    expect((await update('--expires', 'never')).expiresAt).toBeNull();
    expect((await create('--expires', 'never')).expiresAt).toBeNull();
    const past = await run(['keys', 'update', id, '--expires', '2001-01-31']);
    expect(past).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('BAD_USER_INPUT') });
    expect(past.stderr).toContain('Run latchkey keys update --help');
  });
});

it('a list is filtered as for a review, and sorted by use', async () => {
  const mark = `review-${randomUUID()}`;
  const reviewed = async (...more: string[]) => (await create('--tag', mark, ...more)).id;
  const open = await reviewed('--scope', 'read', '--scope', 'write');
  const limited = await reviewed('--source', '192.0.2.1', '--expires', '30d', '--scope', 'read');
  const signed = await reviewed('--signing');
  const list = async (...args: string[]): Promise<string[]> =>
    (await json(['keys', 'list', '--tag', mark, ...args])).map(({ id }: { id: string }) => id);
  expect(await list('--any-source', '--never-expires', '--never-used', '--signing', 'off')).toEqual([open]);
  expect(await list('--scope', 'read')).toEqual([limited, open]);
  expect(await list('--scope', 'read', '--scope', 'write')).toEqual([open]);
  expect(await list('--signing', 'on', '--created-by', 'tester')).toEqual([signed]);
  expect(await list('--created-by', 'nobody')).toEqual([]);
  const ids = [open, limited, signed].sort();
  expect(await list('--sort', 'last-use')).toEqual(ids);
  expect(await list('--sort', 'calls')).toEqual(ids.toReversed());
});

describe('--limit', () => {
  it('prints the first entries of a list, and says that there are more', async () => {
    for (const _ of [1, 2, 3]) await create();
    const { stdout, stderr } = await run(['keys', 'list', '--limit', '2']);
    expect([stdout.trim().split('\n').length, stderr]).toEqual([3, 'There are more than these 2 keys.\n']);
    expect(await json(['keys', 'list', '--limit', '2'])).toHaveLength(2);
    const totalKeys = (await json(['keys', 'list'])).length;
    expect((await run(['keys', 'list', '--limit', String(totalKeys)])).stderr).toBe('');
    for (const command of ['keys', 'audit']) {
      const exported = await run([command, 'export', '--limit', '2']);
      expect(exported.stdout.trim().split('\n')).toHaveLength(2);
      const csv = await run([command, 'export', '--limit', '2', '--format', 'csv']);
      expect(csv.stdout.trim().split('\n')).toHaveLength(3);
    }
  });
});

it('verify checks the scopes that a request needs', async () => {
  const { secret } = await create('--scope', 'orders:read', '--scope', 'orders:write');
  const verify = async (...args: string[]) => (await run(['verify', ...args], {}, secret)).exitCode;
  expect(await verify('--scope', 'orders:read', '--scope', 'orders:write')).toBe(0);
  expect(await verify('--scope', 'orders:read', '--scope', 'refunds')).toBe(3);
});

describe('a key that is put', () => {
  const putOf = (id: string, ...more: string[]) => ['keys', 'put', id, '--env', 'live', '--name', 'Shop', ...more];
  const put = (...more: string[]) => putOf('customer-7', ...more);

  it('is created with its secret alone on standard output, and then has exactly the settings of the last call', async () => {
    const created = await run(put('--tag', 'a', '--expires', '30d'));
    expect(created.stdout).toMatch(/^lk_live_\w{8}_\w{49}\n$/);
    expect(created.stderr).toMatch(/^Created lk_live_\w{8} "Shop" \([0-9a-f-]{36}\)\n$/);
    const again = await run(put('--description', 'Other'));
    expect([again.stdout, again.stderr]).toEqual(['', expect.stringMatching(/^Put lk_live_/)]);
    const key = await json(put('--description', 'Other'));
    expect(key).toMatchObject({ created: false, description: 'Other', tags: [], expiresAt: null });
    expect(key).not.toHaveProperty('secret');
    const stale = await run(put('--if-revision', '0'));
    expect([stale.exitCode, stale.stderr]).toEqual([1, expect.stringMatching(/^PRECONDITION_FAILED: /)]);
  });

  it('is only created with --if-absent, and only changed with --if-exists', async () => {
    const putIf = async (...args: string[]) => await run(putOf('conditional', ...args));
    const missed = { exitCode: 1, stdout: '', stderr: expect.stringMatching(/^PRECONDITION_FAILED: /) };
    expect(await putIf('--if-exists')).toMatchObject(missed);
    expect((await putIf('--if-absent')).stdout).toMatch(/^lk_live_/);
    expect(await putIf('--if-absent')).toMatchObject(missed);
    expect((await putIf('--if-exists')).stderr).toMatch(/^Put lk_live_/);
    const revision = ['--if-revision', '0'];
    for (const conditions of [['--if-exists'], revision].map((other) => ['--if-absent', ...other])) {
      expect((await putIf(...conditions)).stderr).toContain('cannot be used with option');
    }
    expect((await putIf('--if-exists', ...revision)).stderr).toContain('cannot be used with option');
  });

  it('has a secret that was made without the service, and another digest keeps the last one for the overlap', async () => {
    const secrets = [
      await json(['keys', 'new-secret', '--env', 'live']),
      await json(['keys', 'new-secret', '--env', 'live']),
    ];
    for (const { digest, prefix } of secrets) {
      const { stdout, stderr, exitCode } = await run(put('--digest', digest, '--prefix', prefix, '--overlap', '1h'));
      expect([exitCode, stdout, stderr]).toEqual([0, '', expect.stringContaining(prefix)]);
    }
    for (const { secret } of secrets) {
      expect((await run(['verify', '--source', '203.0.113.9'], {}, secret)).stdout).toContain('VALID');
    }
  });

  it('is not made for another tag or environment than that of the secret', async () => {
    for (const args of [
      ['--env', 'test'],
      ['--env', 'live', '--tag', 'acme'],
    ]) {
      const { prefix, digest } = await json(['keys', 'new-secret', ...args]);
      const { exitCode, stderr } = await run(put('--digest', digest, '--prefix', prefix));
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('prefix: must be the first part of the secret')]);
    }
    expect((await run(['keys', 'new-secret', '--env', 'live', '--tag', 'Bad_Tag'])).exitCode).not.toBe(0);
  });
});
