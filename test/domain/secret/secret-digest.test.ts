import { hash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { keyRing } from '../../../src/domain/secret/key-ring.ts';
import { mintSecret } from '../../../src/domain/secret/secret.ts';
import {
  clientMadeDigestsOf,
  digestClientMade,
  digestImported,
  digestSecret,
  digestsOf,
} from '../../../src/domain/secret/secret-digest.ts';

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

test('a secret that a client made is looked up under every pepper, for its own tag and environment, and as no import', () => {
  const old = { id: 'p0', bytes: Buffer.alloc(32, 'o') };
  const peppers = keyRing([pepper, old]);
  const { secret: made } = mintSecret('lk', 'live_c', randomBytes);
  const bytes = hash('sha256', made, 'buffer');
  const lookedUp = digestsOf(made, peppers);
  expect(lookedUp).toEqual([pepper, old].map((one) => digestClientMade(bytes, 'lk_live', one)));
  const others = [
    digestClientMade(bytes, 'lk_test', old),
    digestClientMade(bytes, 'acme_live', pepper),
    digestImported({ algorithm: 'sha256', bytes }, old),
  ];
  for (const other of others) expect(lookedUp).not.toContain(other);
  // What makes a digest taken: also those of an older pepper, of the other environment, and of an import.
  const taken = clientMadeDigestsOf(bytes, 'lk', peppers);
  expect(taken).toEqual(expect.arrayContaining([...lookedUp, others[0], others[2]]));
});

test('what a client can compute never finds a key of the usual form, nor a management key', () => {
  const peppers = keyRing([pepper]);
  for (const words of ['live', 'mgmt'] as const) {
    const { secret: usual } = mintSecret('lk', words, randomBytes);
    const bytes = hash('sha256', usual, 'buffer');
    for (const digest of clientMadeDigestsOf(bytes, 'lk', peppers))
      expect(digestsOf(usual, peppers)).not.toContain(digest);
  }
});
