import { expect, test } from 'vitest';
import { keyRing } from '../../../src/domain/secret/key-ring.ts';
import { digestSecret, digestsOf } from '../../../src/domain/secret/secret-digest.ts';

const pepper = { id: 'p1', bytes: Buffer.alloc(32, 'p') };
const secret = 'lk_live_OGusQGwp_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1Y7LfW';

test('the digest is HMAC-SHA-256 under the pepper, in base64url: a change would orphan every stored key', () => {
  // Computed with Python's hmac module.
  expect(digestSecret(secret, pepper)).toBe('_V6SouBhpVZLcQh6LZUMN5nkFYtbsI13iESgFRT7rGE');
});

test('the digest depends on the secret and on the bytes of the pepper, not on its id', () => {
  const digest = digestSecret(secret, pepper);
  expect(digestSecret(secret, { id: 'p1', bytes: Buffer.alloc(32, 'q') })).not.toBe(digest);
  expect(digestSecret(`${secret}x`, pepper)).not.toBe(digest);
  expect(digestSecret(secret, { id: 'renamed', bytes: pepper.bytes })).toBe(digest);
});

test('a secret has one digest under each pepper of a ring, the old ones included', () => {
  const old = { id: 'p0', bytes: Buffer.alloc(32, 'o') };
  expect(digestsOf(secret, keyRing([pepper, old]))).toEqual([digestSecret(secret, pepper), digestSecret(secret, old)]);
});
