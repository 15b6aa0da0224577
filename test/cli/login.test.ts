// SECURITY.md: A session token
/** A session token that is stored by `latchkey login` is private, stays with its service, and loses to the environment. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listen, startGateway, stopListening } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { runCommand } from '../support/instance.ts';
import { both, jwtSecret, sessionToken } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

const gateway = inTests(() => startGateway('sqlite'));
const directory = temporaryDirectory().path;

/** A server that is not Latchkey, and records what reaches it. */
const otherServer = createServer((request, response) => {
  request.on('data', (chunk) => received.push(String(chunk)));
  received.push(JSON.stringify(request.headers));
  response.writeHead(307, { location: `${otherServerUrl}/elsewhere` }).end();
});
const received: string[] = [];
let otherServerUrl: string;
beforeAll(async () => {
  otherServerUrl = await listen(otherServer);
});
afterAll(() => stopListening(otherServer));

let home: string;
let token: string;
beforeEach(() => {
  home = mkdtempSync(join(directory, 'home-'));
  token = sessionToken({ [gateway.teamId]: both });
  received.length = 0;
});

const profile = (name = 'default') => join(home, 'latchkey', `${name}.json`);
const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}, input = '') =>
  runCommand(args, { XDG_CONFIG_HOME: home, JWT_SECRET: undefined, ...env }, input);
const login = (...more: string[]) => run(['login', '--url', gateway.running.url, ...more], {}, `${token}\n`);
const listed = async (env: NodeJS.ProcessEnv = {}, ...more: string[]) =>
  (await run(['keys', 'list', '--json', ...more], env)).exitCode;

describe('login', () => {
  it('stores the token in a file and a directory that only the owner can read, and nothing else', async () => {
    const { stdout, stderr, exitCode } = await login();
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Logged in to http:\S+ as .+, until \d{4}-.+Z\. Profile: default\.\n$/);
    expect(stdout).not.toContain(token.slice(-20));
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect([modeOf(join(home, 'latchkey')), modeOf(profile())]).toEqual(['700', '600']);
    expect(readdirSync(join(home, 'latchkey'))).toEqual(['default.json']);
    expect(JSON.parse(readFileSync(profile(), 'utf8'))).toEqual({ url: gateway.running.url, token });
    expect(await listed()).toBe(0);
  });

  it('makes an existing directory private', async () => {
    await login();
    chmodSync(join(home, 'latchkey'), 0o755);
    await login();
    expect(statSync(join(home, 'latchkey')).mode & 0o777).toBe(0o700);
  });

  it('keeps URL, verification URL and team for the next token, unless it is for another service or team', async () => {
    await login('--verify-url', gateway.url, '--team', gateway.teamId.toUpperCase());
    const stored = () => JSON.parse(readFileSync(profile(), 'utf8'));
    expect(stored()).toMatchObject({ verifyUrl: gateway.url, team: gateway.teamId });
    expect((await run(['login'], {}, token)).exitCode).toBe(0);
    expect(stored()).toEqual({ url: gateway.running.url, verifyUrl: gateway.url, team: gateway.teamId, token });
    const { secret } = await gateway.issue();
    expect((await run(['verify'], {}, secret)).exitCode).toBe(0);
    const other = sessionToken({ [randomUUID()]: both });
    expect((await run(['login'], {}, other)).exitCode).toBe(0);
    expect(stored()).toEqual({ url: gateway.running.url, verifyUrl: gateway.url, token: other });
  });

  it.each([
    [
      'a token that the service rejects',
      () => jwt.sign({ teams: {} }, 'x'.repeat(32), { subject: 'tester', expiresIn: 3600 }),
      'UNAUTHENTICATED',
    ],
    ['an empty input', () => '', 'NO_SESSION_TOKEN'],
  ])('stores nothing for %s', async (_, input, code) => {
    const given = input();
    const { stdout, stderr, exitCode } = await run(['login', '--url', gateway.running.url], {}, given);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain(code);
    if (given !== '') expect(stderr).not.toContain(given.slice(-20));
    expect(existsSync(profile())).toBe(false);
  });

  it('neither sends nor prints what is not a session token, such as a key', async () => {
    const { secret } = await gateway.issue();
    const { stderr, exitCode } = await run(['login', '--url', otherServerUrl], {}, secret);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('nothing was sent')]);
    expect(stderr).not.toContain(secret.slice(-20));
    expect(received).toEqual([]);
  });

  it('rejects a team that the token is not for, and names those that it is for', async () => {
    const { stderr, exitCode } = await login('--team', randomUUID());
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(gateway.teamId)]);
    expect(existsSync(profile())).toBe(false);
  });

  it.each(['https://user:canary@example.com', 'ftp://example.com', 'example.com'])(
    'rejects the URL %s',
    async (url) => {
      const { exitCode, stdout } = await run(['login', '--url', url], {}, token);
      expect([exitCode, stdout]).toEqual([2, '']);
    },
  );

  it('says where it cannot write, without the token', async () => {
    const { stderr, exitCode } = await run(
      ['login', '--url', gateway.running.url],
      { XDG_CONFIG_HOME: '/proc' },
      token,
    );
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('/proc/latchkey')]);
    expect(stderr).not.toContain(token.slice(-20));
  });
});

describe('a stored profile', () => {
  it.each([
    ['other users can read', () => chmodSync(profile(), 0o644), 'other users can read it'],
    ['the group can write', () => chmodSync(profile(), 0o620), 'other users can read it'],
    ['is not JSON', () => writeFileSync(profile(), `{"token": "${token}"`), 'is not a profile'],
    ['lacks a URL', () => writeFileSync(profile(), JSON.stringify({ token })), 'is not a profile'],
    ['is a named pipe', replaceByPipe, 'is not a profile'],
  ])('is not used if it %s, and its token is not printed', async (_, change, message) => {
    await login();
    change();
    for (const args of [['keys', 'list'], ['login'], ['verify']]) {
      const { stdout, stderr, exitCode } = await run(args, {}, token);
      expect([exitCode, stdout], args.join(' ')).toEqual([1, '']);
      expect(stderr).toContain(`${profile()}: ${message}`);
      expect(stderr).not.toContain(token.slice(-20));
    }
    expect((await run(['logout'])).exitCode).toBe(0);
    expect((await login()).exitCode).toBe(0);
  });

  function replaceByPipe(): void {
    spawnSync('rm', [profile()]);
    spawnSync('mkfifo', ['-m', '600', profile()]);
  }

  const isRoot = process.getuid?.() === 0;
  if (!isRoot) console.warn('files of other users are not tested: only root can make one');
  it.runIf(isRoot)('is not used if it belongs to another user, who could name another service in it', async () => {
    await login();
    chownSync(profile(), 65_534, 65_534);
    expect((await run(['keys', 'list'])).stderr).toContain('belongs to another user');
  });

  const otherUser = { uid: 54_321, gid: 54_321 };
  // A checkout in a private directory, such as one of mktemp, can be run by its owner only.
  const canOthersRun =
    isRoot && spawnSync(process.execPath, ['--check', 'dist/cli/latchkey.js'], otherUser).status === 0;
  if (isRoot && !canOthersRun) console.warn('commands of users without a home are not tested: they cannot read dist');
  it.runIf(canOthersRun)(
    'is not needed by a user without a home directory, or with one that it cannot open',
    async () => {
      await login();
      for (const env of [{}, { XDG_CONFIG_HOME: home }]) {
        const options = { ...otherUser, env, encoding: 'utf8' } as const;
        const { stderr } = spawnSync(process.execPath, ['dist/cli/latchkey.js', 'keys', 'list'], options);
        expect(stderr).toMatch(/^NO_TOKEN/);
      }
    },
  );

  it('is removed by logout, also if there is none', async () => {
    await login();
    for (const _ of [1, 2]) {
      const { stdout, exitCode } = await run(['logout']);
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Removed the profile default.')]);
    }
    expect(readdirSync(join(home, 'latchkey'))).toEqual([]);
    expect(await run(['keys', 'list'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('NO_TOKEN: run latchkey login'),
    });
  });

  it('with an expired token says how to log in again', async () => {
    await login();
    const expired = jwt.sign({ teams: {} }, jwtSecret, { subject: 'tester', expiresIn: -600 });
    writeFileSync(profile(), JSON.stringify({ url: gateway.running.url, token: expired }));
    const { stderr, exitCode } = await run(['keys', 'list']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^UNAUTHENTICATED: .* Log in again: latchkey login --profile default\n$/);
    expect(stderr).not.toContain(expired.slice(-20));
  });

  it('is shown by whoami, without its token', async () => {
    await login('--profile', 'staging');
    const { stdout } = await run(['whoami', '--profile', 'staging', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      profile: 'staging',
      url: gateway.running.url,
      subject: expect.any(String),
      team: gateway.teamId,
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
      teams: [{ id: gateway.teamId, name: null, permissions: both }],
    });
    const text = (await run(['whoami'], { LATCHKEY_PROFILE: 'staging' })).stdout;
    expect(text).toMatch(/^profile +staging\nurl +http/);
    expect(stdout + text).not.toContain(token.slice(-20));
  });
});

describe('which token is used', () => {
  const other = () => sessionToken({ [randomUUID()]: both });

  it('a profile that is named, by --profile or by LATCHKEY_PROFILE, or else the default one', async () => {
    await login('--profile', 'a');
    expect(await listed()).toBe(2);
    expect(await listed({}, '--profile', 'a')).toBe(0);
    expect(await listed({ LATCHKEY_PROFILE: 'a' })).toBe(0);
    const missing = await run(['keys', 'list', '--profile', 'b'], { LATCHKEY_PROFILE: 'a' });
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('latchkey login --profile b') });
    for (const name of ['../a', 'a/b', '.a', '']) {
      expect(await run(['login', '--profile', name], {}, token), name).toMatchObject({ exitCode: 2, stdout: '' });
    }
  });

  it('the environment wins over a named profile, and keeps the default one out', async () => {
    await login('--team', gateway.teamId);
    const wrong = { LATCHKEY_TOKEN: other() };
    expect(await listed({ ...wrong, LATCHKEY_PROFILE: 'default' })).toBe(1);
    // Not the team and the URL of the default profile.
    expect(await listed({ ...wrong, LATCHKEY_URL: gateway.running.url })).toBe(0);
    const script = await run(['keys', 'list'], { LATCHKEY_TOKEN: token, LATCHKEY_URL: 'http://127.0.0.1:1' });
    expect(script.stderr).toContain('UNREACHABLE: http://127.0.0.1:1');
    expect((await login()).stderr).toBe('');
    const { stderr } = await run(['login'], { LATCHKEY_TOKEN: token }, token);
    expect(stderr).toBe('LATCHKEY_TOKEN is set, and takes precedence over the profile.\n');
  });

  it('a stored token never reaches another service than its own', async () => {
    await login();
    const env = { LATCHKEY_URL: otherServerUrl };
    expect(await run(['keys', 'list'], env)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('NO_TOKEN'),
    });
    const named = await run(['keys', 'list', '--profile', 'default'], env);
    expect(named).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('OTHER_SERVICE') });
    expect(received).toEqual([]);
  });

  it('neither a token nor a key follows a redirect', async () => {
    const env = { LATCHKEY_URL: otherServerUrl, LATCHKEY_VERIFY_URL: otherServerUrl, LATCHKEY_TOKEN: token };
    expect((await run(['whoami'], env)).stderr).toContain('NO_ANSWER');
    expect((await run(['verify'], env, 'a.key')).stderr).toContain('NO_ANSWER');
    expect(received.filter((text) => text.includes('a.key'))).toHaveLength(1);
    expect(received.filter((text) => text.includes(token))).toHaveLength(1);
  });

  it('sends no key to this machine if the profile is for another one and names no verification port', async () => {
    await login();
    const elsewhere = { url: 'https://keys.example.com', token };
    writeFileSync(profile(), JSON.stringify(elsewhere));
    const { exitCode, stderr } = await run(['verify'], {}, 'a.key');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('NO_VERIFY_URL')]);
    expect((await run(['verify'], { LATCHKEY_VERIFY_URL: gateway.url }, 'a.key')).exitCode).toBe(3);
  });
});

describe('the team', () => {
  it('is the only one of the token, or else must be named, by the option, the variable or the profile', async () => {
    const second = randomUUID();
    token = sessionToken({ [gateway.teamId]: both, [second]: both });
    await login();
    const { stderr, exitCode } = await run(['keys', 'list']);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/^NO_TEAM: --team: .*\nRun latchkey keys list --help\n$/),
    ]);
    for (const team of [gateway.teamId, second]) expect(stderr).toContain(team);
    const { id } = await gateway.issue();
    const idsOf = async (env: NodeJS.ProcessEnv, ...more: string[]) =>
      JSON.parse((await run(['keys', 'list', '--json', ...more], env)).stdout).map((key: { id: string }) => key.id);
    expect(await idsOf({}, '--team', second)).toEqual([]);
    expect(await idsOf({ LATCHKEY_TEAM: second })).toEqual([]);
    expect(await idsOf({ LATCHKEY_TEAM: second }, '--team', gateway.teamId)).toContain(id);
    await login('--team', gateway.teamId);
    expect(await idsOf({})).toContain(id);
    expect(await idsOf({ LATCHKEY_TEAM: second })).toEqual([]);
  });

  it('is missing in a token without teams', async () => {
    token = sessionToken({});
    await login();
    expect((await run(['keys', 'list'])).stderr).toContain('the session token has no team');
  });
});
