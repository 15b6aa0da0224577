/** What the list of keys computes in the browser. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { csvOf } from '../../src/dashboard/keys/csv.ts';
import { type Criterion, criteria, filterOf, searchOf } from '../../src/dashboard/keys/key-filter.ts';
import { renewalDays, renewedExpiry } from '../../src/dashboard/keys/renewal.ts';
import { mintSecret } from '../../src/domain/secret.ts';

const nothing = Object.fromEntries(criteria.map((name) => [name, ''])) as Record<Criterion, string>;
const at = '2030-01-31T12:00:00.123Z';

it('filters by exact times, which are those of the overview', () => {
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

it('ignores choices that it does not know', () => {
  const unknown = { ...nothing, state: 'constructor', env: 'prod', signing: 'maybe', use: 'x', expiry: 'x' };
  expect(filterOf(unknown)).toEqual({ state: ['ACTIVE', 'EXPIRED', 'DISABLED'] });
});

it('keeps only the prefix of a whole key', () => {
  const { secret, prefix } = mintSecret('lk', 'live', randomBytes);
  expect(searchOf(` ${secret} `)).toBe(prefix);
  expect(searchOf('my_live_shop')).toBe('my_live_shop');
});

it('no cell of a CSV file is a formula, and its text can be read back', () => {
  expect(csvOf([['=1+1', '+1', '-1', '@a', '\ta', '\rb', 'a=1']])).toBe(`'=1+1,'+1,'-1,'@a,'\ta,"'\rb",a=1\r\n`);
  expect(csvOf([['say "hi"', 'a,b', 'two\nlines', null, undefined, false, 0]])).toBe(
    '"say ""hi""","a,b","two\nlines",,,false,0\r\n',
  );
});

it('renews by the lifetime of the key, at most 90 days, and from now on if it has expired', () => {
  const week = { createdAt: '2030-01-01T00:00:00Z', expiresAt: '2030-01-08T00:00:00Z', state: 'ACTIVE' } as const;
  expect(renewalDays(week)).toBe(7);
  expect(renewedExpiry(week, Date.parse('2030-01-05T00:00:00Z'))).toEqual(new Date('2030-01-15T00:00:00Z'));
  expect(renewedExpiry({ ...week, state: 'EXPIRED' }, Date.parse('2030-02-01T00:00:00Z'))).toEqual(
    new Date('2030-02-08T00:00:00Z'),
  );
  expect(renewalDays({ ...week, expiresAt: '2031-01-01T00:00:00Z' })).toBe(90);
  expect(renewalDays({ ...week, expiresAt: null })).toBeNull();
  expect(renewalDays({ ...week, state: 'REVOKED' })).toBeNull();
});
