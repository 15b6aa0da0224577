/** The rate limit of a key, as the callers of the verification port see it. */
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import type { RateLimit } from '../../src/domain/key/rate-limit.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { rotateKey } from '../../src/manage/change/rotate-key.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { explainVerification } from '../../src/manage/read/explain-verification.ts';
import { providers, theProvider } from '../support/databases.ts';
import { send, sharedGateway, sharedSecondInstance, verifyAt } from '../support/gateway.ts';

const daySeconds = 86_400;
const threePerDay = { limit: 3, windowSeconds: daySeconds };

/** Of the answer to one verification: what belongs to the rate limit. The seconds until the reset are compared apart. */
async function verify(url: string, key: string, more: object = {}) {
  const { status, headers, body } = await verifyAt(url, { key, ...more });
  const rateLimit = headers.get('ratelimit');
  const [, reset] = /;t=(\d+)$/.exec(rateLimit ?? '') ?? [];
  const retryAfter = headers.get('retry-after');
  if (retryAfter !== null) expect(retryAfter).toBe(reset);
  return {
    status,
    code: body.code,
    policy: headers.get('ratelimit-policy'),
    rateLimit: rateLimit?.replace(/\d+$/, '') ?? null,
    hasRetryAfter: retryAfter !== null,
  };
}

async function codesOf(url: string, key: string, times: number, more: object = {}): Promise<string[]> {
  const codes: string[] = [];
  for (let i = 0; i < times; i += 1) codes.push((await verify(url, key, more)).code);
  return codes;
}

describe('the rate limit of a key', () => {
  const gateway = sharedGateway(theProvider);
  const limit = (id: string, rateLimit: RateLimit | null) =>
    updateKey(gateway.management, gateway.caller(), id, { rateLimit });

  it('accepts as many requests as the limit says, and each answer says how many are left', async () => {
    const { secret } = await gateway.issue({ rateLimit: threePerDay });
    const policy = '"default";q=3;w=86400';
    for (const [code, left] of [
      ['VALID', 2],
      ['VALID', 1],
      ['VALID', 0],
      ['RATE_LIMITED', 0],
      ['RATE_LIMITED', 0],
    ] as const) {
      const rateLimit = `"default";r=${left};t=`;
      const hasRetryAfter = code === 'RATE_LIMITED';
      expect(await verify(gateway.url, secret)).toEqual({ status: 200, code, policy, rateLimit, hasRetryAfter });
    }
  });

  it('does not limit a key without a rate limit', async () => {
    const { secret } = await gateway.issue();
    expect(new Set(await codesOf(gateway.url, secret, 50))).toEqual(new Set(['VALID']));
    expect(await verify(gateway.url, secret)).toMatchObject({ policy: null, rateLimit: null, hasRetryAfter: false });
  });

  it('counts only requests that are valid, and checks the limit last', async () => {
    const { secret } = await gateway.issue({ rateLimit: threePerDay, allowedIps: ['10.0.0.1'] });
    const here = { sourceIp: '10.0.0.1' };
    expect(await verify(gateway.url, secret)).toMatchObject({
      code: 'SOURCE_NOT_ALLOWED',
      rateLimit: '"default";r=3;t=',
      hasRetryAfter: false,
    });
    expect(await codesOf(gateway.url, secret, 3, { ...here, env: 'test' })).not.toContain('VALID');
    expect(await codesOf(gateway.url, secret, 4, here)).toEqual(['VALID', 'VALID', 'VALID', 'RATE_LIMITED']);
    expect(await codesOf(gateway.url, secret, 1)).toEqual(['SOURCE_NOT_ALLOWED']);
  });

  it('does not count a replayed signature', async () => {
    const { id, secret, signingSecret } = await gateway.issueSigning();
    await limit(id, { limit: 2, windowSeconds: daySeconds });
    const target = { method: 'GET', url: 'https://api.example.com/' };
    const signed = () => ({ request: { ...target, headers: signRequest(target, { keyId: id, signingSecret }) } });
    const once = signed();
    expect(await codesOf(gateway.url, secret, 2, once)).toEqual(['VALID', 'SIGNATURE_REPLAYED']);
    expect(await codesOf(gateway.url, secret, 1, signed())).toEqual(['VALID']);
    expect(await codesOf(gateway.url, secret, 1, signed())).toEqual(['RATE_LIMITED']);
  });

  it('applies a changed limit at once and keeps the count, and both secrets of a key share it', async () => {
    const { id, secret } = await gateway.issue({ rateLimit: threePerDay });
    expect(await codesOf(gateway.url, secret, 2)).toEqual(['VALID', 'VALID']);
    const rotated = await rotateKey(gateway.management, gateway.caller(), id, { overlapSeconds: 3600 });
    expect(await codesOf(gateway.url, rotated.secret, 2)).toEqual(['VALID', 'RATE_LIMITED']);
    expect(await codesOf(gateway.url, secret, 1)).toEqual(['RATE_LIMITED']);
    await limit(id, { limit: 4, windowSeconds: daySeconds });
    expect(await codesOf(gateway.url, secret, 2)).toEqual(['VALID', 'RATE_LIMITED']);
    await limit(id, null);
    expect(await codesOf(gateway.url, secret, 2)).toEqual(['VALID', 'VALID']);
  });

  it('explainVerification names the limit without counting', async () => {
    const { secret } = await gateway.issue({ rateLimit: { limit: 1, windowSeconds: 60 * 60 } });
    const explain = () => explainVerification(gateway.management, gateway.caller(), { teamId: gateway.teamId, secret });
    await explain();
    const { code, checks } = await explain();
    const explanation = 'It has a limit of 1 per 3600 s, which only verification counts.';
    expect([code, checks.at(-1)]).toEqual(['VALID', { name: 'RATE_LIMIT', outcome: 'SKIPPED', explanation }]);
    expect((await verify(gateway.url, secret)).code).toBe('VALID');
  });
});

describe.each([
  { convention: 'nginx', path: '/v1/authorize', status: 403 },
  { convention: 'traefik', path: '/v1/authorize', status: 429 },
  { convention: 'generic', path: '/v1/authorize', status: 429 },
  { convention: 'envoy', path: '/v1/authorize/any/', status: 429 },
])('/v1/authorize with GATEWAY=$convention', ({ convention, path, status }) => {
  const gateway = sharedGateway('sqlite', {
    ...{ GATEWAY: convention, UNKNOWN_KEY_LIMIT: '3', SOURCE_HEADER: 'X-Real-IP' },
  });
  const ask = (key: string) =>
    send(gateway.url, { path, headers: { authorization: `Bearer ${key}`, 'x-real-ip': '198.51.100.1' } });

  it(`answers ${status} with Retry-After once the limit is reached`, async () => {
    const { secret } = await gateway.issue({ rateLimit: { limit: 1, windowSeconds: daySeconds } });
    const policy = '"default";q=1;w=86400';
    const first = await ask(secret);
    expect(first).toMatchObject({ status: 200, headers: { 'ratelimit-policy': policy } });
    expect(first.headers).not.toHaveProperty('retry-after');
    const second = await ask(secret);
    expect(second).toMatchObject({ status, body: '' });
    expect(second.headers).toMatchObject({ 'x-latchkey-code': 'RATE_LIMITED', 'ratelimit-policy': policy });
    expect(second.headers.ratelimit).toBe(`"default";r=0;t=${second.headers['retry-after']}`);
    expect(second.headers).not.toHaveProperty('www-authenticate');
  });

  it(`answers ${status} with Retry-After after too many unknown keys of one source`, async () => {
    const unknownKey = () => mintSecret('lk', 'live', randomBytes).secret;
    for (let i = 0; i < 3; i += 1) expect((await ask(unknownKey())).status).toBe(401);
    const answer = await ask(unknownKey());
    expect(answer).toMatchObject({ status, headers: { 'x-latchkey-code': 'RATE_LIMITED' }, body: '' });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe.each(providers)('two instances on %s', (provider) => {
  const gateway = sharedGateway(provider);
  const other = sharedSecondInstance(gateway);

  it('share the count of a key', async () => {
    const { secret } = await gateway.issue({ rateLimit: { limit: 100, windowSeconds: daySeconds } });
    expect(await codesOf(gateway.url, secret, 60)).not.toContain('RATE_LIMITED');
    const left = async (url: string) => Number(/r=(\d+)/.exec((await verify(url, secret)).rateLimit ?? '')?.[1]);
    // Each look is a use too. Within a second or two, both know of all 60.
    await expect.poll(() => left(other()), { interval: 1000 }).toBeLessThan(40);
    await expect.poll(() => left(gateway.url), { interval: 1000 }).toBeLessThan(38);
  });

  it('remove the counts of past windows, and those of current ones stay', async () => {
    const { rateCounts } = gateway.management.store;
    const keyId = randomUUID();
    const now = new Date();
    const later = new Date(now.getTime() + 100_000);
    for (const [endsInMs, at, expected] of [
      [1000, now, 2],
      [1000, now, 4],
      [200_000, later, 2],
      [1000, now, 2],
      [200_000, now, 4],
    ] as const) {
      const windowEnd = new Date(now.getTime() + endsInMs);
      expect(await rateCounts.add([{ keyId, windowSeconds: 60, windowEnd, count: 2 }], at)).toEqual([expected]);
    }
  });
});
