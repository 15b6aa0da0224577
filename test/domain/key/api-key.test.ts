import { expect, test } from 'vitest';
import { stateOf } from '../../../src/domain/key/api-key.ts';

const now = new Date('2026-01-01T00:00:00.000Z');
const before = new Date('2025-12-31T23:59:59.999Z');
const after = new Date('2026-01-01T00:00:00.001Z');

test('a key without expiry is active', () => {
  expect(stateOf({ expiresAt: null, revokedAt: null, disabledAt: null }, now)).toBe('ACTIVE');
});

test('a key is active up to its expiry and expired from that very millisecond on', () => {
  expect(stateOf({ expiresAt: after, revokedAt: null, disabledAt: null }, now)).toBe('ACTIVE');
  expect(stateOf({ expiresAt: now, revokedAt: null, disabledAt: null }, now)).toBe('EXPIRED');
  expect(stateOf({ expiresAt: before, revokedAt: null, disabledAt: null }, now)).toBe('EXPIRED');
});

test('revoked wins over everything: a revoked key that also expired is revoked', () => {
  expect(stateOf({ expiresAt: null, revokedAt: before, disabledAt: null }, now)).toBe('REVOKED');
  expect(stateOf({ expiresAt: after, revokedAt: before, disabledAt: null }, now)).toBe('REVOKED');
  expect(stateOf({ expiresAt: before, revokedAt: before, disabledAt: null }, now)).toBe('REVOKED');
});

test('a revocation counts at any time, because the clocks of two instances may differ', () => {
  expect(stateOf({ expiresAt: null, revokedAt: after, disabledAt: null }, now)).toBe('REVOKED');
});
