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

/**
 * Or else a team that presents thousands of earlier secrets of a key would stop a process each time the key changes. If
 * the cost of an entry grew with their number, this would take minutes.
 */
it('200,000 entries of one dependency are removed one by one', () => {
  const entries = new DependentEntries();
  for (let i = 0; i < 200_000; i += 1) entries.add(`entry ${i}`, ['key']);
  for (const entry of entries.find('key')) entries.remove(entry);
  expect(entries.find('key')).toEqual([]);
});
