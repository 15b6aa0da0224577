/** Every verdict through `/v1/authorize`, as Envoy calls it over HTTP, and through `Check` over gRPC. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { rejections } from '../../src/domain/verdict/checks.ts';
import { missingKey, type VerdictCode, verdictCodes } from '../../src/domain/verdict/verdict-code.ts';
import { disableKey } from '../../src/manage/change/key-state.ts';
import { rotateKey } from '../../src/manage/change/rotate-key.ts';
import { theProvider } from '../support/databases.ts';
import { type EnvoyAnswer, type EnvoyRequest, extAuthzClient } from '../support/ext-authz.ts';
import { type KeyOptions, type Received, type RunningGateway, send, sharedGateway } from '../support/gateway.ts';

const host = 'api.example.com';
const path = '/orders?page=1';
const past = new Date(Date.now() - 7_200_000);

interface Presented {
  readonly secret: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Sign = Parameters<typeof signRequest>[1];

/** How to get a request with each verdict. All keys have the scope that the route requires, except one. */
function casesOf(gateway: RunningGateway) {
  const issue = (options: KeyOptions = {}) => gateway.issue({ scopes: ['orders:read'], externalId: 'c-1', ...options });
  const signed = async (change: Partial<Sign> = {}): Promise<Presented> => {
    const { id: keyId, secret, signingSecret } = await gateway.issueSigning({ scopes: ['orders:read'] });
    const headers = signRequest({ method: 'GET', url: `https://${host}${path}` }, { keyId, signingSecret, ...change });
    return { secret, headers: { ...headers } };
  };
  /** A request that was answered before with this verdict. */
  const repeated = async (presented: Presented): Promise<Presented> => {
    expect(codeOf(await overHttp(gateway, presented))).toBe('VALID');
    return presented;
  };
  const cases: Readonly<Record<VerdictCode, () => Promise<Presented>>> = {
    MALFORMED: async () => ({ secret: 'a.guess' }),
    NOT_FOUND: async () => mintSecret('lk', 'live', randomBytes),
    REVOKED: async () => {
      const key = await issue();
      await gateway.revoke(key.id);
      return key;
    },
    ROTATED: async () => {
      const key = await issue();
      await rotateKey(gateway.management, gateway.caller(), key.id, {});
      return key;
    },
    DISABLED: async () => {
      const key = await issue();
      await disableKey(gateway.management, gateway.caller(), key.id);
      return key;
    },
    EXPIRED: () => issue({ now: past, expiresAt: new Date(past.getTime() + 1) }),
    WRONG_ENVIRONMENT: () => issue({ env: 'test' }),
    SOURCE_NOT_ALLOWED: () => issue({ allowedIps: ['192.0.2.8'] }),
    INSUFFICIENT_SCOPE: () => issue({ scopes: ['orders:write'] }),
    SIGNATURE_REQUIRED: async () => ({ secret: (await signed()).secret }),
    SIGNATURE_INVALID: () => signed({ signingSecret: randomBytes(32).toString('hex') }),
    SIGNATURE_EXPIRED: () => signed({ now: past, expiresInSeconds: 60 }),
    SIGNATURE_REPLAYED: async () => await repeated(await signed()),
    RATE_LIMITED: async () => await repeated(await issue({ rateLimit: { limit: 1, windowSeconds: 86_400 } })),
    VALID: () => issue({ allowedIps: ['192.0.2.7'], rateLimit: { limit: 9, windowSeconds: 86_400 } }),
  };
  return cases;
}

const clientHeaders = ({ secret, headers = {} }: Presented) => ({
  ...(secret === '' ? {} : { authorization: `Bearer ${secret}` }),
  'x-forwarded-for': '203.0.113.9, 192.0.2.7',
  ...headers,
});

function overHttp(gateway: RunningGateway, presented: Presented): Promise<Received> {
  const headers = { ...clientHeaders(presented), host, 'x-forwarded-proto': 'https', 'content-length': '0' };
  return send(gateway.url, { path: `/v1/authorize/live;scope=orders%3Aread${path}`, headers });
}

function describedBy(presented: Presented): EnvoyRequest {
  const context = { env: 'live', scopes: 'orders:read', body: 'buffered' };
  return { path, host, headers: Object.entries(clientHeaders(presented)), context, address: '203.0.113.10' };
}

const codeOf = ({ headers }: Received) => headers['x-latchkey-code'];

const identity = ['code', 'key-id', 'team-id', 'env', 'scopes', 'external-id'].map((name) => `x-latchkey-${name}`);

/** What decides about a request and what its client is told; over gRPC these are two lists. */
function decision(status: number, headers: Readonly<Record<string, unknown>>) {
  const told = Object.fromEntries(identity.map((name) => [name, headers[name]]));
  const { 'www-authenticate': challenge, 'ratelimit-policy': policy, ratelimit, 'retry-after': retryAfter } = headers;
  const limit = String(ratelimit).replaceAll(/[rt]=\d+/g, '');
  return { status, told, challenge, policy, limit, retries: retryAfter !== undefined };
}

const decisionOverHttp = ({ status, headers }: Received) => decision(status, headers);
const decisionOverGrpc = ({ status, told, headers }: EnvoyAnswer) => decision(status, { ...told, ...headers });

describe('each verdict', () => {
  const gateway = sharedGateway(theProvider, {
    EXT_AUTHZ_PORT: '0',
    GATEWAY: 'envoy',
    SOURCE_HEADER: 'X-Forwarded-For',
  });
  let client: ReturnType<typeof extAuthzClient>;
  beforeAll(() => {
    client = extAuthzClient(gateway.extAuthz);
  });
  afterAll(() => client.close());

  it.each(verdictCodes)('%s is the same over HTTP and over gRPC', async (code) => {
    const presented = await casesOf(gateway)[code]();
    const http = await overHttp(gateway, presented);
    const grpc = await client.check(describedBy(presented));
    expect(codeOf(http)).toBe(code);
    expect(decisionOverGrpc(grpc)).toEqual(decisionOverHttp(http));
    expect(grpc.allowed).toBe(code === 'VALID');
    if (code === 'VALID') return;
    const { status, title, detail } = rejections[code];
    expect(JSON.parse(grpc.body)).toMatchObject({ type: expect.any(String), title, status, detail, code });
    expect(grpc.headers).toMatchObject({ 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
  });

  it('a signature is accepted once over both', async () => {
    const { id: keyId, secret, signingSecret } = await gateway.issueSigning({ scopes: ['orders:read'] });
    const request = { method: 'GET', url: `https://${host}${path}` };
    const sign = (): Presented => ({ secret, headers: { ...signRequest(request, { keyId, signingSecret }) } });
    const [first, second] = [sign(), sign()];
    expect((await client.check(describedBy(first))).headers).toEqual({});
    expect(codeOf(await overHttp(gateway, first))).toBe('SIGNATURE_REPLAYED');
    expect(codeOf(await overHttp(gateway, second))).toBe('VALID');
    expect((await client.check(describedBy(second))).headers).toMatchObject({
      'x-latchkey-code': 'SIGNATURE_REPLAYED',
    });
  });

  it('a request without a key is 401 with a challenge', async () => {
    const [http, grpc] = [await overHttp(gateway, { secret: '' }), await client.check(describedBy({ secret: '' }))];
    expect([codeOf(http), grpc.allowed, JSON.parse(grpc.body).code]).toEqual([missingKey, false, 'UNAUTHENTICATED']);
    expect(decisionOverGrpc(grpc)).toEqual(decisionOverHttp(http));
  });

  it('a revoked key is denied from the next call on', async () => {
    for (let i = 0; i < 20; i += 1) {
      const key = await gateway.issue({ scopes: ['orders:read'] });
      expect((await client.check(describedBy(key))).allowed).toBe(true);
      await gateway.revoke(key.id);
      expect((await client.check(describedBy(key))).allowed).toBe(false);
    }
  });

  it('too many unknown keys of a source are 429 with Retry-After', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.1' };
    const guess = () => ({ ...mintSecret('lk', 'live', randomBytes), headers });
    for (let i = 0; i < 120; i += 1) await client.check(describedBy(guess()));
    const [http, grpc] = [await overHttp(gateway, guess()), await client.check(describedBy(guess()))];
    expect(decisionOverGrpc(grpc)).toEqual(decisionOverHttp(http));
    expect(decisionOverGrpc(grpc)).toMatchObject({ status: 429, retries: true });
    expect(JSON.parse(grpc.body).code).toBe('RATE_LIMITED');
  });
});
