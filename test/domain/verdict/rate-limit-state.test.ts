import { expect, test } from 'vitest';
import { parseRateLimitFields, rateLimitFields } from '../../../src/domain/verdict/rate-limit-state.ts';

const state = { limit: 1_000_000, windowSeconds: 86_400, remaining: 12, resetSeconds: 59 };
const fields = { policy: '"default";q=1000000;w=86400', rateLimit: '"default";r=12;t=59' };

test('the header fields of a rate limit are those of the draft, and are read back', () => {
  expect(rateLimitFields(state)).toEqual(fields);
  expect(parseRateLimitFields(fields)).toEqual(state);
});

test('further parameters of the draft, or of later versions, change nothing', () => {
  const extended = {
    policy: '"default";qu="requests";q=1000000;w=86400;pk=:AAA=:',
    rateLimit: `${fields.rateLimit};pk=:AAA=:`,
  };
  expect(parseRateLimitFields(extended)).toEqual(state);
});

test.each([
  { policy: undefined },
  { policy: `${fields.policy}, ${fields.policy}` },
  { rateLimit: undefined },
  { policy: `x${fields.policy}` },
  { policy: `${fields.policy}x` },
  { rateLimit: `x${fields.rateLimit}` },
  { rateLimit: `${fields.rateLimit}x` },
  { policy: '"default";q=;w=60' },
  { policy: '"default";q=5;w=12345678901' },
  { rateLimit: '"default";r=-1;t=5' },
  { rateLimit: '"default";r=0;t=' },
])('fields of another form are none: %j', (changed) => {
  expect(parseRateLimitFields({ ...fields, ...changed })).toBeNull();
});
