import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import { describe, expect, it } from 'vitest';
import { acceptToken, authenticate, type TokenRules } from '../../src/auth/session-token.ts';
import { secretTokenKeys } from '../../src/auth/token-keys.ts';
import { generatedSecrets } from '../../src/config/secrets-file.ts';
import type { Permission, Session } from '../../src/domain/key/permission.ts';
import { runCommand } from '../support/instance.ts';
import { rest, startService } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

const team = '6f1c1d0e-3b1f-4b60-9a43-0a5c8a2f7b11';
const secret = 'a secret of the tests, with more than 32 bytes';

const directory = temporaryDirectory().path;
const { jwtSecret } = generatedSecrets(directory);

/** With nothing else of this environment: it may hold variables of the service. */
const run = (args: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
  runCommand(args, { DATA_DIR: directory, JWT_SECRET: undefined, ...environment });

async function tokenOf(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const { exitCode, stdout, stderr } = await run(['token', ...args], environment);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  return stdout.trim();
}

const rulesFor = (key: string, more: Partial<TokenRules> = {}): TokenRules => ({
  keys: secretTokenKeys(key),
  teamsClaim: 'teams',
  teamNamesClaim: 'team_names',
  maxLifetimeSeconds: 86_400,
  ...more,
});

async function sessionOf(token: string, rules: TokenRules): Promise<Session> {
  return await authenticate(`Bearer ${token}`, rules, new Date());
}

function secondsOf(token: string): number {
  const { exp = 0, iat = 0 } = jwt.decode(token, { json: true }) ?? {};
  return exp - iat;
}

describe.concurrent('latchkey token', () => {
  it('prints one line: a token with both permissions, for an hour, signed with the generated secret', async () => {
    const token = await tokenOf(['--team', team]);
    expect(await sessionOf(token, rulesFor(jwtSecret))).toEqual({
      subject: 'local',
      teams: new Map([[team, new Set<Permission>(['view_team', 'manage_keys'])]]),
      teamNames: new Map(),
    });
    expect(secondsOf(token)).toBe(3600);
  });

  it.each(['token', 'sign-in'])(
    'creates nothing where no service was started: %s says where it looked',
    async (name) => {
      const root = temporaryDirectory().path;
      const DATA_DIR = join(root, 'data');
      const { exitCode, stdout, stderr } = await run([name, '--team', team], { DATA_DIR });
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toContain(`DATA_DIR: there is no ${DATA_DIR}/secrets.json; set DATA_DIR to the directory`);
      expect(readdirSync(root)).toEqual([]);
    },
  );

  it('contains the requested teams, permissions, lifetime and subject', async () => {
    const other = randomUUID();
    const token = await tokenOf(
      ['--team', team, '--team', other, '--can', 'view_team', '--ttl', '30m', '--sub', 'Ünal, CI'],
      { JWT_SECRET: secret },
    );
    expect(await sessionOf(token, rulesFor(secret))).toEqual({
      subject: 'Ünal, CI',
      teams: new Map([
        [team, new Set<Permission>(['view_team'])],
        [other, new Set<Permission>(['view_team'])],
      ]),
      teamNames: new Map(),
    });
    expect(secondsOf(token)).toBe(1800);
  });

  it('contains the names of teams, and rejects names that are not one printable line', async () => {
    const token = await tokenOf(['--team', team, '--team-name', `${team}=Payments = money`], { JWT_SECRET: secret });
    expect((await sessionOf(token, rulesFor(secret))).teamNames).toEqual(new Map([[team, 'Payments = money']]));
    for (const name of [team, `${team}=`, `${team}=two\nlines`, 'x=Payments', `${team}=${'x'.repeat(101)}`]) {
      const { exitCode, stdout } = await run(['token', '--team', team, '--team-name', name.replace('\\n', '\n')]);
      expect({ exitCode, stdout }, name).toEqual({ exitCode: 2, stdout: '' });
    }
  });

  it('follows the rules of the service for issuer, audience and claim', async () => {
    const issuer = 'https://login.example.com/';
    const environment = {
      JWT_SECRET: secret,
      JWT_ISSUER: issuer,
      JWT_AUDIENCE: 'latchkey',
      JWT_TEAMS_CLAIM: 'x/teams',
    };
    const token = await tokenOf(['--team', team, '--ttl', '90s', '--can', 'manage_keys'], environment);
    const rules = rulesFor(secret, { issuer, audience: 'latchkey', teamsClaim: 'x/teams' });
    expect((await sessionOf(token, rules)).teams).toEqual(new Map([[team, new Set(['manage_keys'])]]));
    expect(secondsOf(token)).toBe(90);
  });

  it('issues tokens that a service on the same directory accepts, whichever was started first', async () => {
    const running = await startService('sqlite', { JWT_SECRET: undefined });
    try {
      const environment = { DATA_DIR: running.database.directory };
      const token = await tokenOf(['--team', team.toUpperCase(), '--ttl', '1d'], environment);
      expect(secondsOf(token)).toBe(86_400);
      const answer = await rest(running.url, token, 'GET', `/v1/keys?teamId=${team}`);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual([]);
    } finally {
      await running.stop();
    }
  });

  it('allows a time of exactly JWT_MAX_LIFETIME', async () => {
    const token = await tokenOf(['--team', team, '--ttl', '10m'], { JWT_SECRET: secret, JWT_MAX_LIFETIME: '600' });
    expect(secondsOf(token)).toBe(600);
    await sessionOf(token, rulesFor(secret, { maxLifetimeSeconds: 600 }));
  });

  const badSubject = 'The session token has no usable subject (sub): 1 to 255 characters, no control characters.';
  const provider = { JWT_JWKS_URL: 'https://login.example.com/jwks', JWT_ISSUER: 'https://login.example.com' };
  it.each<[string, readonly string[], string, NodeJS.ProcessEnv]>([
    [
      'a time over JWT_MAX_LIFETIME',
      ['--ttl', '601s'],
      '--ttl: at most 600 seconds are allowed (JWT_MAX_LIFETIME)',
      { JWT_SECRET: secret, JWT_MAX_LIFETIME: '600' },
    ],
    ['an empty subject', ['--sub', ''], badSubject, { JWT_SECRET: secret }],
    ['a subject with a line break', ['--sub', 'a\nb'], badSubject, { JWT_SECRET: secret }],
    [
      'more teams than fit',
      Array.from({ length: 150 }, () => ['--team', randomUUID()]).flat(),
      'The session token is longer than 8192 characters.',
      { JWT_SECRET: secret },
    ],
    [
      'an identity provider that issues the tokens',
      [],
      'tokens are signed by the identity provider of JWT_PUBLIC_KEY or JWT_JWKS_URL, not here',
      provider,
    ],
    [
      'mistakes in the configuration, without the secret',
      [],
      'PORT: expected a port number from 0 to 65535\nJWT_SECRET: expected at least 32 bytes (RFC 7518, section 3.2)',
      { JWT_SECRET: 'canary', PORT: 'http' },
    ],
  ])('gives no token that the service would reject: %s', async (_, args, problem, environment) => {
    const { exitCode, stdout, stderr } = await run(['token', '--team', team, ...args], environment);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr.endsWith(`: ${problem}\n`)).toBe(true);
  });
});

describe.concurrent('latchkey sign-in', () => {
  const environment = { JWT_SECRET: secret };

  it.each([
    ['the default port', {}, 'http://127.0.0.1:4000/'],
    ['PORT', { PORT: '4400' }, 'http://127.0.0.1:4400/'],
    ['every interface', { HOST: '::', VERIFY_HOST: '::1', PORT: '4400' }, 'http://127.0.0.1:4400/'],
    ['LATCHKEY_URL', { LATCHKEY_URL: 'https://keys.example.com' }, 'https://keys.example.com/'],
  ])('prints one link, for the requested team, to %s', async (_, more, url) => {
    const { exitCode, stdout, stderr } = await run(['sign-in', '--team', team], { ...environment, ...more });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const [, origin = '', token = ''] = /^(.*)#token=(\S+)\n$/.exec(stdout) ?? [];
    expect(origin).toBe(url);
    const { session, link } = await acceptToken(`Bearer ${token}`, rulesFor(secret), new Date());
    expect([[...session.teams.keys()], link]).toEqual([[team], expect.objectContaining({ id: expect.any(String) })]);
  });
});
