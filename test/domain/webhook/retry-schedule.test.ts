import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxAttempts, nextAttempt, parseRetryAfter } from '../../../src/domain/webhook/retry-schedule.ts';

const now = new Date('2026-01-02T03:04:05Z');
const middle = () => 0.5;
const hourMs = 3_600_000;

const delayMs = (attempts: number, retryAfterMs: number | null = null, random = middle) => {
  const next = nextAttempt({ attempts, now, retryAfterMs, random });
  return next === null ? null : next.getTime() - now.getTime();
};

describe('attempts', () => {
  it('follow the previous one after 0 s, 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, and end', () => {
    const delays = Array.from({ length: 12 }, (_, attempts) => delayMs(attempts));
    const hours = [2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs);
    expect(delays).toEqual([0, 5000, 300_000, 1_800_000, ...hours, null, null]);
    expect(maxAttempts).toBe(10);
  });

  it('vary by at most a tenth, and the first one does not', () => {
    expect([0, 0.5, 1].map((random) => delayMs(1, null, () => random))).toEqual([4500, 5000, 5500]);
    expect(delayMs(0, null, () => 1)).toBe(0);
  });

  it('are never earlier than the receiver asked for, nor than the schedule', () => {
    const retryAfter = fc.option(fc.nat(24 * hourMs));
    const fraction = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.nat(maxAttempts - 1), retryAfter, fraction, (attempts, retryAfterMs, random) => {
        const delay = delayMs(attempts, retryAfterMs, () => random) ?? 0;
        expect(delay).toBeGreaterThanOrEqual(retryAfterMs ?? 0);
        expect(delay).toBeGreaterThanOrEqual(Math.floor((delayMs(attempts) ?? 0) * 0.9));
      }),
    );
    expect(delayMs(maxAttempts, 1000)).toBeNull();
  });
});

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    ['86400', 24 * hourMs],
    ['86401', 24 * hourMs],
    ['9'.repeat(400), 24 * hourMs],
    ['Fri, 02 Jan 2026 03:04:35 GMT', 30_000],
    ['Friday, 02-Jan-26 03:04:35 GMT', 30_000],
    ['Fri Jan  2 03:04:35 2026', 30_000],
    ['Sat, 02 Jan 2027 03:04:05 GMT', 24 * hourMs],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
  ])('%s is %d ms', (text, ms) => {
    expect(parseRetryAfter(text, now)).toBe(ms);
  });

  it.each(['', ' ', '-1', '1.5', '1e3', '0x10', '٣', 'soon', '2026-01-02T03:04:35Z', 'Fri, 99 Foo 2026 03:04:35 GMT'])(
    '%j is ignored',
    (text) => {
      expect(parseRetryAfter(text, now)).toBeNull();
    },
  );
});
