/** `POST /v1/verify`, over HTTP, on both databases, each with two instances on one store. */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type SigningOptions, signRequest } from '../../src/client/sign.ts';
import { contentDigest } from '../../src/domain/signature/content-digest.ts';
import type { Service } from '../support/compose.ts';
import { oneProvider } from '../support/databases.ts';
import { listen } from '../support/gateway.ts';
import {
  both,
  graphql,
  type RunningService,
  rest,
  secondInstance,
  sessionToken,
  startService,
} from '../support/service.ts';

const team = randomUUID();
const token = sessionToken({ [team]: both });
const nobody = {
  keyId: null,
  teamId: null,
  name: null,
  env: null,
  prefix: null,
  expiresAt: null,
  secret: null,
  scopes: [],
  externalId: null,
  metadata: null,
};

let running: RunningService;
let other: Service;
let urls: string[];

const manage = (method: string, path: string, body?: unknown) => rest(running.url, token, method, path, body);
const create = async (fields: object = {}) =>
  (await manage('POST', '/v1/keys', { teamId: team, name: 'A key', env: 'live', ...fields })).body;
const verify = (body: unknown, instance = 0) => rest(urls[instance] ?? '', null, 'POST', '/v1/verify', body);
/** The verdict of all instances, which must agree. */
const codeOf = async (body: object) => {
  const codes = await Promise.all(urls.map(async (_, instance) => (await verify(body, instance)).body.code));
  expect(new Set(codes).size).toBe(1);
  return codes[0];
};

describe.each(oneProvider)('on %s', (provider) => {
  beforeAll(async () => {
    running = await startService(provider);
    other = await secondInstance(running);
    urls = [await listen(running.service.gateway), await listen(other.gateway)];
  });
  afterAll(async () => {
    for (const { gateway } of [running.service, other]) {
      gateway.closeAllConnections();
      gateway.close();
    }
    await other.close();
    await running.stop();
  });

  it('a valid key is valid at every instance, with its id and team', async () => {
    const { id, secret, prefix } = await create({ expiresAt: '2999-01-01T00:00:00Z' });
    for (const instance of [0, 1, 0, 1]) {
      const answer = await verify({ key: secret, env: 'live', sourceIp: '203.0.113.9' }, instance);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.body).toStrictEqual({
        valid: true,
        code: 'VALID',
        keyId: id,
        teamId: team,
        name: 'A key',
        env: 'live',
        prefix,
        expiresAt: '2999-01-01T00:00:00.000Z',
        secret: 'current',
        scopes: [],
        externalId: null,
        metadata: null,
      });
    }
  });

  it('malformed and unknown keys get only the code', async () => {
    const { secret } = await create();
    for (const key of ['', 'x', '\u0000', 'ключ', `${secret.slice(0, -1)}!`, `${secret} `, 'x'.repeat(60_000)]) {
      expect((await verify({ key })).body).toStrictEqual({ valid: false, code: 'MALFORMED', ...nobody });
    }
    const unknown = 'lk_live_00000000_0000000000000000000000000000000000000000000';
    const { crc32 } = await import('node:zlib');
    const { toBase62 } = await import('../../src/domain/secret/base62.ts');
    const key = unknown + toBase62(BigInt(crc32(unknown)), 6);
    expect((await verify({ key })).body).toStrictEqual({ valid: false, code: 'NOT_FOUND', ...nobody });
  });

  it('every change is in force, at every instance, when it is answered', async () => {
    const { id, secret } = await create();
    const key = secret;
    const circumstances = { key, env: 'live', sourceIp: '203.0.113.9' };
    expect(await codeOf(circumstances)).toBe('VALID');
    await manage('PATCH', `/v1/keys/${id}`, { allowedIps: ['10.0.0.0/8'] });
    expect(await codeOf(circumstances)).toBe('SOURCE_NOT_ALLOWED');
    expect(await codeOf({ key, sourceIp: '10.1.2.3' })).toBe('VALID');
    expect(await codeOf({ key, sourceIp: '::ffff:10.1.2.3' })).toBe('VALID');
    expect(await codeOf({ key })).toBe('SOURCE_NOT_ALLOWED');
    await manage('PATCH', `/v1/keys/${id}`, { allowedIps: [] });
    expect(await codeOf({ key, env: 'test' })).toBe('WRONG_ENVIRONMENT');
    await manage('POST', `/v1/keys/${id}/signing/enable`);
    expect(await codeOf(circumstances)).toBe('SIGNATURE_REQUIRED');
    await manage('POST', `/v1/keys/${id}/signing/disable`);
    expect(await codeOf(circumstances)).toBe('VALID');
    await manage('DELETE', `/v1/keys/${id}`);
    expect(await codeOf(circumstances)).toBe('REVOKED');
  });

  it('a key expires at its time, and works again after it is renewed', async () => {
    const expiresAt = new Date(Date.now() + 3000);
    const { id, secret } = await create({ expiresAt: expiresAt.toISOString() });
    expect(await codeOf({ key: secret })).toBe('VALID');
    while (Date.now() < expiresAt.getTime()) await new Promise(setImmediate);
    expect(await codeOf({ key: secret })).toBe('EXPIRED');
    await manage('PATCH', `/v1/keys/${id}`, { expiresAt: null });
    expect(await codeOf({ key: secret })).toBe('VALID');
  });

  const request = {
    method: 'POST',
    url: 'https://api.example.com/orders?dry=1',
    headers: { host: 'api.example.com' },
  };
  const body = '{"amount": 5}';
  const signed = (options: SigningOptions) => ({
    ...request,
    headers: {
      ...request.headers,
      'content-length': String(body.length),
      ...signRequest({ ...request, body }, options),
    },
    bodyDigest: contentDigest(body),
  });
  async function signingKey() {
    const { id, secret } = await create();
    const { signingSecret } = (await manage('POST', `/v1/keys/${id}/signing/enable`)).body;
    return { id, key: secret, options: { keyId: id, signingSecret } };
  }

  it('a signed request passes once, and is rejected at every instance after that', async () => {
    const { key, options } = await signingKey();
    const call = { key, request: signed(options) };
    expect((await verify(call, 0)).body.code).toBe('VALID');
    expect((await verify(call, 1)).body.code).toBe('SIGNATURE_REPLAYED');
    expect((await verify(call, 0)).body.code).toBe('SIGNATURE_REPLAYED');
    const race = { key, request: signed(options) };
    const answers = await Promise.all([0, 1, 0, 1, 0, 1].map((instance) => verify(race, instance)));
    expect(answers.map(({ body: answer }) => answer.code).sort()).toEqual([
      ...Array(5).fill('SIGNATURE_REPLAYED'),
      'VALID',
    ]);
  });

  it('rotation invalidates the previous secret immediately', async () => {
    const { id, key, options } = await signingKey();
    expect(await codeOf({ key, request: { ...request, headers: {} } })).toBe('SIGNATURE_REQUIRED');
    const { signingSecret } = (await manage('POST', `/v1/keys/${id}/signing/rotate`)).body;
    for (const instance of [0, 1]) {
      expect((await verify({ key, request: signed(options) }, instance)).body.code).toBe('SIGNATURE_INVALID');
      expect((await verify({ key, request: signed({ keyId: id, signingSecret }) }, instance)).body.code).toBe('VALID');
    }
  });

  it('another method, path, body or key is rejected, and an expired signature has another code than an invalid one', async () => {
    const { key, options } = await signingKey();
    const theirs = await signingKey();
    const good = signed(options);
    const wrong = [
      { ...good, method: 'PUT' },
      { ...good, url: 'https://api.example.com/orders?dry=0' },
      { ...good, url: 'https://api.example.org/orders?dry=1' },
      { ...good, bodyDigest: contentDigest('{"amount": 50}') },
      // The request has a body, and the caller gives no digest of it.
      { method: good.method, url: good.url, headers: good.headers },
      signed(theirs.options),
    ];
    for (const tampered of wrong) expect(await codeOf({ key, request: tampered })).toBe('SIGNATURE_INVALID');
    const old = signed({ ...options, now: new Date(Date.now() - 3_600_000) });
    expect(await codeOf({ key, request: old })).toBe('SIGNATURE_EXPIRED');
    // No rejection used up the nonce.
    expect((await verify({ key, request: good })).body.code).toBe('VALID');
  });

  it('a replay stays a replay after the process was replaced', async () => {
    const { key, options } = await signingKey();
    const call = { key, request: signed(options) };
    expect((await verify(call)).body.code).toBe('VALID');
    const later = await secondInstance(running);
    const url = await listen(later.gateway);
    expect((await rest(url, null, 'POST', '/v1/verify', call)).body.code).toBe('SIGNATURE_REPLAYED');
    later.gateway.closeAllConnections();
    later.gateway.close();
    await later.close();
  });

  // Two instances that write to SQLite from one thread would wait for each other: here one must do.
  const instances = provider === 'sqlite' ? 1 : 2;
  const usage = async (keyId: string) => {
    const from = new Date(Date.now() - 7_200_000);
    const to = new Date(Date.now() + 7_200_000);
    const query =
      'query ($keyId: UUID!, $from: DateTime!, $to: DateTime!) { usage(keyId: $keyId, from: $from, to: $to) { hour code count } key(id: $keyId) { lastUsedAt } }';
    return (await graphql(running.url, token, query, { keyId, from, to })).body.data;
  };
  const total = (hours: { code: string; count: number }[], code: string) =>
    hours.filter((hour) => hour.code === code).reduce((sum, { count }) => sum + count, 0);

  it('is visible on the key and by hour within about a second; rejected verifications are counted but do not update lastUsedAt', async () => {
    const { id, secret } = await create();
    for (let i = 0; i < 3; i += 1) await verify({ key: secret, env: 'test' }, i % instances);
    const rejected = await eventually(
      () => usage(id),
      ({ usage: hours }) => total(hours, 'WRONG_ENVIRONMENT') === 3,
    );
    expect(rejected.key.lastUsedAt).toBeNull();
    const before = Date.now();
    for (let i = 0; i < 5; i += 1) await verify({ key: secret }, i % instances);
    const used = await eventually(
      () => usage(id),
      ({ usage: hours }) => total(hours, 'VALID') === 5,
    );
    expect(Date.now() - before).toBeLessThan(10_000);
    expect(Date.parse(used.key.lastUsedAt)).toBeGreaterThanOrEqual(before);
    for (const { hour } of used.usage) expect(hour).toMatch(/T\d\d:00:00\.000Z$/);
    const listed = (await manage('GET', `/v1/keys?teamId=${team}`)).body.find((key: { id: string }) => key.id === id);
    expect(listed.lastUsedAt).toBe(used.key.lastUsedAt);
    expect((await manage('PATCH', `/v1/keys/${id}`, {})).body.lastUsedAt).toBe(used.key.lastUsedAt);
  });

  it('is written when the service stops', async () => {
    const { id, secret } = await create();
    const later = await secondInstance(running);
    const url = await listen(later.gateway);
    await rest(url, null, 'POST', '/v1/verify', { key: secret });
    later.gateway.closeAllConnections();
    later.gateway.close();
    await later.close();
    expect(total((await usage(id)).usage, 'VALID')).toBe(1);
  });

  it('needs view_team, and at most 31 days at once', async () => {
    const { id } = await create();
    const query =
      'query ($keyId: UUID!, $from: DateTime!, $to: DateTime!) { usage(keyId: $keyId, from: $from, to: $to) { count } }';
    const days = (to: string) => ({ keyId: id, from: '2026-01-01T00:00:00Z', to });
    const only = sessionToken({ [team]: ['manage_keys'] });
    expect((await graphql(running.url, only, query, days('2026-01-02T00:00:00Z'))).body.errors[0].extensions.code).toBe(
      'FORBIDDEN',
    );
    const long = await graphql(running.url, token, query, days('2026-02-02T00:00:00Z'));
    expect(long.body.errors[0].extensions.errors).toEqual([
      { field: 'to', message: 'must be at most 31 days after from' },
    ]);
    const backwards = await graphql(running.url, token, query, days('2025-12-31T00:00:00Z'));
    expect(backwards.body.errors[0].extensions.errors).toEqual([{ field: 'to', message: 'must not be before from' }]);
  });

  it('a malformed call is a 400 that names every field and repeats no value', async () => {
    const { secret } = await create();
    const rejections: [unknown, string[]][] = [
      ['{"key": ', ['body']],
      ['[]', ['body']],
      ['null', ['body']],
      [{}, ['key']],
      [{ key: 5 }, ['key']],
      [{ key: secret, env: 'prod' }, ['env']],
      [{ key: secret, sourceIP: '1.2.3.4' }, ['sourceIP']],
      ...['unknown', '1.2.3.4:5678', '010.0.0.1', 'fe80::1%eth0', '', 7, null].map((sourceIp): [unknown, string[]] => [
        { key: secret, sourceIp },
        ['sourceIp'],
      ]),
      [{ key: secret, request: 'GET /' }, ['request']],
      [
        { key: secret, request: { method: 1, url: 2, headers: { a: 3 }, body: '' } },
        ['request.body', 'request.method', 'request.url', 'request.headers'],
      ],
    ];
    for (const [body, fields] of rejections) {
      const answer = await verify(body);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'BAD_USER_INPUT', status: 400 });
      expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
      expect(JSON.stringify(answer.body)).not.toContain(secret);
    }
  });

  it('other paths and methods, and bodies over 64 kB, are rejected', async () => {
    const url = urls[0] ?? '';
    expect((await rest(url, null, 'POST', '/v1/verifyy', {})).status).toBe(404);
    expect((await rest(url, null, 'POST', '/v1/authorizex', {})).status).toBe(404);
    const wrong = await rest(url, null, 'GET', '/v1/verify');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await verify({ key: 'x'.repeat(70_000) })).status).toBe(413);
  });
});

it('if the port requires a token, calls without a valid one get no verdict', async () => {
  const running = await startService('sqlite', { VERIFIER_TOKENS: 'first-verifier-token,second-verifier-token' });
  const url = await listen(running.service.gateway);
  const body = { key: 'lk_live_nonsense' };
  for (const wrong of [null, 'third-verifier-token', '']) {
    const answer = await rest(url, wrong, 'POST', '/v1/verify', body);
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  }
  for (const right of ['first-verifier-token', 'second-verifier-token']) {
    expect((await rest(url, right, 'POST', '/v1/verify', body)).body.code).toBe('MALFORMED');
  }
  running.service.gateway.closeAllConnections();
  running.service.gateway.close();
  await running.stop();
});

it('with an unavailable store the answer is 503, never a cached VALID; verdicts resume when the store is back', async () => {
  const running = await startService('postgresql');
  const url = await listen(running.service.gateway);
  const { secret } = (await rest(running.url, token, 'POST', '/v1/keys', { teamId: team, name: 'x', env: 'live' }))
    .body;
  const verify = () => rest(url, null, 'POST', '/v1/verify', { key: secret });
  expect((await verify()).body.code).toBe('VALID');
  const name = new URL(running.database.url).pathname.slice(1);
  const admin = new pg.Client({ connectionString: `${inject('postgresUrl')}/postgres` });
  await admin.connect();
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  for (let i = 0; i < 3; i += 1) {
    const answer = await verify();
    expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1']);
  }
  // Malformed text is rejected without the store; text in another format may be an imported key.
  const codeOf = async (key: string) => (await rest(url, null, 'POST', '/v1/verify', { key })).body.code;
  expect([await codeOf(''), await codeOf(`${secret.slice(0, -1)}+`), await codeOf('two words')]).toEqual([
    'MALFORMED',
    'UNAVAILABLE',
    'MALFORMED',
  ]);
  expect(await codeOf(secret.slice(0, -1) + (secret.endsWith('x') ? 'y' : 'x'))).toBe('MALFORMED');
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  await admin.end();
  expect((await verify()).body.code).toBe('VALID');
  running.service.gateway.closeAllConnections();
  running.service.gateway.close();
  await running.stop();
});

it('a client that sends its request slowly is disconnected, and other clients are served', async () => {
  const running = await startService('sqlite');
  running.service.gateway.headersTimeout = 300;
  running.service.gateway.requestTimeout = 600;
  const url = await listen(running.service.gateway);
  const slow = [
    'POST /v1/verify HTTP/1.1\r\nHost: x\r\n',
    'POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{',
  ].map(
    (start) =>
      new Promise<string>((resolve) => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(start));
        let answer = '';
        socket.on('data', (chunk) => {
          answer += String(chunk);
        });
        socket.on('close', () => resolve(answer));
      }),
  );
  expect((await rest(url, null, 'POST', '/v1/verify', { key: 'x' })).body.code).toBe('MALFORMED');
  for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  running.service.gateway.close();
  await running.stop();
});

/** Repeats a request until the response is as expected, for at most fifteen seconds. */
async function eventually<T>(ask: () => Promise<T>, isRight: (answer: T) => boolean): Promise<T> {
  const end = Date.now() + 15_000;
  for (;;) {
    const answer = await ask();
    if (isRight(answer) || Date.now() > end) {
      expect(isRight(answer)).toBe(true);
      return answer;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
