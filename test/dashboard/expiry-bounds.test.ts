/** Forms shorten an expiry to what a policy permits. */
import { expect, it } from 'vitest';
import { expiryBounds, isTooLate, shortened, withinPolicy } from '../../src/dashboard/key-form/expiry-bounds.ts';
import { draftOf, valuesOf } from '../../src/dashboard/key-form/key-draft.ts';
import { noRules } from '../../src/domain/policy/key-policy.ts';

const now = Date.parse('2030-01-01T00:00:00Z');
const month = expiryBounds({ ...noRules, maxLifetimeSeconds: 30 * 86_400 });
const required = expiryBounds({ ...noRules, requireExpiry: true });

it('a typed never is shortened like the choice of never, and said to be too late', () => {
  expect([null, 'never', ' never '].map((expiry) => shortened(expiry, month, now))).toEqual([30, 30, 30]);
  expect([null, 'never'].map((expiry) => shortened(expiry, required, now))).toEqual([90, 90]);
  expect([null, 'never'].map((expiry) => shortened(expiry, expiryBounds(undefined), now))).toEqual([null, null]);
  expect(isTooLate('never', 30, now)).toBe(true);
  expect(isTooLate('never', Number.POSITIVE_INFINITY, now)).toBe(false);
});

it('what is permitted stays as it is, and what is no moment is left to the field', () => {
  expect([7, '7d', 'soon'].map((expiry) => shortened(expiry, month, now))).toEqual([7, '7d', 'soon']);
  expect([90, '90d'].map((expiry) => isTooLate(String(expiry), 30, now))).toEqual([false, true]);
});

it('an expiry of a key that exists is shortened to the millisecond that the server permits', () => {
  const rules = { ...noRules, maxLifetimeSeconds: 20 * 86_400 };
  const sent = (expiresAt: string | number, issuedAt: string) => {
    const bounds = expiryBounds(rules, issuedAt, now);
    return valuesOf(withinPolicy({ ...draftOf(), expiresAt }, rules, bounds, now), now).expiresAt;
  };
  for (const wanted of ['in 6 months', 'never', 90]) {
    expect(sent(wanted, '2029-12-31T23:59:58.877Z')).toBe('2030-01-20T23:59:58.877Z');
  }
  expect(sent('2030-01-10T00:00:00Z', '2029-12-31T23:59:58.877Z')).toBe('2030-01-10T00:00:00.000Z');
  // The policy permits only a moment in the past: the server names the rule.
  expect(sent('2030-03-01T00:00:00Z', '2029-11-01T00:00:00Z')).toBe('2030-03-01T00:00:00.000Z');
});
