// SECURITY.md: Bytes from outside; Hostile tenant
import { describe, expect, it } from 'vitest';
import { KeyCache } from '../../src/engine/key-cache.ts';
import type { CacheRow } from '../../src/engine/state-source.ts';

interface Key {
  readonly id: string;
  readonly version?: number;
  readonly bytes?: number;
}

function cacheOf(
  options: {
    maxKeys?: number;
    maxBytes?: number;
    maxPerKey?: number;
    maxBytesPerKey?: number;
    onMatch?: (key: Key) => void;
  } = {},
) {
  return new KeyCache<Key>({
    maxKeys: 10,
    bytesOf: ({ bytes = 1 }) => bytes,
    idOf: ({ id }) => id,
    isSameSecret: (cached, changed) => cached.version === changed.version,
    ...options,
  });
}

const row = (id: string, onChange: CacheRow<Key>['onChange'] = 'replace'): CacheRow<Key> => ({
  match: { id },
  onChange,
});
const change = (id: string) => ({ id, replacement: null });

it('rows of one key that depend on others take at most its share, the oldest ones first, and leave all others', () => {
  const cache = cacheOf({ maxPerKey: 2 });
  cache.add('secret', row('a'));
  cache.add('other', row('b'));
  for (const token of ['first', 'second', 'third']) cache.add(token, row('a', 'drop'));
  const kept = ['secret', 'other', 'first', 'second', 'third'].filter((key) => cache.get(key) !== undefined);
  expect(kept).toEqual(['secret', 'other', 'second', 'third']);
  expect(cache.apply(change('a'))).toBe(true);
  expect([cache.size, cache.bytes]).toEqual([1, 1]);
});

it('and no more bytes than its share, however few they are', () => {
  const cache = cacheOf({ maxBytesPerKey: 10 });
  const add = (token: string, bytes: number) =>
    cache.add(token, { match: { id: 'a', bytes }, onChange: 'drop' } satisfies CacheRow<Key>);
  for (const token of ['first', 'second', 'third']) add(token, 4);
  expect([cache.size, cache.bytes]).toEqual([2, 8]);
  add('large', 9);
  expect([cache.get('large')?.bytes, cache.size, cache.bytes]).toEqual([9, 1, 9]);
  add('again', 1);
  expect([cache.size, cache.bytes]).toEqual([2, 10]);
});

describe('a change', () => {
  it('replaces the row of a key that depends on nothing else', () => {
    const cache = cacheOf();
    cache.add('secret', row('a'));
    expect(cache.apply({ id: 'a', replacement: { id: 'a', bytes: 5 } })).toBe(false);
    expect([cache.get('secret'), cache.bytes]).toEqual([{ id: 'a', bytes: 5 }, 5]);
  });

  it('removes the row of a secret that was rotated', () => {
    const cache = cacheOf();
    cache.add('secret', row('a'));
    expect(cache.apply({ id: 'a', replacement: { id: 'a', version: 2 } })).toBe(true);
    expect([cache.get('secret'), cache.bytes]).toEqual([undefined, 0]);
  });

  it('removes the row that it would replace, if secrets are not compared', () => {
    const cache = new KeyCache<Key>({ maxKeys: 10, bytesOf: () => 1, idOf: ({ id }) => id });
    cache.add('secret', row('a'));
    expect(cache.apply({ id: 'a', replacement: { id: 'a' } })).toBe(true);
    expect(cache.size).toBe(0);
  });

  it('removes each row of the key, and no other', () => {
    const cache = cacheOf();
    cache.add('current', row('a'));
    cache.add('previous', row('a', 'drop'));
    cache.add('earlier', row('a', 'drop'));
    cache.add('other', row('c'));
    cache.add('imported', row('b', 'drop'));
    expect(cache.apply(change('unrelated'))).toBe(false);
    expect(cache.apply(change('a'))).toBe(true);
    const rest = ['current', 'previous', 'earlier', 'imported', 'other'].filter((key) => cache.get(key) !== undefined);
    expect(rest).toEqual(['imported', 'other']);
    expect(cache.apply(change('a'))).toBe(false);
  });

  it('that replaces the row of the current secret removes those of the others', () => {
    const cache = cacheOf();
    cache.add('current', row('a'));
    cache.add('previous', row('a', 'drop'));
    expect(cache.apply({ id: 'a', replacement: { id: 'a' } })).toBe(true);
    expect([cache.get('current'), cache.get('previous')]).toEqual([{ id: 'a' }, undefined]);
  });
});

it('has one row for the current secret of a key: a newer row must not hide an older one from changes', () => {
  const cache = cacheOf();
  cache.add('old secret', row('a'));
  cache.add('new secret', row('a'));
  expect([cache.get('old secret'), cache.get('new secret'), cache.size]).toEqual([undefined, { id: 'a' }, 1]);
  expect(cache.apply(change('a'))).toBe(true);
  expect(cache.size).toBe(0);
});

it('evicted rows leave nothing behind by which a change would find them', () => {
  const cache = cacheOf({ maxKeys: 1 });
  cache.add('first', row('a', 'drop'));
  cache.add('second', row('b'));
  expect(cache.apply(change('a'))).toBe(false);
  cache.add('third', row('c', 'drop'));
  expect(cache.apply({ id: 'b', replacement: { id: 'b' } })).toBe(false);
  expect([cache.size, cache.get('second'), cache.bytes]).toEqual([1, undefined, 1]);
  expect(cache.apply(change('c'))).toBe(true);
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
});

it.each<[string, (cache: KeyCache<Key>) => void]>([
  ['removed', (cache) => cache.apply(change('a'))],
  ['cleared', (cache) => cache.clear()],
])('a row that was %s leaves nothing behind by which a change would find another one in its place', (_, remove) => {
  const cache = cacheOf();
  for (const [first, second] of [
    ['replace', 'drop'],
    ['drop', 'replace'],
  ] as const) {
    cache.add('secret', row('a', first));
    remove(cache);
    expect(cache.size).toBe(0);
    cache.add('secret', row('c', second));
    expect(cache.apply(change('a'))).toBe(false);
    cache.clear();
  }
});

it('a row that is added again is found by its new key only', () => {
  const cache = cacheOf();
  cache.add('secret', row('b', 'drop'));
  cache.add('secret', row('a'));
  expect(cache.apply(change('b'))).toBe(false);
  cache.add('secret', row('c', 'drop'));
  expect(cache.apply({ id: 'a', replacement: { id: 'a' } })).toBe(false);
  expect([cache.size, cache.bytes]).toEqual([1, 1]);
  cache.add('secret', row('a', null));
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
});

it('keeps the rows that were used last within its bytes, and counts what is replaced, removed and cleared', () => {
  const cache = cacheOf({ maxKeys: 1000, maxBytes: 20 });
  cache.add('used', row('used'));
  for (let i = 0; i < 100; i += 1) {
    cache.add(`secret ${i}`, { match: { id: `key ${i}`, bytes: 2 }, onChange: 'replace' });
    cache.trim();
    expect(cache.get('used')).toBeDefined();
  }
  expect([cache.size, cache.bytes]).toEqual([10, 19]);
  expect(cache.get('secret 99')).toBeDefined();
  cache.apply({ id: 'key 99', replacement: { id: 'key 99', bytes: 50 } });
  // Not before it is trimmed: a request of the same round may need one of the others.
  expect([cache.size, cache.bytes]).toEqual([10, 67]);
  cache.clear();
  expect([cache.size, cache.bytes, cache.apply(change('used'))]).toEqual([0, 0, false]);
  cache.add('large', { match: { id: 'large', bytes: 100 }, onChange: 'replace' });
  cache.trim();
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
  cache.add('largest', { match: { id: 'largest', bytes: 20 }, onChange: 'replace' });
  cache.trim();
  expect(cache.size).toBe(1);
});

it('reports each match that is added or replaced', () => {
  const reported: Key[] = [];
  const cache = cacheOf({ onMatch: (key) => reported.push(key) });
  cache.add('secret', row('a'));
  cache.apply({ id: 'a', replacement: { id: 'a', bytes: 2 } });
  cache.apply(change('a'));
  expect(reported).toEqual([{ id: 'a' }, { id: 'a', bytes: 2 }]);
});

/** A team can present thousands of earlier secrets. If the cost of a row grew with their number, this would take minutes. */
it('removes 200,000 rows that depend on one key, each in constant time', () => {
  const cache = cacheOf({ maxKeys: 200_000 });
  for (let i = 0; i < 200_000; i += 1) cache.add(`secret ${i}`, row('a', 'drop'));
  expect(cache.apply(change('a'))).toBe(true);
  expect(cache.size).toBe(0);
});
