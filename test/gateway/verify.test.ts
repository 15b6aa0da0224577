// SECURITY.md: Who may do what; A key; A signed request; Malformed or ambiguous input; Hostile caller of the verification port; Slow reader
/** `POST /v1/verify`, over HTTP, on both databases, each with two instances on one store. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type SigningOptions, signRequest } from '../../src/client/sign.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { contentDigest } from '../../src/domain/signature/content-digest.ts';
import { theProvider } from '../support/databases.ts';
import { listen, sharedGateway, sharedSecondInstance, stopListening, verifyAt } from '../support/gateway.ts';
import { exchangeBytes } from '../support/raw-exchange.ts';
import { both, graphql, rest, secondInstance, sessionToken, startService } from '../support/service.ts';

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

describe('at two instances', () => {
  const gateway = sharedGateway(theProvider);
  const other = sharedSecondInstance(gateway);
  const token = () => sessionToken({ [gateway.teamId]: both });
  const manage = (method: string, path: string, body?: unknown) =>
    rest(gateway.running.url, token(), method, path, body);
  const create = async (fields: object = {}) =>
    (await manage('POST', '/v1/keys', { teamId: gateway.teamId, name: 'A key', env: 'live', ...fields })).body;
  const verify = (body: unknown, instance = 0) => verifyAt(instance === 0 ? gateway.url : other(), body);
  /** The verdict of both instances, which must agree. */
  const codeOf = async (body: object) => {
    const [first, second] = await Promise.all([verify(body, 0), verify(body, 1)]);
    expect(second?.body.code).toBe(first?.body.code);
    return first?.body.code;
  };

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
        teamId: gateway.teamId,
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
    const { secret: key } = mintSecret('lk', 'live', randomBytes);
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
    while (Date.now() <= expiresAt.getTime()) await new Promise(setImmediate);
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

  async function atLaterInstance(run: (url: string) => Promise<unknown>): Promise<void> {
    const later = await secondInstance(gateway.running);
    await run(await listen(later.gateway));
    await stopListening(later.gateway);
    await later.close();
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
    await atLaterInstance(async (url) => {
      expect((await verifyAt(url, call)).body.code).toBe('SIGNATURE_REPLAYED');
    });
  });

  // Two instances that write to SQLite from one thread would wait for each other: here one must do.
  const instances = theProvider === 'sqlite' ? 1 : 2;
  const query = `query ($keyId: UUID!, $from: DateTime!, $to: DateTime!) {
    usage(keyId: $keyId, from: $from, to: $to) { hour code count } key(id: $keyId) { lastUsedAt }
  }`;
  const usage = async (keyId: string, from = Date.now() - 7_200_000, to = Date.now() + 7_200_000, session = token()) =>
    (await graphql(gateway.running.url, session, query, { keyId, from: new Date(from), to: new Date(to) })).body;
  const total = async (keyId: string, code: string) =>
    (await usage(keyId)).data.usage
      .filter((hour: { code: string }) => hour.code === code)
      .reduce((sum: number, { count }: { count: number }) => sum + count, 0);

  it('is visible on the key and by hour within about a second; rejected verifications are counted but do not update lastUsedAt', async () => {
    const { id, secret } = await create();
    for (let i = 0; i < 3; i += 1) await verify({ key: secret, env: 'test' }, i % instances);
    await expect.poll(() => total(id, 'WRONG_ENVIRONMENT')).toBe(3);
    expect((await usage(id)).data.key.lastUsedAt).toBeNull();
    const before = Date.now();
    for (let i = 0; i < 5; i += 1) await verify({ key: secret }, i % instances);
    await expect.poll(() => total(id, 'VALID')).toBe(5);
    const { key, usage: hours } = (await usage(id)).data;
    expect(Date.parse(key.lastUsedAt)).toBeGreaterThanOrEqual(before);
    for (const { hour } of hours) expect(hour).toMatch(/T\d\d:00:00\.000Z$/);
    const { body: list } = await manage('GET', `/v1/keys?teamId=${gateway.teamId}`);
    expect(list.find((listed: { id: string }) => listed.id === id).lastUsedAt).toBe(key.lastUsedAt);
    expect((await manage('PATCH', `/v1/keys/${id}`, {})).body.lastUsedAt).toBe(key.lastUsedAt);
  });

  it('is written when the service stops', async () => {
    const { id, secret } = await create();
    await atLaterInstance((url) => verifyAt(url, { key: secret }));
    expect(await total(id, 'VALID')).toBe(1);
  });

  it('needs view_team, and at most 31 days at once', async () => {
    const { id } = await create();
    const from = Date.parse('2026-01-01');
    const only = sessionToken({ [gateway.teamId]: ['manage_keys'] });
    const errorOf = async (to: string, session?: string) =>
      (await usage(id, from, Date.parse(to), session)).errors[0].extensions;
    expect((await errorOf('2026-01-02', only)).code).toBe('FORBIDDEN');
    const [tooLong, reversed] = ['must be at most 31 days after from', 'must not be before from'];
    expect((await errorOf('2026-02-02')).errors).toEqual([{ field: 'to', message: tooLong }]);
    expect((await errorOf('2025-12-31')).errors).toEqual([{ field: 'to', message: reversed }]);
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

  it('a body in another charset than UTF-8 is rejected, whatever else its Content-Type says', async () => {
    const { secret } = await create();
    for (const path of ['/v1/verify', '/v1/leaks']) {
      const type = 'application/json; charset=iso-8859-1';
      const { status, body } = await rest(gateway.url, null, 'POST', path, { key: secret }, { 'content-type': type });
      expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
    for (const type of ['text/plain', 'application/json;charset="UTF-8"', 'application/json; charset=utf8; a=b']) {
      const { body } = await rest(gateway.url, null, 'POST', '/v1/verify', { key: secret }, { 'content-type': type });
      expect(body.code).toBe('VALID');
    }
  });

  it('other paths and methods, and bodies over 64 kB, are rejected', async () => {
    for (const path of ['/v1/verifyy', '/v1/authorizex']) {
      expect((await rest(gateway.url, null, 'POST', path, {})).status).toBe(404);
    }
    const wrong = await rest(gateway.url, null, 'GET', '/v1/verify');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await verify({ key: 'x'.repeat(70_000) })).status).toBe(413);
  });
});

describe('if the port requires a token', () => {
  const [first, second] = ['first-verifier-token', 'second-verifier-token'];
  const gateway = sharedGateway('sqlite', { VERIFIER_TOKENS: `${first},${second}` });

  it('if the port requires a token, calls without a valid one get no verdict', async () => {
    for (const wrong of [null, 'third-verifier-token', '']) {
      const { status, headers, body } = await verifyAt(gateway.url, { key: 'nonsense' }, wrong);
      expect([status, body.code, headers.get('www-authenticate')]).toEqual([401, 'UNAUTHENTICATED', 'Bearer']);
    }
    for (const right of [first, second]) {
      expect((await verifyAt(gateway.url, { key: 'not a key' }, right)).body.code).toBe('MALFORMED');
    }
  });
});

it('a client that sends its request slowly is disconnected, and other clients are served', async () => {
  const running = await startService('sqlite');
  running.service.gateway.headersTimeout = 300;
  running.service.gateway.requestTimeout = 600;
  const url = await listen(running.service.gateway);
  const head = 'POST /v1/verify HTTP/1.1\r\nHost: x\r\n';
  const slow = [head, `${head}Content-Length: 100\r\n\r\n{`].map((start) => exchangeBytes(url, start));
  expect((await verifyAt(url, { key: 'two words' })).body.code).toBe('MALFORMED');
  for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  await stopListening(running.service.gateway);
  await running.stop();
});
