// SECURITY.md: Write access to the database
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyRing } from '../../../src/domain/secret/key-ring.ts';
import { mintSigningSecret, openSigningSecret, sealSigningSecret } from '../../../src/domain/secret/signing-secret.ts';

const kek1 = { id: 'kek1', bytes: Buffer.alloc(32, 'k') };
const kek2 = { id: 'kek2', bytes: Buffer.alloc(32, 'l') };
const keks = keyRing([kek1]);
const counting = (size: number) => Buffer.from(Array.from({ length: size }, (_, i) => i));
const owner = { keyId: 'key-1', version: 3 };
const rejection = 'Unsupported state or unable to authenticate data';

const secret = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
const anyOwner = fc.record({ keyId: fc.string(), version: fc.nat() });

test('an envelope is AES-256-GCM over a 96-bit IV, bound to key id, version and purpose', () => {
  // Computed with Python's cryptography package; envelopes at rest must stay readable.
  const envelope = 'kek1.AAECAwQFBgcICQoLatz2LQDVgHJLklmBaMgGV-j_qHeIc4qSt2Xzvuw3ijeXzKF27t7P2FiZH_tlVaMg';
  expect(sealSigningSecret(counting(32), owner, keks, counting)).toBe(envelope);
  expect(openSigningSecret(envelope, owner, keks)).toEqual(counting(32));
  expect(mintSigningSecret(counting)).toEqual(counting(32));
});

test('what was sealed opens again, and only for its owner', () => {
  fc.assert(
    fc.property(secret, anyOwner, anyOwner, (secret, owner, other) => {
      const envelope = sealSigningSecret(secret, owner, keks, randomBytes);
      expect(openSigningSecret(envelope, owner, keks)).toEqual(secret);
      fc.pre(owner.keyId !== other.keyId || owner.version !== other.version);
      expect(() => openSigningSecret(envelope, other, keks)).toThrow(rejection);
    }),
  );
});

test('an envelope copied to another key, or an old one put back, does not open', () => {
  const envelope = sealSigningSecret(counting(32), owner, keks, randomBytes);
  expect(() => openSigningSecret(envelope, { ...owner, keyId: 'key-2' }, keks)).toThrow(rejection);
  expect(() => openSigningSecret(envelope, { ...owner, version: 4 }, keks)).toThrow(rejection);
});

test('an envelope with any one byte changed does not open: IV, ciphertext and tag alike', () => {
  const sealed = Buffer.from(sealSigningSecret(counting(32), owner, keks, randomBytes).slice(5), 'base64url');
  expect(sealed).toHaveLength(12 + 32 + 16);
  for (let i = 0; i < sealed.length; i += 1) {
    const tampered = Buffer.from(sealed);
    tampered.writeUInt8(tampered.readUInt8(i) ^ 1, i);
    expect(() => openSigningSecret(`kek1.${tampered.toString('base64url')}`, owner, keks), `byte ${i}`).toThrow(
      rejection,
    );
  }
});

test('an envelope cut short anywhere does not open: a shorter tag would be easier to forge', () => {
  const envelope = sealSigningSecret(counting(32), owner, keks, randomBytes);
  for (let length = 0; length < envelope.length; length += 1)
    for (const text of [envelope.slice(0, length), envelope.slice(length + 1)])
      expect(() => openSigningSecret(text, owner, keks), `${length} characters`).toThrow();
});

test('an envelope of a key-encryption key that is gone throws, and names the key to bring back', () => {
  const envelope = sealSigningSecret(counting(32), owner, keks, randomBytes);
  expect(() => openSigningSecret(envelope, owner, keyRing([kek2]))).toThrow(
    'the signing secret of key key-1 needs the key-encryption key kek1',
  );
});

test('after a rotation old envelopes still open, and new ones are sealed with the new key', () => {
  const old = sealSigningSecret(counting(32), owner, keks, randomBytes);
  const rotated = keyRing([kek2, kek1]);
  expect(openSigningSecret(old, owner, rotated)).toEqual(counting(32));
  expect(sealSigningSecret(counting(32), owner, rotated, randomBytes)).toMatch(/^kek2\.[\w-]{80}$/);
  // Relabelled with the id of the other key.
  expect(() => openSigningSecret(old.replace('kek1', 'kek2'), owner, rotated)).toThrow(rejection);
});
