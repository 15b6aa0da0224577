import { expect, it } from 'vitest';
import { resultOf } from '../../src/events/delivery/attempt-result.ts';
import type { Attempt } from '../../src/events/sender/attempt.ts';

const attempt: Attempt = {
  ok: true,
  status: 200,
  durationMs: 12,
  responseBody: 'x'.repeat(1024),
  error: null,
  retryAfterMs: null,
  isGone: false,
  cpuMs: 0,
};

it('of an accepted event, only the first 128 characters of the answer are kept', () => {
  expect(resultOf(attempt, new Date()).responseBody).toHaveLength(128);
  expect(resultOf({ ...attempt, ok: false, status: 500 }, new Date()).responseBody).toHaveLength(1024);
});

it('the answer is not cut within a character', () => {
  const responseBody = `${'x'.repeat(127)}😀`;
  expect(resultOf({ ...attempt, responseBody }, new Date()).responseBody).toBe('x'.repeat(127));
});
