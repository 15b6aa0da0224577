import { expect, it } from 'vitest';
import { type Circumstances, type JudgedKey, verdict } from '../../src/domain/verdict.ts';

const now = Date.parse('2026-06-01T12:00:00Z');
const key: JudgedKey = { env: 'live', expiresAt: null, revoked: false };
const good: Circumstances = { now, env: 'live', sourceAllowed: () => true, signature: () => 'valid' };

it('a key that passes all checks is valid, in its environment or if none is given', () => {
  expect(verdict(key, good)).toBe('VALID');
  expect(verdict(key, { ...good, env: undefined })).toBe('VALID');
});

it('of several reasons the first of the documented order is returned, and nothing behind it is even looked at', () => {
  const asked: string[] = [];
  const bad: Circumstances = {
    now,
    env: 'test',
    sourceAllowed: () => {
      asked.push('source');
      return false;
    },
    signature: () => {
      asked.push('signature');
      return 'SIGNATURE_REQUIRED';
    },
  };
  expect(verdict({ env: 'live', expiresAt: now - 1, revoked: true }, bad)).toBe('REVOKED');
  expect(verdict({ env: 'live', expiresAt: now - 1, revoked: false }, bad)).toBe('EXPIRED');
  expect(verdict(key, bad)).toBe('WRONG_ENVIRONMENT');
  expect(asked).toEqual([]);
  expect(verdict(key, { ...bad, env: 'live' })).toBe('SOURCE_NOT_ALLOWED');
  expect(asked).toEqual(['source']);
  expect(verdict(key, { ...bad, env: 'live', sourceAllowed: () => true })).toBe('SIGNATURE_REQUIRED');
});

it('a key stops working at the very millisecond of its expiry', () => {
  expect(verdict({ ...key, expiresAt: now + 1 }, good)).toBe('VALID');
  expect(verdict({ ...key, expiresAt: now }, good)).toBe('EXPIRED');
});

it.each(['SIGNATURE_REQUIRED', 'SIGNATURE_INVALID', 'SIGNATURE_EXPIRED'] as const)(
  '%s is returned as it is',
  (outcome) => {
    expect(verdict(key, { ...good, signature: () => outcome })).toBe(outcome);
  },
);
