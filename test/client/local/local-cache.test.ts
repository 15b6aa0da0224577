/** What a local verifier keeps in memory. */
import { expect, it } from 'vitest';
import { LocalCache } from '../../../src/client/local/local-cache.ts';
import { LocalKey } from '../../../src/client/local/local-key.ts';
import { plainRow } from '../../support/feed-stand-in.ts';

const megabyte = 2 ** 20;
const sources = Array.from({ length: 100 }, (_, i) => `10.0.${i}.0/24`);
const key = (i: number, more: object = {}) => new LocalKey({ ...plainRow, keyId: `key ${i}`, ...more });

it('a cache keeps large keys within its bytes, and the ones that were used last', () => {
  const cache = new LocalCache(100_000, megabyte);
  cache.add('used', key(-1));
  for (let i = 0; i < 1000; i += 1) {
    cache.add(`secret ${i}`, key(i, { allowedIps: sources }));
    expect(cache.get('used')).toBeDefined();
    expect(cache.bytes).toBeLessThanOrEqual(megabyte + 100_000);
  }
  expect(cache.size).toBeLessThan(100);
  expect(cache.get('secret 999')).toBeDefined();
});

it('the estimate of a key is about what it takes', () => {
  expect(key(1).bytes).toBeGreaterThan(1500);
  expect(key(1).bytes).toBeLessThan(3000);
  expect(key(1, { allowedIps: sources }).bytes).toBeGreaterThan(12_000);
  expect(key(1, { metadata: { list: Array.from({ length: 1000 }, () => ({})) } }).bytes).toBeGreaterThan(60_000);
});

it('an imported key is dropped with what it depends on, and is not kept if that is not known', () => {
  const cache = new LocalCache(100, megabyte);
  const imported = (i: number, dependencies?: readonly string[]) =>
    cache.add(`secret ${i}`, key(i, { imported: true, ...(dependencies === undefined ? {} : { dependencies }) }));
  imported(1, ['key 1', 'another key', 'a digest']);
  imported(2, ['key 2', 'another digest']);
  imported(3);
  expect([1, 2, 3].map((i) => cache.get(`secret ${i}`)?.id)).toEqual(['key 1', 'key 2', undefined]);
  for (const dependency of ['key 1', 'another key', 'a digest']) {
    cache.dropDependent(['another name', dependency]);
    expect([1, 2].map((i) => cache.get(`secret ${i}`)?.id)).toEqual([undefined, 'key 2']);
    imported(1, ['key 1', 'another key', 'a digest']);
  }
  cache.dropImported();
  expect(cache.size).toBe(0);
});

it('a key that changes is dropped with all of its secrets, also where others were evicted', () => {
  const cache = new LocalCache(10, megabyte);
  cache.add('previous', key(1, { secret: 'previous' }));
  cache.add('current', key(1));
  for (let i = 2; i < 30; i += 1) {
    cache.add(`secret ${i}`, key(i));
    cache.get('current');
  }
  expect([cache.get('previous'), cache.get('current')?.id]).toEqual([undefined, 'key 1']);
  cache.dropDependent(['key 1']);
  expect(cache.get('current')).toBeUndefined();
});
