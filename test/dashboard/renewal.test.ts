/** What *Renew* makes of an expiry. */
import { expect, it } from 'vitest';
import { type Renewable, renewalOf } from '../../src/dashboard/key-form/renewal.ts';
import { noRules } from '../../src/domain/policy/key-policy.ts';

const key: Renewable = {
  expiresAt: '2030-01-08T00:00:00Z',
  state: 'ACTIVE',
  createdAt: '2030-01-01T00:00:00Z',
  rotatedAt: null,
};
const now = Date.parse('2030-01-05T00:00:00Z');
const atMost = (days: number) => ({ ...noRules, maxLifetimeSeconds: days * 86_400 });

it('renews by 90 days, and from now on if the key has expired', () => {
  expect(renewalOf(key, undefined, now)).toEqual({ at: new Date('2030-04-08T00:00:00Z'), isShortened: false });
  const expired = renewalOf({ ...key, state: 'EXPIRED' }, noRules, Date.parse('2030-02-01T00:00:00Z'));
  expect(expired?.at).toEqual(new Date('2030-05-02T00:00:00Z'));
  expect(renewalOf({ ...key, expiresAt: null }, undefined, 0)).toBeNull();
  expect(renewalOf({ ...key, state: 'REVOKED' }, undefined, 0)).toBeNull();
});

it('a renewal is shortened to what the policy permits of the current secret', () => {
  expect(renewalOf(key, atMost(20), now)).toEqual({ at: new Date('2030-01-21T00:00:00Z'), isShortened: true });
  const rotated = { ...key, rotatedAt: '2030-01-04T00:00:00Z' };
  expect(renewalOf(rotated, atMost(20), now)?.at).toEqual(new Date('2030-01-24T00:00:00Z'));
  expect(renewalOf(key, atMost(200), now)?.isShortened).toBe(false);
});

it('a key that may not expire later is not renewed: neither kept nor shortened', () => {
  expect(renewalOf(key, atMost(7), now)).toBeNull();
  expect(renewalOf(key, atMost(5), now)).toBeNull();
  expect(renewalOf({ ...key, state: 'EXPIRED' }, atMost(20), Date.parse('2030-02-01T00:00:00Z'))).toBeNull();
});
