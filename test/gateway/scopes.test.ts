// SECURITY.md: A key
/** Scopes at the verification port: what a call requires, and who can say so. */
import { describe, expect, it } from 'vitest';
import { type KeyOptions, type RunningGateway, send, sharedGateway, verifyAt } from '../support/gateway.ts';

const nginx = sharedGateway('sqlite');
const envoy = sharedGateway('sqlite', { GATEWAY: 'envoy' });

const reading: KeyOptions = { scopes: ['orders:read', 'x'] };

describe('POST /v1/verify', () => {
  it('requires all scopes of the call, and none without any', async () => {
    const { secret: key } = await nginx.issue(reading);
    const codeOf = async (scopes?: readonly string[]) => (await verifyAt(nginx.url, { key, scopes })).body.code;
    for (const scopes of [undefined, [], ['x', 'orders:read', 'x']]) expect(await codeOf(scopes)).toBe('VALID');
    for (const scopes of [['x', 'orders:write'], ['X']]) expect(await codeOf(scopes)).toBe('INSUFFICIENT_SCOPE');
    const none = await verifyAt(nginx.url, { key: (await nginx.issue()).secret, scopes: ['x'] });
    expect(none.body.code).toBe('INSUFFICIENT_SCOPE');
  });

  it.each([
    ['text', ['scopes']],
    [null, ['scopes']],
    [['a', 1], ['scopes']],
    [Array(51).fill('a'), ['scopes']],
    [
      ['a', '', 'x'.repeat(101)],
      ['scopes[1]', 'scopes[2]'],
    ],
    [['two words'], ['scopes[0]']],
  ])('rejects the scopes %j with the fields %j', async (scopes, fields) => {
    const { status, body } = await verifyAt(nginx.url, { key: 'x', scopes });
    expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([400, fields]);
  });
});

function ask(gateway: RunningGateway, key: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  return send(gateway.url, { path, headers: { authorization: `Bearer ${key}`, ...headers } });
}

const statusOf = async (...call: Parameters<typeof ask>) => (await ask(...call)).status;

describe('GET /v1/authorize', () => {
  it('requires the scopes of the query, and answers 403 with the challenge of RFC 6750', async () => {
    const { secret } = await nginx.issue(reading);
    for (const _ of ['parsed', 'remembered']) {
      expect(await statusOf(nginx, secret, '/v1/authorize?env=live&scope=orders:read&scope=x')).toBe(200);
      expect(await statusOf(nginx, secret, '/v1/authorize?scope=orders%3Aread')).toBe(200);
      const { status, headers, body } = await ask(nginx, secret, '/v1/authorize?scope=orders:write&scope=x');
      const challenge = 'Bearer error="insufficient_scope", scope="orders:write x"';
      expect([status, body]).toEqual([403, '']);
      expect(headers).toMatchObject({ 'x-latchkey-code': 'INSUFFICIENT_SCOPE', 'www-authenticate': challenge });
    }
  });

  it('requires the scopes that follow the environment in Envoy’s path prefix', async () => {
    const { secret } = await envoy.issue(reading);
    for (const prefix of ['live;scope=orders%3Aread;scope=x', 'any;scope=orders:read'])
      expect(await statusOf(envoy, secret, `/v1/authorize/${prefix}/a`)).toBe(200);
    const { status, headers } = await ask(envoy, secret, '/v1/authorize/live;scope=orders%3Awrite/a');
    const challenge = 'Bearer error="insufficient_scope", scope="orders:write"';
    expect([status, headers['www-authenticate']]).toEqual([403, challenge]);
  });

  it.each([
    ...['?scope=two%20words', '?scope=orders+read', '?scope=', '?scopes=x', '?env=live&scope=x&env=live'],
    `?${'scope=x&'.repeat(51)}`,
  ])('rejects %s instead of guessing', async (query) => {
    expect(await statusOf(nginx, 'x', `/v1/authorize${query}`)).toBe(400);
  });

  it.each(['live;', 'live;x', 'live;scope', 'live;scope=', 'live;scope=%', 'live;scope=%ff', 'live;env=test'])(
    'rejects Envoy’s path prefix %s instead of guessing',
    async (prefix) => {
      expect(await statusOf(envoy, 'x', `/v1/authorize/${prefix}/a`)).toBe(400);
    },
  );

  it('lets no path of the client add or remove scopes', async () => {
    const { secret } = await envoy.issue({ scopes: ['a', 'ab', 'a*'] });
    const paths = ['/', '/;scope=a', '/x;scope=a/y', '/?scope=a', '//', '/../live/', '/%2f', '/v1/authorize/live/'];
    for (const path of paths) {
      expect(await statusOf(envoy, secret, `/v1/authorize/live;scope=b${path}`)).toBe(403);
      expect(await statusOf(envoy, secret, `/v1/authorize/live;scope=a${path.replaceAll('=a', '=b')}`)).toBe(200);
    }
    // Envoy passes on no such path but the asterisk of OPTIONS.
    for (const rest of ['b', '*', '?x', '', ';scope=a'])
      expect(await statusOf(envoy, secret, `/v1/authorize/live;scope=a${rest}`)).toBe(400);
  });

  it('takes no scope from a header of the client or of the original request', async () => {
    const { secret } = await nginx.issue(reading);
    const headers = { 'x-original-url': 'http://api.example/?scope=y', 'x-latchkey-scopes': 'y' };
    expect(await statusOf(nginx, secret, '/v1/authorize?scope=y', headers)).toBe(403);
    expect(await statusOf(nginx, secret, '/v1/authorize?scope=x', headers)).toBe(200);
  });

  it('tells the API the scopes and the external id of the key, empty where it has none', async () => {
    const toldOf = async (wishes: KeyOptions) => {
      const { headers } = await ask(nginx, (await nginx.issue(wishes)).secret, '/v1/authorize');
      return [headers['x-latchkey-scopes'], headers['x-latchkey-external-id']];
    };
    expect(await toldOf({ ...reading, externalId: 'customer:42%' })).toEqual(['orders:read x', 'customer:42%']);
    expect(await toldOf({})).toEqual(['', '']);
    for (const externalId of ['customer 42', 'Müller']) expect(await toldOf({ externalId })).toEqual(['', '']);
  });
});
