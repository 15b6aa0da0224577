import { expect, it } from 'vitest';
import { DependentEntries } from '../../src/lib/dependent-entries.ts';

it('an entry is found by each of its dependencies, until it is removed', () => {
  const entries = new DependentEntries();
  entries.add('one', ['a', 'b']);
  entries.add('two', ['b']);
  expect(entries.find('b')).toEqual(['one', 'two']);
  expect(entries.dependenciesOf('one')).toEqual(['a', 'b']);
  expect(entries.remove('one')).toBe(true);
  expect(entries.remove('one')).toBe(false);
  expect([entries.find('a'), entries.find('b')]).toEqual([[], ['two']]);
  entries.add('two', ['c']);
  expect([entries.find('b'), entries.find('c')]).toEqual([[], ['two']]);
  entries.clear();
  expect([entries.find('c'), entries.dependenciesOf('two')]).toEqual([[], undefined]);
});

/** Or else a team that presents thousands of earlier secrets of a key would stop a process each time the key changes. */
it('the cost of an entry does not grow with the number of entries that have the same dependency', () => {
  const costOfOne = (count: number) => {
    const entries = new DependentEntries();
    const { user: before } = process.cpuUsage();
    for (let i = 0; i < count; i += 1) entries.add(`entry ${i}`, ['key']);
    for (const entry of entries.find('key')) entries.remove(entry);
    return (process.cpuUsage().user - before) / count;
  };
  const least = (count: number) => Math.min(...Array.from({ length: 5 }, () => costOfOne(count)));
  least(1000);
  expect(least(20_000) / least(2000)).toBeLessThan(5);
});
