/** What the list of keys computes in the browser. */
import { afterEach, expect, it, vi } from 'vitest';
import { nothingChosen as nothing } from '../../src/dashboard/keys/filter/chosen.ts';
import { filterOf } from '../../src/dashboard/keys/filter/key-filter.ts';
import { csvOf } from '../../src/key-file/csv.ts';

const at = '2030-01-31T12:00:00.123Z';
afterEach(() => vi.useRealTimers());

it('filters by exact times, which are those of the overview', () => {
  vi.useFakeTimers({ now: Date.parse(at) + 60_000 });
  expect(filterOf({ ...nothing, at, state: 'active', expiry: 'soon' })).toEqual({
    state: ['ACTIVE'],
    expiresAfter: at,
    expiresBefore: '2030-02-14T12:00:00.123Z',
  });
  expect(filterOf({ ...nothing, at, state: 'active', use: 'long' })).toEqual({
    state: ['ACTIVE'],
    unusedSince: '2029-11-02T12:00:00.123Z',
    createdBefore: '2029-11-02T12:00:00.123Z',
  });
});

it.each([-1, 1])('a link with a time %i days from now, kept for long or invented, means the present', (days) => {
  vi.useFakeTimers({ now: Date.parse(at) });
  const { expiresAfter } = filterOf({
    ...nothing,
    at: new Date(Date.now() + days * 86_400_000).toISOString(),
    expiry: 'soon',
  });
  expect(expiresAfter).toBe(at);
});

it('what a review asks for is a filter of the API', () => {
  const review = { ...nothing, state: 'active', env: 'live', sources: 'none', signing: 'off', limit: 'some' };
  expect(filterOf({ ...review, scope: ['read'], creator: 'ann', expiry: 'never', use: 'never' })).toEqual({
    state: ['ACTIVE'],
    env: 'live',
    hasAllowedIps: false,
    signingEnabled: false,
    hasRateLimit: true,
    scopes: ['read'],
    createdBy: 'ann',
    neverExpires: true,
    neverUsed: true,
  });
  expect(filterOf({ ...nothing, state: 'leaked' })).toEqual({
    state: ['ACTIVE', 'EXPIRED', 'DISABLED'],
    leaked: true,
  });
  vi.useFakeTimers({ now: Date.parse(at) });
  expect(filterOf({ ...nothing, use: '7' }).unusedSince).toBe('2030-01-24T12:00:00.123Z');
  expect(filterOf({ ...nothing, state: 'expiring' })).toEqual(
    filterOf({ ...nothing, state: 'active', expiry: 'soon' }),
  );
});

it('ignores choices that it does not know', () => {
  const unknown = {
    ...nothing,
    state: 'constructor',
    env: 'prod',
    signing: 'maybe',
    use: '8',
    expiry: 'x',
    sources: 'x',
  };
  expect(filterOf(unknown)).toEqual({ state: ['ACTIVE', 'EXPIRED', 'DISABLED'] });
});

it('no cell of a CSV file is a formula, and its text can be read back', () => {
  expect(csvOf([['=1+1', '+1', '-1', '@a', '\ta', '\rb', 'a=1']])).toBe(`\ufeff'=1+1,'+1,'-1,'@a,'\ta,"'\rb",a=1\r\n`);
  expect(csvOf([['say "hi"', 'a,b', 'two\nlines', null, undefined, false, 0]])).toBe(
    '\ufeff"say ""hi""","a,b","two\nlines",,,false,0\r\n',
  );
});
