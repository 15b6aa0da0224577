/** Histories can be recorded against any HTTP endpoint. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blockOf } from '../support/documents.ts';
import { freePort } from '../support/free-port.ts';
import { both, type RunningService, sessionToken, startService } from '../support/service.ts';
import { createCachingVerifier } from './history/caching-verifier.ts';
import { checkHistory } from './history/checker.ts';
import { describedDriver } from './history/described-driver.ts';
import type { Driver } from './history/driver.ts';
import { Recorder } from './history/record.ts';
import { parseOptions } from './history/record-options.ts';
import { problemOf } from './history/violation.ts';

const teamId = randomUUID();
const latchkey = describedDriver(readFileSync('test/proof/history/latchkey.json', 'utf8'));
const secrets = new Set<string>();
/** Remembers the secrets, of which none may be in the history. */
const driver: Driver = {
  ...latchkey,
  create: async (api, name) => {
    const key = await latchkey.create(api, name);
    secrets.add(key.secret);
    return key;
  },
};
const servers: Server[] = [];
let running: RunningService;
let verifyUrl: string;

async function urlOf(server: Server): Promise<string> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  running = await startService('sqlite');
  verifyUrl = await urlOf(running.service.gateway);
});
afterAll(async () => {
  for (const server of servers) server.closeAllConnections();
  await running?.stop();
});

async function record(endpoint: string) {
  const api = { url: running.url, team: teamId, token: sessionToken({ [teamId]: both }) };
  const target = {
    api,
    driver,
    endpoint: new URL(endpoint),
    isAccepted: (status: number) => status === 200,
    isRejected: (status: number) => status === 401,
  };
  const recorder = new Recorder(target, { seconds: 1.5, keys: 3, pauseMs: 20 });
  await recorder.run();
  const { recording, errors, firstFailure } = recorder;
  return { firstFailure, header: recording.stop(), events: recording.events, errors, secrets: [...secrets, api.token] };
}

test('records a promise that is kept, and no secret', async () => {
  const { header, events, errors, secrets } = await record(`${verifyUrl}/v1/authorize`);
  expect(errors).toEqual([]);
  const { violations, telling, unansweredVerifications } = checkHistory(header, events);
  expect(violations.map(problemOf)).toEqual([]);
  expect(unansweredVerifications).toBe(0);
  expect(telling).toBeGreaterThan(0);
  const text = JSON.stringify(events);
  expect(secrets.length).toBeGreaterThan(3);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  expect(text).not.toContain('lk_');
});

describe('a description of an HTTP API', () => {
  const described = {
    headers: { 'x-token': 'is {token}' },
    create: { call: 'POST /{team}/keys', body: { names: ['{name}'] }, id: '/made/id', secret: '/made/a~1b' },
    revoke: { call: 'DELETE /keys/{id}' },
    verify: { call: 'POST /verify', body: { key: '{secret}' }, valid: '/ok' },
  };

  test('is called with the values in their places', async () => {
    const calls: unknown[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      calls.push([request.method, request.url, request.headers['x-token'], body]);
      response.end(request.url === '/verify' ? '{"ok":false}' : '{"made":{"id":"a/b","a/b":"secret {id}"}}');
    });
    const api = { url: await urlOf(server), team: 'a team', token: 't' };
    const { create, revoke, verify } = describedDriver(JSON.stringify(described));
    const { id, secret } = await create(api, 'a {token}');
    await revoke(api, id);
    expect(await verify?.(api, secret)).toBe(false);
    expect(calls).toEqual([
      ['POST', '/a%20team/keys', 'is t', '{"names":["a {token}"]}'],
      ['DELETE', '/keys/a%2Fb', 'is t', ''],
      ['POST', '/verify', 'is t', '{"key":"secret {id}"}'],
    ]);
  });

  test.each<[problem: string, changed: object]>([
    ['the description has no "revoke"', { revoke: undefined }],
    ['"call" of revoke is not as expected: "keys"', { revoke: { call: 'keys' } }],
    ['the description has an unknown field "delete"', { delete: { call: 'DELETE /x' } }],
    ['verify has no "valid"', { verify: { call: 'POST /verify' } }],
    ['describe both disable and enable, or neither', { disable: { call: 'POST /x' } }],
  ])('that is none is rejected: %s', (problem, changed) => {
    expect(() => describedDriver(JSON.stringify({ ...described, ...changed }))).toThrow(problem);
  });

  test('is documented', () => {
    const documented = describedDriver(blockOf('docs/evidence/proof.md', 'Other services'));
    expect(Object.keys(documented)).toEqual(['create', 'revoke', 'verify']);
  });

  test('that gives no verdict counts as a failure, and no error has the key', async () => {
    const server = createServer((_, response) => void response.writeHead(500).end('{}'));
    const api = { url: await urlOf(server), team: '', token: '' };
    const inPath = { ...described, verify: { call: 'GET /verify/{secret}', valid: '/ok' } };
    const asked = describedDriver(JSON.stringify(inPath)).verify?.(api, 'the-secret');
    await expect(asked).rejects.toThrow(/^GET .*\/verify\/… got 500: \{\}$/);
  });
});

test('revokes every key that it has created, also those with a change that failed', async () => {
  const unrevoked = new Set<string>();
  const counting: Driver = {
    create: async (_, name) => {
      unrevoked.add(name);
      return { id: name, secret: name };
    },
    disable: () => Promise.reject(new Error('no answer')),
    enable: () => Promise.reject(new Error('no answer')),
    revoke: async (_, id) => void unrevoked.delete(id),
  };
  const closed = { api: { url: '', team: '', token: '' }, endpoint: new URL('http://127.0.0.1:1') };
  const target = { ...closed, driver: counting, isAccepted: () => true, isRejected: () => false };
  await new Recorder(target, { seconds: 0.3, keys: 3, pauseMs: 20 }).run();
  const { disable, enable, ...revoking } = counting;
  await new Recorder({ ...target, driver: revoking }, { seconds: 0.3, keys: 3, pauseMs: 20 }).run();
  expect([...unrevoked]).toEqual([]);
});

test('does not follow redirects: a login page is not a verdict', async () => {
  const gateway = createServer((request, response) => {
    if (request.url === '/login') response.end('please sign in');
    else response.writeHead(302, { location: '/login' }).end();
  });
  const { header, events, firstFailure } = await record(await urlOf(gateway));
  expect(checkHistory(header, events)).toMatchObject({ violations: [], verifications: 0 });
  expect(firstFailure).toBe('status 302');
});

test('says why changes and requests fail', async () => {
  const api = { url: 'http://127.0.0.1:1', team: teamId, token: '' };
  const closed = { api, driver: latchkey, endpoint: new URL('http://127.0.0.1:1') };
  const recorder = new Recorder(
    { ...closed, isAccepted: () => true, isRejected: () => false },
    { seconds: 0.2, keys: 1, pauseMs: 20 },
  );
  await recorder.run();
  expect(recorder.errors[0]).toMatch(/^create: POST http:\/\/127\.0\.0\.1:1\/v1\/keys: fetch failed: .+/);
});

test('finds a verifier that keeps verdicts for ten seconds', async () => {
  const { header, events } = await record(await urlOf(createCachingVerifier(verifyUrl, 10_000)));
  const { violations } = checkHistory(header, events);
  expect(violations.length).toBeGreaterThan(0);
  for (const violation of violations) expect(problemOf(violation)).toMatch(/^decided on an old state: /);
});

describe('npm run prove -- record-history', () => {
  const run = (...args: readonly string[]) =>
    new Promise<{ code: unknown; output: string }>((resolve) => {
      execFile(process.execPath, ['test/proof/history/record-history.ts', ...args], (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      );
    });
  const file = join(tmpdir(), `latchkey-${randomUUID()}.ndjson`);
  afterAll(() => rmSync(file, { force: true }));

  test.each<[problem: string, ...args: string[]]>([
    ['--seconds: expected a number of seconds from 0.001 to 2000000, not "abc"', '--seconds', 'abc'],
    ['--seconds: expected a number of seconds from 0.001 to 2000000, not "0"', '--seconds', '0'],
    ['--keys: expected a whole number from 1 to 10000, not "x"', '--keys', 'x'],
    ['--lease: expected a whole number of milliseconds from 0 to 3600000, not "abc"', '--lease', 'abc'],
    ['--endpoint: expected an http or https URL, not "localhost:80"', '--endpoint', 'localhost:80'],
    ['--management: expected an http or https URL, not ""', '--management', ''],
    ['--accepted: expected statuses and ranges such as 2xx, separated by commas, not "2"', '--accepted', '200,2'],
    ["Unknown option '--second'", '--second', '1'],
  ])('rejects wrong options: %s', (problem, ...args) => {
    expect(() => parseOptions(args)).toThrow(problem);
  });

  test.each<[problem: string, ...args: string[]]>([
    ['--seconds: expected a number of seconds from 0.001 to 2000000, not "abc"', '--seconds', 'abc'],
    ["ENOENT: no such file or directory, open '/nowhere/history.ndjson'", '--output', '/nowhere/history.ndjson'],
    ['must export create and revoke', '--driver', 'test/proof/history/format.ts'],
  ])('checks everything before it starts, and ends with one line and exit code 2: %s', async (problem, ...args) => {
    const { code, output } = await run('--output', file, ...args);
    expect(output).toContain(problem);
    expect(output.trimEnd().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });

  test('says why no request got a verdict, with exit code 1', async () => {
    const closed = `http://127.0.0.1:${await freePort()}`;
    const driver = join(tmpdir(), `latchkey-${randomUUID()}.mjs`);
    writeFileSync(
      driver,
      `export const create = async (_, name) => ({ id: name, secret: name }), revoke = async () => {};`,
    );
    try {
      const { code, output } = await run(
        ...['--seconds', '0.3', '--driver', driver, '--endpoint', closed, '--output', file],
      );
      expect(output).toMatch(
        /(\d+) of \1 requests to .* got no verdict; the first: fetch failed: connect ECONNREFUSED/,
      );
      expect(code).toBe(1);
    } finally {
      rmSync(driver);
    }
  });
});
