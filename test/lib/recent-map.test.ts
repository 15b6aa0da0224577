import { expect, it } from 'vitest';
import { RecentMap } from '../../src/lib/recent-map.ts';

it('keeps at most as many entries as allowed, and those that were used last', () => {
  const evicted: string[] = [];
  const map = new RecentMap<number>({ max: 10, onEvict: (name) => evicted.push(name) });
  map.set('used', -1);
  for (let i = 0; i < 1000; i += 1) {
    map.set(`${i}`, i);
    expect(map.get('used')).toBe(-1);
    expect(map.size).toBeLessThanOrEqual(10);
  }
  expect(map.get('999')).toBe(999);
  expect(map.get('900')).toBeUndefined();
  expect(evicted).not.toContain('used');
  expect(new Set(evicted).size + map.size).toBe(1001);
});

it('keeps at most as large entries as allowed, together, and those that were used last', () => {
  const evicted: string[] = [];
  const onEvict = (name: string) => evicted.push(name);
  const map = new RecentMap<number>({ max: 1000, maxSize: 100, sizeOf: (size) => size, onEvict });
  map.set('used', 1);
  for (let i = 0; i < 1000; i += 1) {
    map.set(`${i}`, i % 10);
    expect(map.get('used')).toBe(1);
    expect(map.totalSize).toBeLessThanOrEqual(120);
  }
  expect(new Set(evicted).size + map.size).toBe(1001);
  map.clear();
  expect([map.totalSize, map.size]).toEqual([0, 0]);
});

it('evicts a few entries for each that is added, never half of all at once', () => {
  let evicted = 0;
  const onEvict = () => {
    evicted += 1;
  };
  const map = new RecentMap<number>({ max: 1000, onEvict });
  for (let i = 0; i < 5000; i += 1) {
    const before = evicted;
    map.set(`${i}`, i);
    expect(evicted - before).toBeLessThanOrEqual(2);
  }
  expect(evicted + map.size).toBe(5000);
});

it('has no entry twice, and none that was deleted', () => {
  const map = new RecentMap<number>({ max: 4, sizeOf: (size) => size });
  for (const name of ['a', 'b', 'c']) map.set(name, 1);
  map.set('a', 2);
  expect([map.size, map.totalSize, map.get('a'), map.peek('b')]).toEqual([3, 4, 2, 1]);
  map.delete('a');
  expect([map.size, map.totalSize, map.get('a'), map.peek('a')]).toEqual([2, 2, undefined, undefined]);
  map.clear();
  expect([map.size, map.get('b')]).toEqual([0, undefined]);
});
