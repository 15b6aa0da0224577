/** Hours of use as bars of a chart, in the reader's zone. */
import { afterEach, expect, it } from 'vitest';
import {
  barAt,
  barsOf,
  figuresOf,
  periodBefore,
  type Range,
  spanOf,
  spanOfDays,
  tickLabelOf,
  ticksOf,
  totalsOf,
  verdictName,
} from '../../src/dashboard/usage/usage-bars.ts';

const zone = process.env.TZ;

function setZone(name: string | undefined): void {
  if (name === undefined) delete process.env.TZ;
  else process.env.TZ = name;
}

afterEach(() => setZone(zone));

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
  expect(bars.slice(0, -1).every((bar) => Object.keys(bar).join() === 'at')).toBe(true);
});

it.each(['2026-03-29T12:00:00Z', '2026-10-25T12:00:00Z', '2026-11-01T18:00:00Z', '2026-07-01T00:00:00Z'])(
  'thirty days that end on %s have thirty bars, in every time zone',
  (now) => {
    const span = spanOf('30d', new Date(now));
    expect(barsOf([], span)).toHaveLength(30);
  },
);

it('an hour that occurs twice because clocks are set back has two bars, and the present one is the last', () => {
  setZone('Europe/Berlin');
  const span = spanOf('24h', new Date('2026-10-25T01:30:00Z'));
  expect(span.to).toEqual(new Date('2026-10-25T02:00:00Z'));
  const hours = ['2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z'].map((hour, i) => {
    return { hour, code: 'VALID', count: i + 1 } as const;
  });
  const bars = barsOf(hours, span);
  expect(bars).toHaveLength(24);
  expect(bars.slice(-2).map(({ VALID }) => VALID)).toEqual([1, 2]);
});

it('days after one that begins at 1:00 because clocks are set forward at midnight have their numbers', () => {
  setZone('America/Santiago');
  const hour = '2026-09-07T03:00:00.000Z';
  const span = spanOf('7d', new Date('2026-09-08T12:00:00Z'));
  expect(barsOf([{ hour, code: 'VALID', count: 1 }], span).map(({ VALID = 0 }) => VALID)).toEqual([
    0, 0, 0, 0, 0, 1, 0,
  ]);
  expect(spanOf('7d', new Date('2026-09-06T12:00:00Z'))).toMatchObject({
    from: new Date('2026-08-31T00:00:00'),
    to: new Date('2026-09-07T00:00:00'),
  });
  expect(spanOfDays('2026-09-06', '2026-09-06')).toMatchObject({ step: 'hour', to: new Date('2026-09-07T00:00:00') });
});

it('hours of the service are in the bar in which they begin, where zones differ by half an hour', () => {
  setZone('Asia/Kolkata');
  const hour = '2026-05-05T10:00:00.000Z';
  const span = spanOf('24h', new Date('2026-05-05T10:10:00Z'));
  expect(barsOf([{ hour, code: 'VALID', count: 1 }], span).at(-1)).toEqual({ at: Date.parse(hour), VALID: 1 });
  const day = spanOfDays('2026-05-05', '2026-05-05');
  if (typeof day === 'string') throw new Error(day);
  expect(barsOf([{ hour, code: 'VALID', count: 1 }], day)[15]).toMatchObject({ VALID: 1 });
});

it('a chosen bar of another time zone is the bar that contains it', () => {
  const week = spanOf('7d', new Date('2026-05-05T10:35:00'));
  expect(barAt(new Date(2026, 4, 3, 17, 12).getTime(), week)).toBe(new Date(2026, 4, 3).getTime());
  expect([barAt(Number.NaN, week), barAt(week.to.getTime(), week), barAt(0, week)]).toEqual([null, null, null]);
});

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

const hour = '2026-05-05T10:00:00.000Z';
const hoursOf = (valid: number, rejected: number) =>
  [
    { hour, code: 'VALID', count: valid },
    { hour, code: 'EXPIRED', count: rejected },
  ] as const;

it('the share of accepted calls is 100 % only if nothing was rejected', () => {
  const share = (valid: number, rejected: number) => figuresOf(hoursOf(valid, rejected), [])[1]?.value;
  expect([share(10, 0), share(9_999_999, 1), share(1, 2), share(0, 0)]).toEqual([
    '100\u00a0%',
    '99.9\u00a0%',
    '33.3\u00a0%',
    'none',
  ]);
});

it('figures are compared with those before, in words', () => {
  const changes = (now: readonly [number, number], before: readonly [number, number]) =>
    figuresOf(hoursOf(...now), hoursOf(...before)).map(({ change }) => change);
  expect(changes([90, 10], [40, 10])).toEqual(['100\u00a0% more', '10 points higher', 'no change']);
  expect(changes([30, 20], [90, 10])).toEqual(['50\u00a0% fewer', '30 points lower', '100\u00a0% more']);
  expect(changes([1000, 1], [1001, 1])).toEqual(['less than 1\u00a0% fewer', 'no change', 'no change']);
  expect(changes([1, 0], [0, 0])).toEqual(['none before', 'none before', 'no change']);
  expect(changes([0, 0], [1, 0])).toEqual(['100\u00a0% fewer', '', 'no change']);
});

it('the period before ends where the period begins, and is as long as the part of it that has begun', () => {
  const now = new Date('2026-05-05T10:35:00');
  const week = spanOf('7d', now);
  const before = periodBefore(week, now.getTime());
  expect(before).toEqual({ from: new Date('2026-04-22T13:00:00'), to: new Date('2026-04-29T00:00:00') });
  const past = spanOfDays('2026-04-01', '2026-04-02');
  if (typeof past === 'string') throw new Error(past);
  expect(periodBefore(past, now.getTime()).from).toEqual(new Date('2026-03-30T00:00:00'));
  const future = spanOfDays('2026-06-01', '2026-06-02');
  if (typeof future === 'string') throw new Error(future);
  expect(periodBefore(future, now.getTime())).toEqual({ from: future.from, to: future.from });
});

it('labels are at even distances, the last day included, and hours at midnight, noon and between', () => {
  const now = new Date('2026-05-05T10:35:00');
  const labels = (range: Range) => {
    const span = spanOf(range, now);
    return ticksOf(barsOf([], span), span.step).map((at) => tickLabelOf(at, span.step));
  };
  expect(labels('24h')).toEqual(['12:00', '18:00', '5 May', '06:00']);
  expect(labels('48h')).toEqual(['12:00', '4 May', '12:00', '5 May']);
  expect(labels('7d')).toEqual(['29 Apr', '1 May', '3 May', '5 May']);
  expect(labels('30d')).toEqual(['7 Apr', '14 Apr', '21 Apr', '28 Apr', '5 May']);
});

it('a verdict in words begins with a capital letter', () => {
  expect([verdictName('VALID'), verdictName('SOURCE_NOT_ALLOWED')]).toEqual(['Accepted', 'Source not allowed']);
});
