import { expect, test } from 'vitest';
import { areAllUnrevokedOrNone, type KeyState, stateOf } from '../../../src/domain/key/api-key.ts';

const now = new Date('2026-01-01T00:00:00.000Z');
const before = new Date('2025-12-31T23:59:59.999Z');
const after = new Date('2026-01-01T00:00:00.001Z');
const [none, revokedAt, disabledAt] = [{ revokedAt: null, disabledAt: null }, before, before];

test.each<[KeyState, string, Parameters<typeof stateOf>[0]]>([
  ['ACTIVE', 'never expires', { ...none, expiresAt: null }],
  ['ACTIVE', 'expires after this millisecond', { ...none, expiresAt: now }],
  ['EXPIRED', 'expired after the millisecond before', { ...none, expiresAt: before }],
  ['DISABLED', 'is disabled, although it has also expired', { ...none, disabledAt, expiresAt: before }],
  ['REVOKED', 'is revoked, although it is also disabled and expired', { revokedAt, disabledAt, expiresAt: before }],
  // The clocks of two instances may differ.
  ['REVOKED', 'is revoked at a later time', { ...none, revokedAt: after, expiresAt: null }],
])('%s is the state of a key that %s', (state, _, key) => {
  expect(stateOf(key, now)).toBe(state);
});

test('a filter by state compares other keys than revoked ones only if it selects some of them', () => {
  const unrevoked: KeyState[] = ['ACTIVE', 'EXPIRED', 'DISABLED'];
  for (const states of [[], ['REVOKED'], unrevoked, [...unrevoked, 'REVOKED']] as KeyState[][])
    expect(areAllUnrevokedOrNone(states)).toBe(true);
  for (const states of [['ACTIVE'], ['ACTIVE', 'REVOKED'], ['EXPIRED', 'DISABLED', 'EXPIRED']] as KeyState[][])
    expect(areAllUnrevokedOrNone(states)).toBe(false);
});
