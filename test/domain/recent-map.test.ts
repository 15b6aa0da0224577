import { expect, it } from 'vitest';
import { RecentMap } from '../../src/domain/recent-map.ts';

it('keeps at most as many entries as allowed, and those that were used last', () => {
  const evicted: string[] = [];
  const map = new RecentMap<number>(10, (name) => evicted.push(name));
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

it('has no entry twice, and none that was deleted', () => {
  const map = new RecentMap<number>(4);
  for (const name of ['a', 'b', 'c']) map.set(name, 1);
  map.set('a', 2);
  expect([map.size, map.get('a'), map.peek('b')]).toEqual([3, 2, 1]);
  map.delete('a');
  expect([map.size, map.get('a'), map.peek('a')]).toEqual([2, undefined, undefined]);
  map.clear();
  expect([map.size, map.get('b')]).toEqual([0, undefined]);
});
