// SECURITY.md: Who may do what; A key; Malformed or ambiguous input; Bytes from outside; Hostile caller of the verification port
/** `POST /v1/introspect` over a listening port: token introspection as RFC 7662 has it. */
import { randomBytes } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { rotateKey } from '../../src/manage/change/rotate-key.ts';
import { theProvider } from '../support/databases.ts';
import {
  type Received,
  send,
  sharedGateway,
  sharedSecondInstance,
  startGateway,
  verifyAt,
} from '../support/gateway.ts';
import { both, rest, sessionToken } from '../support/service.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded' };

type Parameters = Readonly<Record<string, string>> | string;

function introspect(url: string, parameters: Parameters, headers: OutgoingHttpHeaders = {}, query = '') {
  const body = typeof parameters === 'string' ? parameters : new URLSearchParams(parameters).toString();
  return send(url, { method: 'POST', path: `/v1/introspect${query}`, headers: { ...form, ...headers }, body });
}

const codeOf = ({ headers }: Received) => headers['x-latchkey-code'];

/** The reason of an inactive key, of which the body must say nothing. */
function reasonOf(received: Received): unknown {
  expect([received.status, received.body]).toEqual([200, '{"active":false}']);
  expect(received.headers['cache-control']).toBe('no-store');
  return codeOf(received);
}

function expectError(received: Received, status: number, error: string, ...words: string[]): void {
  const { error: code, error_description: description, ...more } = JSON.parse(received.body);
  expect([received.status, code, more]).toEqual([status, error, {}]);
  expect(received.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
  for (const word of words) expect(description).toContain(word);
}

const gateway = sharedGateway(theProvider);

describe('an active key', () => {
  const second = sharedSecondInstance(gateway);

  it('is described in the terms of RFC 7662, with the fields of /v1/verify in one extension member', async () => {
    const started = Math.floor(Date.now() / 1000);
    const expiresAt = new Date(Date.now() + 3_600_500);
    const { id, secret } = await gateway.issue({ scopes: ['a', 'b:c'], externalId: 'customer "1"', expiresAt });
    const created = Math.floor(Date.now() / 1000);
    const received = await introspect(gateway.url, { token: secret, token_type_hint: 'access_token' });
    const { valid: _, code, ...described } = (await verifyAt(gateway.url, { key: secret })).body;
    const { iat, ...claims } = JSON.parse(received.body);
    // In whole seconds, as RFC 7662 requires.
    expect([Number.isInteger(iat), iat >= started, iat <= created]).toEqual([true, true, true]);
    expect(claims).toEqual({
      active: true,
      scope: 'a b:c',
      client_id: id,
      token_type: 'Bearer',
      exp: Math.floor(expiresAt.getTime() / 1000),
      sub: 'customer "1"',
      latchkey: described,
    });
    expect([received.status, codeOf(received), code]).toEqual([200, 'VALID', 'VALID']);
    expect(received.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
  });

  it('without scopes, expiry and external id has no scope and no exp, and its id is the sub', async () => {
    const { id, secret } = await gateway.issue();
    const { latchkey, ...claims } = JSON.parse((await introspect(gateway.url, { token: secret })).body);
    expect(claims).toEqual({ active: true, client_id: id, token_type: 'Bearer', iat: expect.any(Number), sub: id });
    expect(latchkey).toMatchObject({ keyId: id, teamId: gateway.teamId, metadata: null });
  });

  it('names the issuer that is configured', async () => {
    const INTROSPECTION_ISSUER = 'https://keys.example.com';
    const named = await startGateway('sqlite', { INTROSPECTION_ISSUER });
    try {
      const { secret } = await named.issue();
      expect(JSON.parse((await introspect(named.url, { token: secret })).body).iss).toBe(INTROSPECTION_ISSUER);
    } finally {
      await named.stop();
    }
  });

  it('with the secret from before a rotation expires at the end of the overlap, if that comes first', async () => {
    const { management } = gateway;
    const expOf = async (secret: string) => JSON.parse((await introspect(gateway.url, { token: secret })).body).exp;
    for (const [expiresInMs, overlapSeconds] of [
      [7_200_000, 60],
      [60_000, 3600],
      [null, 60],
    ] as const) {
      const expiresAt = expiresInMs === null ? {} : { expiresAt: new Date(Date.now() + expiresInMs) };
      const { id, secret } = await gateway.issue(expiresAt);
      const rotated = await rotateKey(management, gateway.caller(), id, { overlapSeconds });
      const { previousExpiresAt } = rotated.apiKey;
      const ends = [expiresAt.expiresAt, previousExpiresAt].flatMap((end) => (end == null ? [] : [end.getTime()]));
      expect(await expOf(secret)).toBe(Math.floor(Math.min(...ends) / 1000));
      const keyEnd = expiresAt.expiresAt?.getTime();
      expect(await expOf(rotated.secret)).toBe(keyEnd === undefined ? undefined : Math.floor(keyEnd / 1000));
    }
  });

  it('is inactive at every instance once its revocation is answered', async () => {
    for (let i = 0; i < 10; i += 1) {
      const { id, secret } = await gateway.issue();
      for (const url of [gateway.url, second()]) expect(codeOf(await introspect(url, { token: secret }))).toBe('VALID');
      await gateway.revoke(id);
      for (const url of [gateway.url, second()]) {
        expect(reasonOf(await introspect(url, { token: secret }))).toBe('REVOKED');
      }
    }
  });

  it('counts as used', async () => {
    const { id, secret } = await gateway.issue();
    expect(codeOf(await introspect(gateway.url, { token: secret }))).toBe('VALID');
    const session = sessionToken({ [gateway.teamId]: both });
    const read = async () => (await rest(gateway.running.url, session, 'GET', `/v1/keys/${id}`)).body.lastUsedAt;
    await expect.poll(read).toEqual(expect.any(String));
  });
});

describe('an inactive key', () => {
  const restricted = async (allowedIps: readonly string[]) => (await gateway.issue({ allowedIps })).secret;

  it.each<[code: string, token: () => Promise<string>, more?: Readonly<Record<string, string>>]>([
    ['MALFORMED', async () => sessionToken({})],
    ['SOURCE_NOT_ALLOWED', () => restricted(['192.0.2.1'])],
    ['SOURCE_NOT_ALLOWED', () => restricted(['192.0.2.1']), { source_ip: '192.0.2.2' }],
    // The caller is an API or a gateway, so its own address is not that of the client.
    ['SOURCE_NOT_ALLOWED', () => restricted(['127.0.0.1', '::1'])],
    ['INSUFFICIENT_SCOPE', async () => (await gateway.issue({ scopes: ['a'] })).secret, { scope: 'a b' }],
  ])('because of %s has nothing else in the body, and the reason in a header', async (code, token, more = {}) => {
    expect(reasonOf(await introspect(gateway.url, { ...more, token: await token() }))).toBe(code);
  });

  it('is active if the call proves the source, the environment and the scopes, in the body or in the URL', async () => {
    const { secret } = await gateway.issue({ allowedIps: ['192.0.2.0/24'], scopes: ['a', 'b', 'c'] });
    const proven = { token: secret, source_ip: '192.0.2.9' };
    expect(codeOf(await introspect(gateway.url, { ...proven, env: 'live', scope: 'a c' }))).toBe('VALID');
    expect(codeOf(await introspect(gateway.url, proven, {}, '?env=live&scope=a&scope=c'))).toBe('VALID');
    expect(reasonOf(await introspect(gateway.url, proven, {}, '?env=test'))).toBe('WRONG_ENVIRONMENT');
    expect(reasonOf(await introspect(gateway.url, proven, {}, '?scope=a&scope=x'))).toBe('INSUFFICIENT_SCOPE');
  });

  it('has the RateLimit fields and Retry-After if it has reached its limit', async () => {
    const { secret } = await gateway.issue({ rateLimit: { limit: 2, windowSeconds: 86_400 } });
    for (const r of [1, 0]) {
      const { headers } = await introspect(gateway.url, { token: secret });
      expect(headers.ratelimit).toMatch(new RegExp(`^"default";r=${r};t=\\d+$`));
      expect(headers).not.toHaveProperty('retry-after');
    }
    const limited = await introspect(gateway.url, { token: secret });
    expect(reasonOf(limited)).toBe('RATE_LIMITED');
    expect(limited.headers['ratelimit-policy']).toBe('"default";q=2;w=86400');
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('a call', () => {
  const unknown = mintSecret('lk', 'live', randomBytes).secret;

  it.each<[what: string, body: (token: string) => string, word: string]>([
    ['without a token', () => 'token_type_hint=access_token', 'token: is required'],
    ['with an empty token', () => 'token=', 'token: is required'],
    ['without a body', () => '', 'token: is required'],
    ['with the token twice', (token) => `token=${token}&token=${token}`, 'once'],
    ['with the token twice, once encoded', (token) => `t%6Fken=x&token=${token}`, 'once'],
    ['with an unknown parameter twice', (token) => `a=1&token=${token}&a=2`, 'once'],
    ['with an unknown environment', (token) => `token=${token}&env=prod`, 'env'],
    ['with an empty environment', (token) => `token=${token}&env=`, 'env'],
    ['with an invalid source', (token) => `token=${token}&source_ip=192.0.2.1,192.0.2.2`, 'source_ip'],
    ['with an empty source', (token) => `token=${token}&source_ip=`, 'source_ip'],
    ['with an empty scope', (token) => `token=${token}&scope=`, 'scope'],
    ['with an invalid scope', (token) => `token=${token}&scope=a%22`, 'scope'],
    ['with a name of /v1/verify', (token) => `token=${token}&sourceIp=192.0.2.1&scopes=a`, 'is named source_ip here'],
    ['that is not percent-encoded', (token) => `token=${token}%zz`, 'percent-encoded'],
    ['that encodes no UTF-8', (token) => `token=${token}%ff`, 'UTF-8'],
    ['with too many parameters', (token) => `token=${token}${'&a'.repeat(200)}`, 'at most 100'],
  ])('%s is an invalid request, whose error repeats nothing', async (_, body, word) => {
    const { secret } = await gateway.issue();
    const received = await introspect(gateway.url, body(secret));
    expectError(received, 400, 'invalid_request', word);
    expect(JSON.stringify(received)).not.toContain(secret);
    expect(codeOf(received)).toBe('BAD_USER_INPUT');
  });

  it('of bytes that are not UTF-8 is an invalid request', async () => {
    const body = Buffer.from('token=a\xff', 'latin1');
    const response = await fetch(`${gateway.url}/v1/introspect`, { method: 'POST', headers: form, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: 'invalid_request', error_description: 'body: must be UTF-8' });
  });

  it.each([
    ['?token=x', 'env and scope'],
    ['?env=live&env=live', 'once'],
    ['?source_ip=192.0.2.1', 'env and scope'],
  ])('with the query %s is an invalid request', async (query, word) => {
    expectError(await introspect(gateway.url, { token: unknown }, {}, query), 400, 'invalid_request', word);
  });

  it('with a requirement both in the URL and in the body is an invalid request', async () => {
    const both = { token: unknown, env: 'live', scope: 'a' };
    const received = await introspect(gateway.url, both, {}, '?env=live&scope=a');
    expectError(received, 400, 'invalid_request', 'env: must be given once', 'scope: must be given once');
  });

  it('is a form and nothing else', async () => {
    const { secret } = await gateway.issue();
    for (const type of ['application/json', 'text/plain', 'multipart/form-data', `${form['content-type']}x`, '']) {
      const received = await introspect(gateway.url, { token: secret }, { 'content-type': type });
      expectError(received, 415, 'invalid_request', form['content-type']);
    }
    const latin1 = await introspect(
      gateway.url,
      { token: secret },
      { 'content-type': `${form['content-type']};charset=latin1` },
    );
    expectError(latin1, 415, 'invalid_request', 'UTF-8');
    const withCharset = { 'content-type': 'Application/X-WWW-Form-Urlencoded ; charset=UTF-8' };
    expect(codeOf(await introspect(gateway.url, { token: secret }, withCharset))).toBe('VALID');
  });

  it('of more than 64 kB is rejected, and one of 64 kB is not', async () => {
    const { secret } = await gateway.issue();
    const body = `token=${secret}&padding=`;
    expect(codeOf(await introspect(gateway.url, body.padEnd(65_536, 'x')))).toBe('VALID');
    expectError(await introspect(gateway.url, body.padEnd(65_537, 'x')), 413, 'invalid_request', '65536');
  });

  it('is a POST, and below the path is nothing', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const received = await send(gateway.url, { method, path: '/v1/introspect?token=x' });
      expectError(received, 405, 'invalid_request');
      expect(received.headers.allow).toBe('POST');
    }
    expect((await introspect(gateway.url, { token: unknown }, {}, '/live')).status).toBe(404);
  });

  it('with two Authorization headers is an invalid request', async () => {
    const received = await introspect(gateway.url, { token: unknown }, { Authorization: ['Bearer a', 'Bearer b'] });
    expectError(received, 400, 'invalid_request', 'Authorization: must be given once');
  });
});

describe('the caller', () => {
  const token = 'a-token+with/other=chars&16%';
  const guarded = sharedGateway('sqlite', {
    VERIFIER_TOKENS: `another:token-of-16,${token}`,
    FEED_TOKENS: 'f'.repeat(32),
  });
  const basic = (credentials: string) => ({ authorization: `Basic ${Buffer.from(credentials).toString('base64')}` });
  const encoded = new URLSearchParams({ '': token }).toString().slice(1);

  it.each<[how: string, headers: OutgoingHttpHeaders]>([
    ['as a Bearer token', { authorization: `Bearer ${token}` }],
    ['as a client secret, encoded as RFC 6749 says', basic(`any%3Aid:${encoded}`)],
    ['as a client secret, not encoded', basic(`client:${token}`)],
    ['as a client secret without a client id', basic(`:${token}`)],
    // Only the user name has no colon (RFC 7617, section 2).
    ['as a client secret with a colon', basic('client:another:token-of-16')],
    [
      'as a client secret, under any case of the scheme',
      { authorization: basic(`x:${token}`).authorization.replace('Basic', 'bAsIc') },
    ],
    ['of an edge', basic(`edge:${'f'.repeat(32)}`)],
  ])('is accepted with its verifier token %s', async (_, headers) => {
    const { secret } = await guarded.issue();
    expect(codeOf(await introspect(guarded.url, { token: secret }, headers))).toBe('VALID');
  });

  it.each<[what: string, headers: OutgoingHttpHeaders, more?: Readonly<Record<string, string>>]>([
    ['no credentials', {}],
    ['another Bearer token', { authorization: 'Bearer a-token-with-16-chars' }],
    ['a part of the token', { authorization: `Bearer ${token.slice(0, -1)}` }],
    ['another client secret', basic('client:a-token-with-16-chars')],
    ['the token as the client id', basic(`${token}:`)],
    ['no colon', basic(token)],
    ['a client secret that encodes nothing', basic('client:%zz')],
    ['text that is not Base64', { authorization: 'Basic ?' }],
    ['another scheme', { authorization: `Token ${token}` }],
    ['the header of gateways', { 'x-latchkey-verifier': token }],
    ['the client secret in the body', {}, { client_id: 'client', client_secret: token }],
  ])('gets 401 and no verdict with %s', async (_, headers, more = {}) => {
    const { secret } = await guarded.issue();
    const received = await introspect(guarded.url, { token: secret, ...more }, headers);
    expectError(received, 401, 'invalid_client');
    const expected = 'Bearer, Basic realm="Latchkey", charset="UTF-8"';
    expect([received.headers['www-authenticate'], codeOf(received)]).toEqual([expected, 'UNAUTHENTICATED']);
    expect(JSON.stringify(received)).not.toContain(token);
  });

  it('is not authenticated by a key, not even by the one that it asks about', async () => {
    const { secret } = await guarded.issue();
    const received = await introspect(guarded.url, { token: secret }, { authorization: `Bearer ${secret}` });
    expectError(received, 401, 'invalid_client');
  });

  it('needs no token on the loopback interface if none is configured, whatever it presents', async () => {
    const { secret } = await gateway.issue();
    for (const headers of [{}, basic('client:secret'), { authorization: 'Bearer x' }]) {
      expect(codeOf(await introspect(gateway.url, { token: secret }, headers))).toBe('VALID');
    }
  });
});
