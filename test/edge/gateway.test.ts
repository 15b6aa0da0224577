// SECURITY.md: A key
/** The verification port of an edge, fed by that of a complete Latchkey. */
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { readEdgeConfiguration } from '../../src/config/edge-configuration.ts';
import { composeEdge, type Edge } from '../../src/service/compose/compose-edge.ts';
import { extAuthzClient } from '../support/ext-authz.ts';
import { minted } from '../support/feed-stand-in.ts';
import {
  listen,
  listenExtAuthz,
  type RunningGateway,
  send,
  startGateway,
  stopExtAuthz,
  stopListening,
} from '../support/gateway.ts';
import { deadUrl } from '../support/stand-in-verifier.ts';

let service: RunningGateway;
const edges: Edge[] = [];

beforeEach(async () => {
  service = await startGateway('sqlite');
});
afterEach(async () => {
  for (const { gateway, close } of edges.splice(0)) {
    await stopListening(gateway);
    await close();
  }
  await service.stop();
});

async function startEdge(environment: NodeJS.ProcessEnv = {}, upstream: readonly string[] = [service.url]) {
  const edge = await composeEdge(readEdgeConfiguration(environment, { upstream }), () => undefined);
  edges.push(edge);
  return { ...edge, url: await listen(edge.gateway) };
}

async function verify(url: string, question: object, elsewhere = false) {
  const path = '/v1/verify';
  const headers = { 'content-type': 'application/json' };
  const sent = { method: 'POST', path, headers, body: JSON.stringify(question) };
  const { status, body } = await send(url, elsewhere ? { ...sent, elsewhere } : sent);
  return { status, ...JSON.parse(body) };
}

describe('an edge', () => {
  it('answers as the service does, byte by byte', async () => {
    const { url } = await startEdge();
    const settings = { scopes: ['read'], externalId: 'customer-1', allowedIps: ['192.0.2.0/24'] };
    const { secret } = await service.issue(settings);
    const limited = await service.issue({ rateLimit: { limit: 100, windowSeconds: 3600 } });
    const questions = [
      { key: secret, sourceIp: '192.0.2.1', scopes: ['read'] },
      { key: secret, sourceIp: '203.0.113.9' },
      { key: secret, env: 'test' },
      { key: secret, sourceIp: '192.0.2.1', scopes: ['write'] },
      { key: limited.secret },
      { key: `${secret.slice(0, -1)}?` },
      { key: 'not.a.key' },
    ];
    for (const question of questions) {
      expect(await verify(url, question)).toEqual(await verify(service.url, question));
    }
    const authorization = { authorization: `Bearer ${limited.secret}` };
    const ask = async (origin: string) =>
      await send(origin, { path: '/v1/authorize?env=live', headers: authorization });
    const [atEdge, atService] = [await ask(url), await ask(service.url)];
    const { date: _, ratelimit, ...headers } = atEdge.headers;
    expect(atService).toMatchObject({ status: atEdge.status, headers, body: '' });
    expect(ratelimit).toBeDefined();
  });

  it('answers token introspection as the service does, byte by byte', async () => {
    const token = 'a-verifier-token-of-the-edge';
    const { url } = await startEdge({ VERIFIER_TOKENS: token });
    const introspect = async (
      origin: string,
      parameters: Record<string, string>,
      authorization = `Bearer ${token}`,
    ) => {
      const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams(parameters).toString();
      const received = await send(origin, { method: 'POST', path: '/v1/introspect', headers, body });
      // The edge answers nothing of what the service has decided for it but the verdict.
      const { date: _, 'latchkey-revision': __, ...rest } = received.headers;
      return { ...received, headers: rest };
    };
    const settings = { scopes: ['read'], externalId: 'customer-1', allowedIps: ['192.0.2.0/24'] };
    const { secret } = await service.issue({ ...settings, expiresAt: new Date(Date.now() + 3_600_500) });
    // The edge forwards keys with host names.
    const host = await service.issue({ allowedIps: ['api.invalid'], expiresAt: new Date(Date.now() + 3_600_500) });
    const { secret: signed } = await service.issueSigning();
    const calls: Record<string, string>[] = [
      { token: secret, source_ip: '192.0.2.1', scope: 'read', env: 'live' },
      { token: secret },
      { token: secret, env: 'test' },
      { token: host.secret, source_ip: '192.0.2.1' },
      { token: signed },
      { token: 'not.a.key' },
      { token: '' },
    ];
    const codes: unknown[] = [];
    for (const call of calls) {
      const answer = await introspect(url, call);
      expect(answer).toEqual(await introspect(service.url, call));
      codes.push(answer.headers['x-latchkey-code']);
    }
    const rejected = [
      'SOURCE_NOT_ALLOWED',
      'WRONG_ENVIRONMENT',
      'SOURCE_NOT_ALLOWED',
      'SIGNATURE_REQUIRED',
      'MALFORMED',
    ];
    expect(codes).toEqual(['VALID', ...rejected, 'BAD_USER_INPUT']);
    expect((await introspect(url, { token: secret }, 'Bearer another')).status).toBe(401);
  });

  it('introspects a key as inactive from the next request on once its revocation is answered', async () => {
    const { url } = await startEdge();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const introspect = async (token: string) =>
      JSON.parse((await send(url, { method: 'POST', path: '/v1/introspect', headers, body: `token=${token}` })).body);
    for (let i = 0; i < 20; i += 1) {
      const { id, secret } = await service.issue();
      expect((await introspect(secret)).active).toBe(true);
      await service.revoke(id);
      expect(await introspect(secret)).toEqual({ active: false });
    }
  });

  it('rejects a key from the next request on once its revocation is answered', async () => {
    const { url } = await startEdge();
    for (let i = 0; i < 20; i += 1) {
      const { id, secret } = await service.issue();
      expect((await verify(url, { key: secret })).code).toBe('VALID');
      await service.revoke(id);
      expect((await verify(url, { key: secret })).code).toBe('REVOKED');
    }
  });

  it('accepts each signature once, and no signed request whose body nothing compares', async () => {
    const { url } = await startEdge();
    const comparing = await startEdge({ API_CHECKS_CONTENT_DIGEST: 'true' });
    const { id, secret, signingSecret } = await service.issueSigning();
    const authorize = async (origin: string, body?: string) => {
      const request = { method: 'POST', url: 'https://api.example.com/', ...(body === undefined ? {} : { body }) };
      const signature = { ...signRequest(request, { keyId: id, signingSecret }) };
      const length = body === undefined ? '0' : String(body.length);
      const headers = {
        ...signature,
        authorization: `Bearer ${secret}`,
        'x-original-method': request.method,
        'x-original-url': request.url,
        'x-original-content-length': length,
      };
      const ask = async () => (await send(origin, { path: '/v1/authorize', headers })).headers['x-latchkey-code'];
      return [await ask(), await ask()];
    };
    expect(await authorize(url)).toEqual(['VALID', 'SIGNATURE_REPLAYED']);
    expect(await authorize(url, 'a body')).toEqual(['SIGNATURE_INVALID', 'SIGNATURE_INVALID']);
    expect(await authorize(comparing.url, 'a body')).toEqual(['VALID', 'SIGNATURE_REPLAYED']);
  });

  it('answers Envoy over gRPC as the service does, and denies every request while no upstream answers', async () => {
    const { extAuthz } = await startEdge({ EXT_AUTHZ_PORT: '0' }, [service.url]);
    const client = extAuthzClient(await listenExtAuthz(extAuthz));
    onTestFinished(async () => {
      client.close();
      await stopExtAuthz(extAuthz);
    });
    const { id, secret } = await service.issue();
    const signing = await service.issueSigning();
    const body = '{"a": 1}';
    const check = async (key: string, more: object = {}, context: Record<string, string> = { env: 'live' }) => {
      const headers = Object.entries({ authorization: `Bearer ${key}`, ...more });
      const { allowed, status, headers: answered } = await client.check({ method: 'POST', headers, context, body });
      return allowed ? 'VALID' : `${status} ${answered['x-latchkey-code']}`;
    };
    const sign = () => {
      const { id: keyId, signingSecret } = signing;
      const request = { method: 'POST', url: 'https://api.example.com/', body };
      const signature = { ...signRequest(request, { keyId, signingSecret }), 'content-length': String(body.length) };
      return Object.fromEntries(Object.entries(signature).map(([name, value]) => [name.toLowerCase(), value]));
    };
    const signature = sign();
    expect(await check(secret)).toBe('VALID');
    expect(await check(secret, {}, { env: 'test' })).toBe('403 WRONG_ENVIRONMENT');
    expect(await check(signing.secret, signature)).toBe('VALID');
    expect(await check(signing.secret, signature)).toBe('401 SIGNATURE_REPLAYED');
    expect(await check(signing.secret, { ...sign(), 'content-length': '7' })).toBe('401 SIGNATURE_INVALID');
    await service.revoke(id);
    expect(await check(secret)).toBe('401 REVOKED');
    await stopListening(service.running.service.gateway);
    expect(await check((await service.issue()).secret)).toBe('503 UNAVAILABLE');
    expect(await client.health()).toEqual({ status: 'NOT_SERVING' });
  });

  it('limits the unknown keys of a source, and not the keys that it has cached', async () => {
    const { url } = await startEdge({ UNKNOWN_KEY_LIMIT: '2' });
    const sourceIp = '192.0.2.1';
    const { secret } = await service.issue();
    const foreign = minted();
    expect((await verify(url, { key: secret, sourceIp })).code).toBe('VALID');
    for (let i = 0; i < 2; i += 1) expect((await verify(url, { key: foreign, sourceIp })).code).toBe('NOT_FOUND');
    expect(await verify(url, { key: foreign, sourceIp })).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect((await verify(url, { key: secret, sourceIp })).code).toBe('VALID');
    expect((await verify(url, { key: foreign, sourceIp: '198.51.100.1' })).code).toBe('NOT_FOUND');
  });

  it('serves neither the feed nor the calls of key holders', async () => {
    const { url } = await startEdge();
    const { secret } = await service.issue();
    const headers = { authorization: `Bearer ${secret}` };
    for (const [method, path] of [
      ['POST', '/v1/feed'],
      ['GET', '/v1/keys/self'],
      ['DELETE', '/v1/keys/self'],
    ] as const) {
      expect((await send(url, { method, path, headers, elsewhere: true })).status).toBe(404);
    }
  });

  it('requires its own verifier tokens', async () => {
    const { url } = await startEdge({ VERIFIER_TOKENS: 'one-verifier-token' });
    expect((await verify(url, { key: 'not.a.key' })).status).toBe(401);
  });
});

describe('with several upstreams, an edge', () => {
  it('tries the next one when the first does not answer', async () => {
    const { url } = await startEdge({}, [await deadUrl(), service.url]);
    const { secret } = await service.issue();
    expect((await verify(url, { key: secret })).code).toBe('VALID');
  });

  it('answers 503 after one attempt when none answers, also about a key that it has cached', async () => {
    const { url, readings } = await startEdge({}, [service.url, await deadUrl()]);
    const { secret } = await service.issue();
    expect((await verify(url, { key: secret })).code).toBe('VALID');
    expect((await send(url, { path: '/readyz' })).status).toBe(200);
    await stopListening(service.running.service.gateway);
    expect(await verify(url, { key: secret })).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    expect(readings().confirmation.failed).toBe(1);
    const { status, body } = await send(url, { path: '/readyz' });
    expect([status, JSON.parse(body)]).toEqual([503, { status: 'upstreams unavailable' }]);
    expect(readings().confirmation.failed).toBe(2);
  });
});
