/** Hours of use as bars of a chart, in the reader's zone. */
import { expect, it } from 'vitest';
import { barsOf, spanOf, totalsOf } from '../../src/dashboard/usage/usage-bars.ts';

const dayMs = 86_400_000;

it('a bar for each hour, the present one included, also where nothing was used', () => {
  const now = new Date('2026-05-05T10:35:00Z');
  const span = spanOf('hour', now);
  const bars = barsOf(
    [
      { hour: '2026-05-05T10:00:00.000Z', code: 'VALID', count: 2 },
      { hour: '2026-05-05T10:00:00.000Z', code: 'REVOKED', count: 1 },
      { hour: '2020-01-01T00:00:00.000Z', code: 'VALID', count: 9 },
    ],
    'hour',
    span,
  );
  expect(bars).toHaveLength(48);
  expect(bars.at(-1)).toMatchObject({ VALID: 2, REVOKED: 1 });
  expect(bars.slice(0, -1).every((bar) => Object.keys(bar).length === 1)).toBe(true);
});

it.each(['2026-03-29T12:00:00Z', '2026-10-25T12:00:00Z', '2026-11-01T18:00:00Z', '2026-07-01T00:00:00Z'])(
  'thirty days that end on %s are within the range of one call, in every time zone',
  (now) => {
    const { from, to } = spanOf('day', new Date(now));
    expect(to.getTime() - from.getTime()).toBeLessThanOrEqual(31 * dayMs);
    expect(barsOf([], 'day', { from, to })).toHaveLength(30);
  },
);

it('hours of a day add up, and sums come with the most frequent first', () => {
  const span = spanOf('day', new Date('2026-05-05T10:35:00'));
  const at = (hour: number) => new Date(2026, 4, 5, hour).toISOString();
  const hours = [
    { hour: at(1), code: 'VALID', count: 2 },
    { hour: at(9), code: 'VALID', count: 3 },
    { hour: at(9), code: 'EXPIRED', count: 7 },
  ] as const;
  expect(barsOf(hours, 'day', span).at(-1)).toMatchObject({ VALID: 5, EXPIRED: 7 });
  expect(totalsOf(hours)).toEqual([
    ['EXPIRED', 7],
    ['VALID', 5],
  ]);
});
