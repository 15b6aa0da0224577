// SECURITY.md: A derived token
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type DerivedToken, mintDerived, openDerived } from '../../../src/domain/derived/derived-token.ts';
import { narrowed } from '../../../src/domain/derived/narrowed.ts';
import { keyRing, type RingKey } from '../../../src/domain/secret/key-ring.ts';
import { checksum } from '../../../src/domain/secret/secret.ts';

const ringOf = (...keys: [RingKey, ...RingKey[]]) => keyRing(keys);
const [older, newer] = ['older', 'newer'].map((id) => ({ id, bytes: randomBytes(32) })) as [RingKey, RingKey];
const ring = ringOf(newer, older);

const aToken = (fields: Partial<DerivedToken> = {}): DerivedToken => ({
  ...{ keyId: randomUUID(), secretVersion: 3, expiresAt: 1_900_000_000_123 },
  ...{ scopes: ['orders:read'], sources: ['10.0.0.0/8'], label: 'nightly', ...fields },
});
const minted = (token = aToken(), tag = 'lk') => mintDerived(tag, 'live', token, ring) ?? expect.fail('too long');

describe('a derived token', () => {
  it.each([
    aToken(),
    aToken({ scopes: [], sources: null, label: null }),
    aToken({ secretVersion: 0xffff_ffff, expiresAt: 253_402_300_799_999, scopes: ['"\\', 'ü'] }),
  ])('says what was put into it: %#', (token) => {
    const text = minted(token);
    expect(text).toMatch(/^lk_live_d_[\w-]+$/);
    expect(openDerived(text, ring)).toEqual(token);
    // Of the ring that is rotated: made by its former first key.
    expect(openDerived(mintDerived('lk', 'test', token, ringOf(older)) ?? '', ring)).toEqual(token);
  });

  it('is opened by no other ring, not even by one whose key has the same id', () => {
    const text = minted();
    expect(openDerived(text, ringOf(older))).toBeNull();
    expect(openDerived(text, ringOf({ id: 'newer', bytes: randomBytes(32) }))).toBeNull();
  });

  it('is nothing once any byte of it is another, also with a checksum that fits', () => {
    const text = minted();
    const [start, body] = [text.slice(0, 10), Buffer.from(text.slice(10, -6), 'base64url')];
    for (let i = 0; i < body.length; i += 1) {
      const changed = Buffer.from(body);
      changed.writeUInt8((changed.readUInt8(i) + 1) % 256, i);
      const whole = start + changed.toString('base64url');
      expect(openDerived(whole + checksum(whole), ring)).toBeNull();
    }
    for (const other of ['lk_test_d_', 'xk_live_d_']) {
      const whole = other + text.slice(10, -6);
      expect(openDerived(whole + checksum(whole), ring)).toBeNull();
    }
  });

  it.each(['', 'lk_live_d_', `lk_live_d_${'A'.repeat(200)}`, 'lk_live_d_=A', `lk_live_d_${'A'.repeat(100_000)}`])(
    'is no text that only looks like one: %#',
    (start) => {
      expect(openDerived(start + checksum(start), ring)).toBeNull();
      expect(openDerived(start, ring)).toBeNull();
    },
  );

  it('has no second spelling: what base64url ignores at its end counts', () => {
    const spellings = new Set<string>();
    // Of three lengths, at least two have bits that are not used.
    for (const label of ['a', 'ab', 'abc']) {
      const text = minted(aToken({ label })).slice(0, -6);
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      for (const last of alphabet) {
        const whole = text.slice(0, -1) + last;
        if (openDerived(whole + checksum(whole), ring) !== null) spellings.add(whole);
      }
    }
    expect(spellings.size).toBe(3);
  });

  it('is not made if it would be longer than a key that is presented may be', () => {
    const scopes = Array.from({ length: 50 }, (_, i) => `a-long-scope-of-the-key:${i}`);
    expect(mintDerived('lk', 'live', aToken({ scopes }), ring)).toBeNull();
    expect(minted(aToken({ scopes: scopes.slice(0, 15) })).length).toBeLessThanOrEqual(1000);
  });
});

describe('what it leaves of its key', () => {
  const key = {
    scopes: ['a', 'b'],
    allowedIps: ['10.0.0.0/8 # office', 'api.example.com'],
    expiresAt: 50,
    digestVersion: 9,
  };
  const nowhere = ['255.255.255.255/32'];

  it.each([
    ['the scopes that both have', { scopes: ['b', 'c'] }, { scopes: ['b'] }],
    ['its own secret', { secretVersion: 3 }, { digestVersion: 3 }],
    ['the earlier expiry: the key’s', { expiresAt: 60 }, { expiresAt: 50 }],
    ['the earlier expiry: its own', { expiresAt: 40 }, { expiresAt: 40 }],
    ['the sources of the key', { sources: null }, { allowedIps: key.allowedIps }],
    ['the smaller network', { sources: ['10.1.0.0/16'] }, { allowedIps: ['10.1.0.0/16'] }],
    ['the smaller network: the key’s', { sources: ['0.0.0.0/0'] }, { allowedIps: ['10.0.0.0/8'] }],
    ['no address, if the lists have none in common', { sources: ['192.0.2.1'] }, { allowedIps: nowhere }],
    ['no address of another family', { sources: ['::/0'] }, { allowedIps: nowhere }],
  ])('is %s', (_, token, expected) => {
    expect(narrowed(key, aToken(token))).toMatchObject(expected);
  });

  it('has each source once, and no more of them than a key can have', () => {
    const many = { ...key, allowedIps: Array.from({ length: 100 }, (_, i) => `10.0.${i}.0/24`) };
    const all = narrowed(many, aToken({ sources: Array(10).fill('10.0.0.0/8') })).allowedIps;
    expect([all.length, new Set(all).size]).toEqual([100, 100]);
    const more = Array.from({ length: 10 }, (_, i) => `0.0.0.0/${i}`);
    expect(narrowed(many, aToken({ sources: more })).allowedIps).toHaveLength(100);
  });

  it('is what the token says, if the key has no limits of its own', () => {
    const free = { ...key, allowedIps: [], expiresAt: null };
    expect(narrowed(free, aToken({ sources: ['192.0.2.1', '::1'], expiresAt: 40 }))).toMatchObject({
      ...{ allowedIps: ['192.0.2.1/32', '::1/128'], expiresAt: 40 },
    });
  });
});
