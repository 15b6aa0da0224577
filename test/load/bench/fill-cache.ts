/** Prints the bytes that a key takes in the cache. */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { KeyCache } from '../../../src/engine/key-cache.ts';
import { type CachedKey, cachedKey, keysInCache } from '../../../src/verify/cached-key.ts';
import { plainFeedKey } from '../../support/plain-keys.ts';

const keys = 200_000;
const used = () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const before = used();
const cache = new KeyCache<CachedKey>({ ...keysInCache, maxKeys: keys });
for (let i = 0; i < keys; i += 1) {
  const key = {
    ...plainFeedKey,
    id: randomUUID(),
    teamId: randomUUID(),
    name: `The key of service ${i}`,
    env: 'live' as const,
    prefix: `lk_live_${randomBytes(4).toString('hex')}`,
    digest: randomBytes(32).toString('base64url'),
  };
  const match = cachedKey(key);
  cache.add(hash('sha256', key.digest, 'base64url'), { match, onChange: 'replace' });
}
console.log(Math.round((used() - before) / cache.size));
