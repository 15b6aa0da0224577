import { expect, it } from 'vitest';
import { cachedKey } from '../../src/verify/cached-key.ts';
import { KeyCache } from '../../src/verify/key-cache.ts';
import { plainFeedKey } from '../support/plain-keys.ts';

const key = (id: string, revoked = false) =>
  cachedKey({
    ...plainFeedKey,
    id,
    teamId: 'team',
    name: 'A key',
    env: 'live',
    prefix: 'lk_live_abcdefgh',
    digest: `digest of ${id}`,
    revoked,
  });

it('a change of a key made here replaces its entry', () => {
  const cache = new KeyCache({ maxKeys: 10 });
  cache.add('presented', key('a'));
  expect(cache.update(key('a', true), 'digest of a')).toBe(false);
  expect(cache.get('presented')).toMatchObject({ id: 'a', revoked: true });
});

it.each([
  ['by the id of a key that matches', key('a', true), 'another digest'],
  ['by a digest that would match', key('b'), 'sha512'],
])('a change removes the entry of an imported key: %s', (_, changed, digest) => {
  const cache = new KeyCache({ maxKeys: 10 });
  cache.add('presented', key('a'), ['sha256', 'sha512', 'a']);
  expect(cache.update(key('c'), 'an unrelated digest')).toBe(false);
  expect(cache.update(changed, digest)).toBe(true);
  expect(cache.get('presented')).toBeUndefined();
  expect(cache.update(changed, digest)).toBe(false);
});

it('an entry that was evicted leaves nothing behind by which a change would find it', () => {
  const cache = new KeyCache({ maxKeys: 1 });
  cache.add('first', key('a'), ['sha256', 'a']);
  cache.add('second', key('b'));
  expect(cache.update(key('a'), 'sha256')).toBe(false);
  cache.add('third', { conflictingIds: ['c', 'd'], currentIds: ['c', 'd'], revoked: false }, ['sha256 of c', 'c', 'd']);
  expect(cache.update(key('b', true), 'digest of b')).toBe(false);
  expect([cache.size, cache.get('second')]).toEqual([1, undefined]);
  expect(cache.update(key('d'), 'sha512 of c')).toBe(true);
  expect(cache.size).toBe(0);
});
