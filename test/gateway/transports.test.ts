// SECURITY.md: A key; Partitioned primary; Hostile caller of the verification port
/** What each transport tells about the same key: `/v1/verify`, `/v1/authorize`, `Check` of Envoy over gRPC, `/v1/introspect`. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { rejections } from '../../src/domain/verdict/checks.ts';
import { missingKey, type VerdictCode, verdictCodes } from '../../src/domain/verdict/verdict-code.ts';
import { disableKey } from '../../src/manage/change/key-state.ts';
import { rotateKey } from '../../src/manage/change/rotate-key.ts';
import { freezeKeys } from '../../src/manage/fences/freeze-keys.ts';
import { theProvider } from '../support/databases.ts';
import { type EnvoyAnswer, type EnvoyRequest, extAuthzClient } from '../support/ext-authz.ts';
import {
  type KeyOptions,
  type Received,
  type RunningGateway,
  send,
  sharedGateway,
  startGateway,
} from '../support/gateway.ts';

const host = 'api.example.com';
const path = '/orders?page=1';
const past = new Date(Date.now() - 7_200_000);

interface Presented {
  readonly id?: string;
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
    return { id: keyId, secret, headers: { ...headers } };
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
    FROZEN: async () => {
      const key = await issue({ externalId: 'frozen' });
      const fence = { teamId: gateway.teamId, reason: 'an incident', externalId: 'frozen' };
      await freezeKeys(gateway.management, gateway.caller(), fence);
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

function overIntrospection(gateway: RunningGateway, { secret, headers = {} }: Presented): Promise<Received> {
  const { 'x-forwarded-for': source_ip = '192.0.2.7' } = headers;
  const parameters = { token: secret, env: 'live', scope: 'orders:read', source_ip };
  const body = new URLSearchParams(parameters).toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return send(gateway.url, { method: 'POST', path: '/v1/introspect', headers: type, body });
}

function overVerify(gateway: RunningGateway, { secret: key, headers = {} }: Presented): Promise<Received> {
  const { 'x-forwarded-for': sourceIp = '192.0.2.7', ...signature } = headers;
  const request = { method: 'GET', url: `https://${host}${path}`, headers: signature };
  const signed = 'signature' in signature ? { request } : {};
  const body = JSON.stringify({ key, env: 'live', scopes: ['orders:read'], sourceIp, ...signed });
  return send(gateway.url, { method: 'POST', path: '/v1/verify', body });
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

/** What a caller of any transport can rely on. */
interface Told {
  readonly accepted: boolean;
  readonly status: number;
  readonly code: unknown;
  readonly retryAfter: unknown;
  /** All that was sent. */
  readonly text: string;
}

type Ask = (presented: Presented) => Promise<Told>;

function toldOf({ status, headers, body }: Received, accepted: boolean, code: unknown): Told {
  return { accepted, status, code, retryAfter: headers['retry-after'], text: JSON.stringify([headers, body]) };
}

/** The four transports of one gateway. An error has its code in the body, or its name in OAuth 2.0. */
function transportsOf(gateway: RunningGateway, client: ReturnType<typeof extAuthzClient>) {
  return {
    '/v1/verify': async (presented) => {
      const received = await overVerify(gateway, presented);
      const { valid = false, code } = JSON.parse(received.body);
      return toldOf(received, valid, code);
    },
    '/v1/authorize': async (presented) => {
      const received = await overHttp(gateway, presented);
      return toldOf(received, received.status === 200, codeOf(received));
    },
    'Check over gRPC': async (presented) => {
      const { allowed, status, headers, told, body } = await client.check(describedBy(presented));
      const code = allowed ? told['x-latchkey-code'] : headers['x-latchkey-code'];
      const text = JSON.stringify([headers, told, body]);
      return { accepted: allowed, status, code, retryAfter: headers['retry-after'], text };
    },
    '/v1/introspect': async (presented) => {
      const received = await overIntrospection(gateway, presented);
      const { active = false, error } = JSON.parse(received.body);
      return toldOf(received, active, error ?? codeOf(received));
    },
  } as const satisfies Readonly<Record<string, Ask>>;
}

const transports = ['/v1/verify', '/v1/authorize', 'Check over gRPC', '/v1/introspect'] as const;
type Transport = (typeof transports)[number];

/** In introspection, no request is signed. */
const withoutRequest: Partial<Record<VerdictCode, VerdictCode>> = {
  SIGNATURE_INVALID: 'SIGNATURE_REQUIRED',
  SIGNATURE_EXPIRED: 'SIGNATURE_REQUIRED',
  SIGNATURE_REPLAYED: 'SIGNATURE_REQUIRED',
};

function statusOf(transport: Transport, code: VerdictCode): number {
  const isVerdictInBody = transport === '/v1/verify' || transport === '/v1/introspect';
  return isVerdictInBody || code === 'VALID' ? 200 : rejections[code].status;
}

const environment = { EXT_AUTHZ_PORT: '0', GATEWAY: 'envoy', SOURCE_HEADER: 'X-Forwarded-For' };

describe('each verdict', () => {
  const gateway = sharedGateway(theProvider, environment);
  let client: ReturnType<typeof extAuthzClient>;
  beforeAll(() => {
    client = extAuthzClient(gateway.extAuthz);
  });
  afterAll(() => client.close());

  describe.each(transports)('through %s', (transport) => {
    const ask: Ask = (presented) => transportsOf(gateway, client)[transport](presented);

    it.each(verdictCodes)('is %s, and a rejection has no data of the key', async (code) => {
      const expected = transport === '/v1/introspect' ? (withoutRequest[code] ?? code) : code;
      const presented = await casesOf(gateway)[code]();
      const { accepted, status, code: told, text } = await ask(presented);
      expect([accepted, status, told]).toEqual([code === 'VALID', statusOf(transport, expected), expected]);
      expect(text).not.toContain(presented.secret);
      // The caller of /v1/verify is an API, which may want to tell its client more.
      if (accepted || transport === '/v1/verify' || presented.id === undefined) return;
      expect(text).not.toContain(presented.id);
      expect(text).not.toContain(gateway.teamId);
      if (transport === '/v1/introspect') expect(text).toContain('{\\"active\\":false}');
    });

    it('is VALID before a revoke, and never again once that has been answered', async () => {
      for (let i = 0; i < 10; i += 1) {
        const key = await gateway.issue({ scopes: ['orders:read'] });
        expect((await ask(key)).accepted).toBe(true);
        await gateway.revoke(key.id);
        expect((await ask(key)).accepted).toBe(false);
      }
    });

    it('is none for too many unknown keys of a source, with Retry-After', async () => {
      const headers = { 'x-forwarded-for': `198.51.100.${transports.indexOf(transport)}` };
      const guess = () => ({ ...mintSecret('lk', 'live', randomBytes), headers });
      for (let i = 0; i < 120; i += 1) await ask(guess());
      const code = transport === '/v1/introspect' ? 'temporarily_unavailable' : 'RATE_LIMITED';
      expect(await ask(guess())).toMatchObject({ accepted: false, status: 429, code });
      expect(Number((await ask(guess())).retryAfter)).toBeGreaterThan(0);
    });
  });

  it.each(verdictCodes)('%s is told alike over HTTP and over gRPC', async (code) => {
    const presented = await casesOf(gateway)[code]();
    const http = await overHttp(gateway, presented);
    const grpc = await client.check(describedBy(presented));
    expect(decisionOverGrpc(grpc)).toEqual(decisionOverHttp(http));
    expect(http.body).toBe('');
    if (code === 'VALID') return;
    const { status, title, detail } = rejections[code];
    expect(JSON.parse(grpc.body)).toMatchObject({ type: expect.any(String), title, status, detail, code });
    expect(grpc.headers).toMatchObject({ 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
  });

  it('a signature is accepted once over all', async () => {
    const { id: keyId, secret, signingSecret } = await gateway.issueSigning({ scopes: ['orders:read'] });
    const request = { method: 'GET', url: `https://${host}${path}` };
    const { '/v1/introspect': _, ...all } = transportsOf(gateway, client);
    for (const first of Object.values(all)) {
      const presented = { secret, headers: { ...signRequest(request, { keyId, signingSecret }) } };
      expect((await first(presented)).code).toBe('VALID');
      for (const ask of Object.values(all)) expect((await ask(presented)).code).toBe('SIGNATURE_REPLAYED');
    }
  });

  it('a request without a key is 401 with a challenge', async () => {
    const [http, grpc] = [await overHttp(gateway, { secret: '' }), await client.check(describedBy({ secret: '' }))];
    expect([codeOf(http), grpc.allowed, JSON.parse(grpc.body).code]).toEqual([missingKey, false, 'UNAUTHENTICATED']);
    expect(decisionOverGrpc(grpc)).toEqual(decisionOverHttp(http));
  });
});

/** On PostgreSQL, where a store can come back, the test is with those of `/v1/verify`. */
it('without the store, each transport says 503 and to try again in a second, never that a key is valid', async () => {
  const failing = await startGateway('sqlite', environment);
  const client = extAuthzClient(failing.extAuthz);
  try {
    const key = await failing.issue({ scopes: ['orders:read'] });
    const all = transportsOf(failing, client);
    for (const transport of transports) expect((await all[transport](key)).accepted).toBe(true);
    await failing.running.service.close();
    for (const transport of transports) {
      const code = transport === '/v1/introspect' ? 'temporarily_unavailable' : 'UNAVAILABLE';
      const told = await all[transport](key);
      expect(told).toMatchObject({ accepted: false, status: 503, code, retryAfter: '1' });
      expect(told.text).not.toContain('active');
    }
    expect(await client.health()).toEqual({ status: 'NOT_SERVING' });
  } finally {
    client.close();
    await failing.stop();
  }
});
