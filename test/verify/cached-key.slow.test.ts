/** How much memory a cached key uses. */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { KeyCache } from '../../src/engine/key-cache.ts';
import type { FeedKey } from '../../src/store/feed/key-feed.ts';
import { type CachedKey, cachedKey, keysInCache } from '../../src/verify/cached-key.ts';
import { plainFeedKey } from '../support/plain-keys.ts';

function feedKey(more: Partial<FeedKey> = {}): FeedKey {
  const key: FeedKey = {
    ...plainFeedKey,
    id: randomUUID(),
    teamId: randomUUID(),
    name: 'The key of a service',
    env: 'live',
    prefix: `lk_live_${randomBytes(4).toString('hex')}`,
    digest: randomBytes(32).toString('base64url'),
    ...more,
  };
  // Texts of its own, as they come from a database.
  return JSON.parse(JSON.stringify(key));
}

const list = (entry: (i: number) => string) => Array.from({ length: 100 }, (_, i) => entry(i));
const manyIpv6 = list((i) => `2001:db8::${i.toString(16)}:1 # ${'x'.repeat(200)}`);

const described = {
  scopes: Array.from({ length: 10 }, (_, i) => `orders:read:${i}`),
  externalId: 'customer-4711',
  metadata: { plan: 'pro', note: 'x'.repeat(276) },
  rateLimit: 100,
  rateLimitWindowSeconds: 60,
};

describe('the estimate of what a key takes', () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  const used = () => {
    if (typeof collect !== 'function') throw new Error('garbage can’t be collected on demand');
    // One pass leaves what only finalizers release.
    for (let pass = 0; pass < 5; pass += 1) collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };

  it.each([
    { what: 'an ordinary key', keys: 20_000, more: {} },
    { what: 'a key with a name beyond Latin-1', keys: 20_000, more: { name: '€'.repeat(100) } },
    { what: 'a signing key', keys: 20_000, more: { signingEnvelope: 'x'.repeat(100), signingVersion: 1 } },
    { what: 'a key with 100 IPv6 sources', keys: 1000, more: { allowedIps: manyIpv6 } },
    { what: 'a key with 100 IPv4 sources', keys: 1000, more: { allowedIps: list((i) => `10.0.0.${i}`) } },
    { what: 'a key with 10 scopes, 300 bytes of metadata and a rate limit', keys: 10_000, more: described },
    {
      what: 'a key with 100 host names and comments',
      keys: 1000,
      more: { allowedIps: list((i) => `host-${i}.example.com # ${'x'.repeat(200)}`) },
    },
  ])('is at most a quarter below and half above what the heap grows by: $what', ({ keys, more }) => {
    const cache = new KeyCache<CachedKey>({ ...keysInCache, maxKeys: keys });
    const before = used();
    for (let i = 0; i < keys; i += 1) {
      const key = feedKey(more);
      const cached = cachedKey(key);
      if (cached.signing !== null) cached.signing.opened = randomBytes(32);
      cache.add(hash('sha256', key.digest, 'base64url'), { match: cached, onChange: 'replace' });
    }
    const taken = used() - before;
    expect(cache.bytes / taken).toBeGreaterThan(0.75);
    // Node 26 takes a third less for host names than Node 24. An estimate that is too high only makes the cache smaller.
    expect(cache.bytes / taken).toBeLessThan(1.5);
  });
});

it('a cached key with 10 scopes and 300 bytes of metadata takes at most 1.5 kB', () => {
  expect(JSON.stringify(described.metadata)).toHaveLength(300);
  const { bytes } = cachedKey(feedKey(described));
  expect(bytes).toBeLessThanOrEqual(1536);
});
