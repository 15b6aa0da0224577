import { expect, it } from 'vitest';
import { notFrozen } from '../../../src/domain/fence/fence.ts';
import { type Circumstances, type JudgedKey, verdict } from '../../../src/domain/verdict/checks.ts';

const now = Date.parse('2026-06-01T12:00:00Z');
const key: JudgedKey = {
  env: 'live',
  expiresAt: null,
  revoked: false,
  disabled: false,
  frozenUntil: notFrozen,
  secretExpiresAt: null,
};
const good: Circumstances = {
  now,
  env: 'live',
  sourceAllowed: () => true,
  scopesGranted: () => true,
  signature: () => 'valid',
};

it('a key that passes all checks is valid, in its environment or if none is given', () => {
  expect(verdict(key, good)).toBe('VALID');
  expect(verdict(key, { ...good, env: undefined })).toBe('VALID');
});

it('of several reasons the first of the documented order is returned, and nothing behind it is even looked at', () => {
  const asked: string[] = [];
  const ask =
    <T>(name: string, answer: T) =>
    () => {
      asked.push(name);
      return answer;
    };
  const bad: Circumstances = {
    now,
    env: 'test',
    sourceAllowed: ask('source', false),
    scopesGranted: ask('scopes', false),
    signature: ask('signature', 'SIGNATURE_REQUIRED'),
  };
  const worst: JudgedKey = {
    ...{ env: 'live', expiresAt: now - 1, revoked: true, disabled: true },
    ...{ frozenUntil: now, secretExpiresAt: now - 1 },
  };
  expect(verdict(worst, bad)).toBe('REVOKED');
  expect(verdict({ ...worst, revoked: false }, bad)).toBe('FROZEN');
  const thawed = { ...worst, revoked: false, frozenUntil: now - 1 };
  expect(verdict(thawed, bad)).toBe('ROTATED');
  expect(verdict({ ...thawed, secretExpiresAt: now }, bad)).toBe('DISABLED');
  expect(verdict({ ...key, expiresAt: now - 1 }, bad)).toBe('EXPIRED');
  expect(verdict(key, bad)).toBe('WRONG_ENVIRONMENT');
  expect(asked).toEqual([]);
  expect(verdict(key, { ...bad, env: 'live' })).toBe('SOURCE_NOT_ALLOWED');
  expect(asked).toEqual(['source']);
  expect(verdict(key, { ...bad, env: 'live', sourceAllowed: () => true })).toBe('INSUFFICIENT_SCOPE');
  expect(verdict(key, { ...bad, env: 'live', sourceAllowed: () => true, scopesGranted: () => true })).toBe(
    'SIGNATURE_REQUIRED',
  );
});

it('a key stops working after its expiry, and not at it', () => {
  expect(verdict({ ...key, expiresAt: now }, good)).toBe('VALID');
  expect(verdict({ ...key, expiresAt: now - 1 }, good)).toBe('EXPIRED');
});

it.each(['SIGNATURE_REQUIRED', 'SIGNATURE_INVALID', 'SIGNATURE_EXPIRED'] as const)(
  '%s is returned as it is',
  (outcome) => {
    expect(verdict(key, { ...good, signature: () => outcome })).toBe(outcome);
  },
);

it('a previous secret stops working after the end of the overlap, and an older one never works', () => {
  expect(verdict({ ...key, secretExpiresAt: now }, good)).toBe('VALID');
  expect(verdict({ ...key, secretExpiresAt: now - 1 }, good)).toBe('ROTATED');
  expect(verdict({ ...key, secretExpiresAt: Number.NEGATIVE_INFINITY }, good)).toBe('ROTATED');
});
