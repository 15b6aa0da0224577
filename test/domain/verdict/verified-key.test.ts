import { describe, expect, it } from 'vitest';
import { sessionTokenHint } from '../../../src/domain/secret/other-credentials.ts';
import { outcomeWithoutKey } from '../../../src/domain/verdict/verification-call.ts';
import {
  isPartialKey,
  isVerifiedKey,
  type VerifiedKey,
  verifiedFields,
} from '../../../src/domain/verdict/verified-key.ts';
import type { JsonObject } from '../../../src/lib/json-object.ts';

const key: VerifiedKey = {
  keyId: 'key-1',
  teamId: 'team-1',
  name: 'deploy',
  env: 'live',
  prefix: 'lk_live_4fJx81Qz',
  expiresAt: '2027-01-01T00:00:00Z',
  secret: 'current',
  scopes: ['orders:read'],
  externalId: 'shop-7',
  metadata: { plan: 'pro' },
};
const read = (changed: object): JsonObject => ({ ...JSON.parse(JSON.stringify(key)), ...changed });

describe('the key of a verdict from another process', () => {
  it.each([
    {},
    { env: 'test' },
    { secret: 'previous' },
    { scopes: [] },
    { expiresAt: null, externalId: null, metadata: null },
  ])('is accepted with %j', (changed) => {
    expect(isVerifiedKey(read(changed))).toBe(true);
    expect(isPartialKey(read(changed))).toBe(true);
  });

  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
  it.each([
    ...Object.keys(key).flatMap((field) => [{ [field]: 7 }, { [field]: undefined }]),
    { env: 'prod' },
    { secret: 'next' },
    { expiresAt: 'soon' },
    { expiresAt: Date.parse('2027-01-01') },
    { scopes: [7] },
    { scopes: null },
    { metadata: [] },
    { metadata: nested(1000) },
  ])('is rejected with %j', (changed) => {
    expect(isVerifiedKey(read(changed))).toBe(false);
    expect(isPartialKey(read(changed))).toBe(false);
  });

  it.each(['keyId', 'teamId', 'name', 'env', 'prefix', 'secret'])(
    'may lack its %s only when the key is unknown',
    (field) => {
      expect(isVerifiedKey(read({ [field]: null }))).toBe(false);
      expect(isPartialKey(read({ [field]: null }))).toBe(true);
    },
  );

  it('is passed on without any other field', () => {
    expect(verifiedFields({ ...key, digest: 'must not be shown' })).toEqual(key);
  });
});

it('a malformed text that looks like a session token is reported as one, and no other', () => {
  const token = `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(40)}.${'c'.repeat(43)}`;
  const outcome = { code: 'MALFORMED', key: null, rateLimit: null };
  expect(outcomeWithoutKey('MALFORMED', token)).toEqual({ ...outcome, hint: sessionTokenHint });
  expect(outcomeWithoutKey('MALFORMED', 'two words')).toEqual(outcome);
  expect(outcomeWithoutKey('MALFORMED', 'eyJ two words')).toEqual(outcome);
  expect(outcomeWithoutKey('NOT_FOUND', token)).toEqual({ ...outcome, code: 'NOT_FOUND' });
});
