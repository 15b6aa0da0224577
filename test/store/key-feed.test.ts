import { expect, it } from 'vitest';
import { maxChanges, mustClearCache } from '../../src/store/key-feed.ts';

it.each([
  { since: null, revision: 7, forget: true, why: 'nothing is known yet' },
  { since: 7, revision: 7, forget: false, why: 'nothing has changed' },
  { since: 7, revision: 8, forget: false, why: 'there is one change to fetch' },
  { since: 7, revision: 7 + maxChanges, forget: false, why: 'so many are just worth fetching' },
  { since: 7, revision: 8 + maxChanges, forget: true, why: 'so many are not' },
  { since: 7, revision: 6, forget: true, why: 'the store was put back, and what came later never happened' },
])('what is known at $since is forgotten at $revision: $forget, because $why', ({ since, revision, forget }) => {
  expect(mustClearCache(since, revision)).toBe(forget);
});
