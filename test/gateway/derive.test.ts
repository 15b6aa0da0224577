// SECURITY.md: A derived token
/** `POST /v1/derive`, and what becomes of its tokens at two instances, an edge and a local verifier. */
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deriveToken } from '../../src/client/derive.ts';
import { createLocalVerifier } from '../../src/client/local-verifier.ts';
import { readEdgeConfiguration } from '../../src/config/edge-configuration.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { disableKey, enableKey } from '../../src/manage/change/key-state.ts';
import { endOverlap, rotateKey } from '../../src/manage/change/rotate-key.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { freezeKeys } from '../../src/manage/fences/freeze-keys.ts';
import { setLeakPolicy } from '../../src/manage/leaks/leak-policy.ts';
import { explainVerification } from '../../src/manage/read/explain-verification.ts';
import { readDerivedUse, readUsage } from '../../src/manage/read/read-usage.ts';
import { composeEdge } from '../../src/service/compose/compose-edge.ts';
import { theProvider } from '../support/databases.ts';
import {
  type IssuedKey,
  type KeyOptions,
  listen,
  send,
  sharedGateway,
  sharedSecondInstance,
  startGateway,
  stopListening,
  verifyAt,
} from '../support/gateway.ts';
import { rest } from '../support/service.ts';

const gateway = sharedGateway(theProvider);
const other = sharedSecondInstance(gateway);
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

const derive = (key: string, fields: object = {}, url = gateway.url) =>
  rest(url, null, 'POST', '/v1/derive', { key, scopes: [], expiresAt: inAnHour(), ...fields });

async function issued(options: KeyOptions = {}, fields: object = {}) {
  const key = await gateway.issue({ scopes: ['read', 'write'], ...options });
  const { status, body } = await derive(key.secret, fields);
  expect([status, body]).toEqual([201, { token: expect.any(String), expiresAt: expect.any(String) }]);
  return { ...key, token: body.token as string };
}

/** A verifier of each kind, and the code that all of them answer. */
async function everywhere() {
  const edge = await composeEdge(readEdgeConfiguration({}, { upstream: [other()] }), () => undefined);
  const edgeUrl = await listen(edge.gateway);
  const local = createLocalVerifier({ url: gateway.url, timeoutMs: 20_000 });
  onTestFinished(async () => {
    await stopListening(edge.gateway);
    await Promise.all([edge.close(), local.close()]);
  });
  const urls = [gateway.url, other(), edgeUrl];
  return async (key: string, more: { readonly scopes?: string[]; readonly sourceIp?: string } = {}) => {
    const answers = await Promise.all([
      ...urls.map(async (url) => (await verifyAt(url, { key, ...more })).body.code),
      local.verify({ key, ...more }).then(({ code }) => code),
    ]);
    return [...new Set(answers)].join(' ');
  };
}

describe('a token', () => {
  it('is accepted everywhere for what it may do, and has the key’s identity', async () => {
    const { id, secret, token } = await issued({ externalId: 'customer-1' }, { scopes: ['read'] });
    const code = await everywhere();
    expect(token).toMatch(/^lk_live_d_[\w-]+$/);
    expect(token).not.toContain(secret.slice(20, 40));
    for (let i = 0; i < 2; i += 1) {
      expect(await code(token, { scopes: ['read'] })).toBe('VALID');
      expect(await code(token, { scopes: ['write'] })).toBe('INSUFFICIENT_SCOPE');
    }
    const { body } = await verifyAt(gateway.url, { key: token, scopes: ['read'] });
    expect(body).toMatchObject({ keyId: id, teamId: gateway.teamId, externalId: 'customer-1', scopes: ['read'] });
    expect(Date.parse(body.expiresAt)).toBeLessThanOrEqual(Date.now() + 3_600_000);
  });

  const ends: readonly [string, (key: IssuedKey) => Promise<unknown>, code: string][] = [
    ['is revoked', ({ id }) => gateway.revoke(id), 'REVOKED'],
    ['is disabled', ({ id }) => disableKey(gateway.management, gateway.caller(), id), 'DISABLED'],
    ['is rotated', ({ id }) => rotateKey(gateway.management, gateway.caller(), id), 'ROTATED'],
    [
      'is rotated, and the overlap is ended',
      async ({ id }) => {
        await rotateKey(gateway.management, gateway.caller(), id, { overlapSeconds: 600 });
        await endOverlap(gateway.management, gateway.caller(), id);
      },
      'ROTATED',
    ],
    [
      'expires',
      ({ id }) => updateKey(gateway.management, gateway.caller(new Date(0)), id, { expiresAt: new Date(1000) }),
      'EXPIRED',
    ],
    [
      'loses the scope',
      ({ id }) => updateKey(gateway.management, gateway.caller(), id, { scopes: ['write'] }),
      'INSUFFICIENT_SCOPE',
    ],
    [
      'gets another allow-list',
      ({ id }) => updateKey(gateway.management, gateway.caller(), id, { allowedIps: ['198.51.100.0/24'] }),
      'SOURCE_NOT_ALLOWED',
    ],
  ];

  it.each(ends)('ends everywhere once it is answered that its key %s', async (_, end, expected) => {
    const key = await issued({}, { scopes: ['read'], sources: ['192.0.2.0/24'] });
    const code = await everywhere();
    const ask = () => code(key.token, { scopes: ['read'], sourceIp: '192.0.2.7' });
    expect(await ask()).toBe('VALID');
    await end(key);
    expect(await ask()).toBe(expected);
  });

  it('is frozen with its key, works again with it, and lives through an overlap and a disabling', async () => {
    const key = await issued({ externalId: 'frozen' });
    const code = await everywhere();
    const { management, teamId } = gateway;
    await freezeKeys(management, gateway.caller(), { teamId, reason: 'A drill', externalId: 'frozen' });
    expect(await code(key.token)).toBe('FROZEN');
    const later = await issued();
    await disableKey(management, gateway.caller(), later.id);
    await enableKey(management, gateway.caller(), later.id);
    expect(await code(later.token)).toBe('VALID');
    const { secret } = await rotateKey(management, gateway.caller(), later.id, { overlapSeconds: 600 });
    const next = (await derive(secret)).body.token;
    expect([await code(later.token), await code(next)]).toEqual(['VALID', 'VALID']);
    await endOverlap(management, gateway.caller(), later.id);
    expect([await code(later.token), await code(next)]).toEqual(['ROTATED', 'VALID']);
  });

  it('expires at its own time, and at a source of its own only', async () => {
    const key = await gateway.issue({ allowedIps: ['127.0.0.0/8', '192.0.2.0/24'] });
    const code = await everywhere();
    const { token } = (await derive(key.secret, { sources: ['192.0.2.7', '203.0.113.1'] })).body;
    expect(await code(token, { sourceIp: '192.0.2.7' })).toBe('VALID');
    for (const sourceIp of ['192.0.2.8', '203.0.113.1']) {
      expect(await code(token, { sourceIp })).toBe('SOURCE_NOT_ALLOWED');
    }
    const expiresAt = new Date(Date.now() + 1500).toISOString();
    const short = (await derive(key.secret, { expiresAt })).body;
    expect(short.expiresAt).toBe(expiresAt);
    await expect.poll(() => code(short.token, { sourceIp: '192.0.2.7' }), { timeout: 30_000 }).toBe('EXPIRED');
  });

  it('with one other character is no key', async () => {
    const { token } = await issued();
    const at = 30;
    const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
    expect((await verifyAt(gateway.url, { key: changed })).body.code).toBe('MALFORMED');
  });

  it('can neither revoke its key nor derive another, but shows what it is', async () => {
    const { token, secret } = await issued({}, { scopes: ['read'] });
    const headers = { authorization: `Bearer ${token}` };
    const path = '/v1/keys/self';
    const revoked = await send(gateway.url, { method: 'DELETE', path, headers });
    expect([revoked.status, JSON.parse(revoked.body).code]).toEqual([403, 'FORBIDDEN']);
    const shown = await send(gateway.url, { path, headers });
    expect([shown.status, JSON.parse(shown.body).scopes]).toEqual([200, ['read']]);
    expect((await derive(token)).status).toBe(400);
    expect((await verifyAt(gateway.url, { key: secret })).body.code).toBe('VALID');
  });

  it('that is reported as leaked only tells the team, whatever it has chosen', async () => {
    const { management, teamId } = gateway;
    const caller = gateway.caller();
    await setLeakPolicy(management, caller, teamId, 'REVOKE');
    const { id, token } = await issued();
    const match = { token: `KEY=${token}`, type: 'latchkey', url: 'https://example.com/log', source: 'log' };
    const { body } = await rest(gateway.url, null, 'POST', '/v1/leaks', [match]);
    expect(body).toMatchObject([{ label: 'true_positive' }]);
    const entries = await management.store.auditLog.list({ teamId, keyId: id, limit: 9 });
    expect(entries[0]).toMatchObject({ action: 'KEY_EXPOSED', details: { leak: { action: 'NOTIFY' } } });
    expect(JSON.stringify(entries.map(({ revision: _, ...entry }) => entry))).not.toContain(token.slice(20));
    expect((await verifyAt(gateway.url, { key: token })).body.code).toBe('VALID');
  });

  it('counts as use of its key, and under its label, at an instance and at an edge', async () => {
    const { id, token, secret } = await issued({}, { label: 'nightly' });
    const code = await everywhere();
    await code(token);
    await code(secret);
    const { management } = gateway;
    const uses = async () =>
      (await readDerivedUse(management, gateway.caller(), id)).map(({ label, count }) => [label, count]);
    await expect.poll(uses, { timeout: 30_000 }).toEqual([['nightly', 4]]);
    const window = { keyId: id, from: new Date(Date.now() - 7_200_000), to: new Date(Date.now() + 3_600_000) };
    const counted = async () =>
      (await readUsage(management, gateway.caller(), window)).reduce((sum, { count }) => sum + count, 0);
    // The derivation is one too.
    await expect.poll(counted, { timeout: 30_000 }).toBe(9);
  });

  it('with a number as its label is counted under it, and not as another secret', async () => {
    const key = await gateway.issue();
    const { token } = (await derive(key.secret, { label: '2' })).body;
    const { management } = gateway;
    const { secret } = await rotateKey(management, gateway.caller(), key.id, { overlapSeconds: 600 });
    for (const one of [secret, token, token]) await verifyAt(gateway.url, { key: one });
    const uses = async () => (await readDerivedUse(management, gateway.caller(), key.id)).map(({ count }) => count);
    await expect.poll(uses, { timeout: 30_000 }).toEqual([2]);
  });

  it('is explained as the key that it is of', async () => {
    const { id, token } = await issued();
    const { management, teamId } = gateway;
    const explained = await explainVerification(management, gateway.caller(), { teamId, secret: token });
    expect(explained).toMatchObject({ code: 'VALID', apiKey: { id } });
  });

  it('reaches edges as a row that depends on its key, narrowed in the fields that every version enforces', async () => {
    const { id, token } = await issued({}, { scopes: ['read'], sources: ['192.0.2.0/24'] });
    const ask = async (cursor: string | null) =>
      (await (
        await fetch(`${gateway.url}/v1/feed`, {
          ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
          body: JSON.stringify({ edge: randomUUID(), cursor, keys: [token] }),
        })
      ).json()) as ReturnType<typeof JSON.parse>;
    const first = await ask(null);
    expect(first.keys).toMatchObject([
      { keyId: id, scopes: ['read'], allowedIps: ['192.0.2.0/24'], version: 1, imported: true, dependencies: [] },
    ]);
    await updateKey(gateway.management, gateway.caller(), id, { name: 'Another' });
    expect(await ask(first.cursor)).toMatchObject({ changed: [id] });
  });
});

describe('a derivation', () => {
  it('by the client is accepted, and its errors say why it is not', async () => {
    const { secret: key } = await gateway.issue({ scopes: ['read'] });
    const options = { url: gateway.url, timeoutMs: 20_000 };
    const expiresAt = new Date(Date.now() + 60_000);
    const { token } = await deriveToken({ key, scopes: ['read'], expiresAt, label: 'a' }, options);
    expect((await verifyAt(gateway.url, { key: token, scopes: ['read'] })).body.code).toBe('VALID');
    await expect(deriveToken({ key, scopes: ['write'], expiresAt }, options)).rejects.toMatchObject({
      ...{ name: 'VerifierRejectedError', status: 403 },
      message: expect.stringContaining('does not have the scopes'),
    });
  });

  it.each<[string, KeyOptions, object, number, string]>([
    ['scopes that the key lacks', {}, { scopes: ['admin'] }, 403, 'INSUFFICIENT_SCOPE'],
    ['another environment', {}, { env: 'test' }, 403, 'WRONG_ENVIRONMENT'],
    ['a source that the key does not allow', { allowedIps: ['192.0.2.0/24'] }, {}, 403, 'SOURCE_NOT_ALLOWED'],
    ['an expired key', { expiresAt: new Date(1000), now: new Date(0) }, {}, 401, 'EXPIRED'],
  ])('is rejected for %s', async (_, options, fields, status, code) => {
    const { secret } = await gateway.issue({ scopes: ['read'], ...options });
    const answer = await derive(secret, fields);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    if (status === 401) expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    expect(JSON.stringify(answer.body)).not.toContain(secret);
  });

  it('is rejected for a key that is revoked, unknown, or must sign its requests', async () => {
    const key = await gateway.issue();
    await gateway.revoke(key.id);
    const { secret: signed } = await gateway.issueSigning();
    const codes = [];
    for (const secret of [key.secret, signed, `${key.secret.slice(0, -1)}?`, 'x']) {
      codes.push((await derive(secret)).body.code);
    }
    expect(codes).toEqual(['REVOKED', 'SIGNATURE_REQUIRED', 'UNAUTHENTICATED', 'UNAUTHENTICATED']);
  });

  it('counts for the rate limit of the key, and says what is left', async () => {
    const { secret } = await gateway.issue({ rateLimit: { limit: 2, windowSeconds: 86_400 } });
    const first = await derive(secret);
    expect(first.headers.get('ratelimit')).toMatch(/^"default";r=1;/);
    expect((await verifyAt(gateway.url, { key: first.body.token })).body.code).toBe('VALID');
    const last = await derive(secret);
    expect([last.status, last.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(last.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await verifyAt(gateway.url, { key: first.body.token })).body.code).toBe('RATE_LIMITED');
  });

  const later = (ms: number) => new Date(Date.now() + ms).toISOString();
  it.each<[string, object, string[]]>([
    ['no expiry', { expiresAt: undefined }, ['expiresAt']],
    ['an expiry in the past', { expiresAt: later(-1000) }, ['expiresAt']],
    ['more than a day', { expiresAt: later(86_500_000) }, ['expiresAt']],
    ['a date without a time', { expiresAt: '2030-01-01' }, ['expiresAt']],
    ['a day that is none', { expiresAt: '2030-02-31T25:00:00Z' }, ['expiresAt']],
    ['a label that is none', { label: 'a b' }, ['label']],
    ['a long label', { label: 'x'.repeat(41) }, ['label']],
    ['no sources', { sources: [] }, ['sources']],
    ['a host name', { sources: ['192.0.2.1', 'api.example.com'] }, ['sources[1]']],
    ['too many sources', { sources: Array(11).fill('192.0.2.1') }, ['sources']],
    ['scopes that are none', { scopes: ['a b'] }, ['scopes[0]']],
    ['an unknown field', { expiresAT: later(1000) }, ['expiresAT']],
    ['an environment that is none', { env: 'prod' }, ['env']],
    ['a key that is none', { key: 7 }, ['key']],
  ])('is malformed with %s', async (_, fields, expected) => {
    const { secret } = await gateway.issue();
    const { status, body } = await derive(secret, fields);
    expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([400, expected]);
    expect(JSON.stringify(body)).not.toContain(secret);
  });

  it('is malformed with a body that is none, and a token that would be too long is refused', async () => {
    for (const body of ['', '[]', 'null', '{"key":"a","key":"b"}', '{']) {
      const headers = { 'content-type': 'application/json' };
      const answer = await send(gateway.url, { method: 'POST', path: '/v1/derive', headers, body });
      expect(answer.status).toBe(400);
    }
    const scopes = Array.from({ length: 50 }, (_, i) => `a-long-scope-of-the-key:${i}`);
    const { secret } = await gateway.issue({ scopes });
    const { status, body } = await derive(secret, { scopes });
    expect([status, body.errors[0].field]).toEqual([400, 'scopes']);
    expect((await derive(secret, { scopes: scopes.slice(0, 10) })).status).toBe(201);
  });

  it('behind a gateway that names no source, is not blocked by the unknown keys of others', async () => {
    const limited = await startGateway('sqlite', { UNKNOWN_KEY_LIMIT: '2' });
    onTestFinished(limited.stop);
    const { secret } = await limited.issue();
    const unknown = () => mintSecret('lk', 'live', randomBytes).secret;
    for (let i = 0; i < 5; i += 1) expect((await derive(unknown(), {}, limited.url)).status).toBe(401);
    expect((await derive(secret, {}, limited.url)).status).toBe(201);
  });

  it('can be forbidden by the operator', async () => {
    const forbidding = await startGateway('sqlite', { DERIVED_TOKENS: 'false' });
    onTestFinished(forbidding.stop);
    const { secret } = await forbidding.issue();
    const { status, body } = await derive(secret, {}, forbidding.url);
    expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
  });

  it('has any number of tokens, which all end with the key, also those that are not cached anymore', async () => {
    const small = await startGateway('sqlite', { VERIFY_CACHE_KEYS: '100' });
    onTestFinished(small.stop);
    const parent = await small.issue();
    const ask = async (key: string) => (await verifyAt(small.url, { key })).body.code;
    const tokens: string[] = [];
    for (let i = 0; i < 150; i += 1) {
      tokens.push((await derive(parent.secret, { label: `l${i}` }, small.url)).body.token);
      expect(await ask(tokens.at(-1) ?? '')).toBe('VALID');
    }
    await small.revoke(parent.id);
    expect(new Set(await Promise.all(tokens.map(ask)))).toEqual(new Set(['REVOKED']));
  });
});
