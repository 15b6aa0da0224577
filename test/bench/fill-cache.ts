/** Prints the bytes that a key takes in the cache. */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { cachedKey } from '../../src/verify/cached-key.ts';
import { KeyCache } from '../../src/verify/key-cache.ts';
import { plainFeedKey } from '../support/plain-keys.ts';

const keys = 200_000;
const used = () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const before = used();
const cache = new KeyCache({ maxKeys: keys });
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
  cache.add(hash('sha256', key.digest, 'base64url'), cachedKey(key));
}
console.log(Math.round((used() - before) / cache.size));
