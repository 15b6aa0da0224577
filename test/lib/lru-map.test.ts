import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { LruMap } from '../../src/lib/lru-map.ts';

it('keeps at most as many entries as allowed, and those that were used last', () => {
  const evicted: string[] = [];
  const map = new LruMap<number>(10, (name, value) => evicted.push(`${name} ${value}`));
  map.set('used', -1);
  for (let i = 0; i < 1000; i += 1) {
    map.set(`${i}`, i);
    expect(map.get('used')).toBe(-1);
    expect(map.size).toBeLessThanOrEqual(10);
  }
  expect(Array.from({ length: 9 }, (_, i) => map.peek(`${991 + i}`))).toEqual([
    991, 992, 993, 994, 995, 996, 997, 998, 999,
  ]);
  expect(evicted).toEqual(Array.from({ length: 991 }, (_, i) => `${i} ${i}`));
});

it('keeps as many entries as allowed while all are used in turn', () => {
  const map = new LruMap<number>(100, () => expect.fail('there is space'));
  for (let i = 0; i < 100; i += 1) map.set(`${i}`, i);
  for (let i = 0; i < 1000; i += 1) expect(map.get(`${i % 100}`)).toBe(i % 100);
});

it('evicts exactly one entry for each that is added, after passing few, also when all were used', () => {
  const map = new LruMap<number>(10_000);
  for (let i = 0; i < 10_000; i += 1) map.set(`${i}`, i);
  for (let i = 0; i < 10_000; i += 1) map.get(`${i}`);
  map.set('new', 0);
  expect(map.size).toBe(10_000);
  // It passed the first 16, which went to the end.
  expect(Array.from({ length: 18 }, (_, i) => map.peek(`${i}`) !== undefined)).toEqual([
    ...Array(16).fill(true),
    false,
    true,
  ]);
});

it('does not count peeking as a use', () => {
  const map = new LruMap<number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.peek('a');
  map.get('b');
  map.set('c', 3);
  expect(['a', 'b', 'c'].map((name) => map.peek(name))).toEqual([undefined, 2, 3]);
});

it('has no entry twice, and none that was deleted', () => {
  const map = new LruMap<number>(3);
  for (const name of ['a', 'b', 'c']) map.set(name, 1);
  map.set('a', 2);
  expect([map.size, map.get('a'), map.peek('b')]).toEqual([3, 2, 1]);
  map.delete('a');
  expect([map.size, map.get('a'), map.peek('a')]).toEqual([2, undefined, undefined]);
  map.set('d', 4);
  map.set('e', 5);
  expect(map.size).toBe(3);
  map.clear();
  expect([map.size, map.get('d')]).toEqual([0, undefined]);
  map.evict();
  map.set('f', 6);
  map.evict();
  expect(map.size).toBe(0);
});

it('keeps no value that was deleted, however often all are deleted and added again after an eviction', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const map = new LruMap<object>(100);
  const first: WeakRef<object>[] = [];
  const fill = (values: WeakRef<object>[]) => {
    for (let i = 0; i < 100; i += 1) {
      const value = {};
      values.push(new WeakRef(value));
      map.set(`${i}`, value);
    }
  };
  fill(first);
  map.evict();
  for (let round = 0; round < 20; round += 1) {
    for (let i = 0; i < 100; i += 1) map.delete(`${i}`);
    fill([]);
  }
  // Weak references are kept until the end of the turn in which they were created.
  return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    collectGarbage();
    expect(first.filter((reference) => reference.deref() !== undefined)).toEqual([]);
  });
});
