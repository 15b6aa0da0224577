/** Hours of use as bars of a chart, in the reader's zone. */
import { expect, it } from 'vitest';
import { barsOf, spanOf, spanOfDays, successRate, totalsOf } from '../../src/dashboard/usage/usage-bars.ts';

const dayMs = 86_400_000;

it('a bar for each hour, the present one included, also where nothing was used', () => {
  const now = new Date('2026-05-05T10:35:00Z');
  const span = spanOf('48h', now);
  const bars = barsOf(
    [
      { hour: '2026-05-05T10:00:00.000Z', code: 'VALID', count: 2 },
      { hour: '2026-05-05T10:00:00.000Z', code: 'REVOKED', count: 1 },
      { hour: '2020-01-01T00:00:00.000Z', code: 'VALID', count: 9 },
    ],
    span,
  );
  expect(bars).toHaveLength(48);
  expect(bars.at(-1)).toMatchObject({ VALID: 2, REVOKED: 1 });
  expect(bars.slice(0, -1).every((bar) => Object.keys(bar).length === 1)).toBe(true);
});

it.each(['2026-03-29T12:00:00Z', '2026-10-25T12:00:00Z', '2026-11-01T18:00:00Z', '2026-07-01T00:00:00Z'])(
  'thirty days that end on %s are within the range of one call, in every time zone',
  (now) => {
    const span = spanOf('30d', new Date(now));
    expect(span.to.getTime() - span.from.getTime()).toBeLessThanOrEqual(31 * dayMs);
    expect(barsOf([], span)).toHaveLength(30);
  },
);

it('hours of a day add up, and sums come with the most frequent first', () => {
  const span = spanOf('7d', new Date('2026-05-05T10:35:00'));
  const at = (hour: number) => new Date(2026, 4, 5, hour).toISOString();
  const hours = [
    { hour: at(1), code: 'VALID', count: 2 },
    { hour: at(9), code: 'VALID', count: 3 },
    { hour: at(9), code: 'EXPIRED', count: 7 },
  ] as const;
  expect(barsOf(hours, span).at(-1)).toMatchObject({ VALID: 5, EXPIRED: 7 });
  expect(totalsOf(hours)).toEqual([
    { code: 'EXPIRED', count: 7 },
    { code: 'VALID', count: 5 },
  ]);
});

it('a chosen period has both of its days, and at most as many as one call takes', () => {
  expect(spanOfDays('2026-05-05', '2026-05-06')).toEqual({
    step: 'hour',
    from: new Date('2026-05-05T00:00:00'),
    to: new Date('2026-05-07T00:00:00'),
  });
  expect(spanOfDays('2026-05-01', '2026-05-30')).toMatchObject({ step: 'day' });
  expect(spanOfDays('2026-05-01', '2026-05-31')).toBe('A period has at most 30 days.');
  expect(spanOfDays('2026-05-02', '2026-05-01')).toBe('The last day must not be before the first.');
  expect(spanOfDays('', '2026-05-01')).toBe('Choose the first and the last day.');
});

it('the success rate is 100 % only if nothing was rejected', () => {
  const hour = '2026-05-05T10:00:00.000Z';
  const rate = (valid: number, rejected: number) =>
    successRate([
      { hour, code: 'VALID', count: valid },
      { hour, code: 'EXPIRED', count: rejected },
    ]);
  expect([rate(10, 0), rate(9_999_999, 1), rate(1, 2), rate(0, 0)]).toEqual(['100 %', '99.9 %', '33.3 %', 'none']);
});
