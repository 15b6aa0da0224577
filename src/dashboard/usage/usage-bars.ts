/** Converts hours of usage by verdict to the bars of a chart. */
import dayjs from 'dayjs';
import type { VerdictCode } from '../generated/graphql.ts';

export interface Hour {
  readonly hour: string;
  readonly code: VerdictCode;
  readonly count: number;
}

export type Step = 'hour' | 'day';

export interface Bar {
  readonly label: string;
  readonly [code: string]: string | number;
}

export interface Span {
  readonly step: Step;
  readonly from: Date;
  readonly to: Date;
}

export const ranges = ['24h', '48h', '7d', '30d'] as const;
export type Range = (typeof ranges)[number];

/** 30 days instead of 31: with a day of 25 hours, 31 days would exceed the server's maximum period. */
const lengths: Readonly<Record<Range, { readonly step: Step; readonly count: number }>> = {
  '24h': { step: 'hour', count: 24 },
  '48h': { step: 'hour', count: 48 },
  '7d': { step: 'day', count: 7 },
  '30d': { step: 'day', count: 30 },
};

/** Returns the period of the chart: whole hours or days in the user's time zone, up to and including now. */
export function spanOf(range: Range, now: Date): Span {
  const { step, count } = lengths[range];
  const current = dayjs(now).startOf(step);
  return { step, from: current.subtract(count - 1, step).toDate(), to: current.add(1, step).toDate() };
}

const maxDays = 30;
const maxHourlyDays = 2;

/** Returns the period from the first to the last day (`YYYY-MM-DD`, inclusive), or why it is invalid. */
export function spanOfDays(first: string, last: string): Span | string {
  const [from, to] = [dayjs(first), dayjs(last).add(1, 'day')];
  if (!from.isValid() || !to.isValid()) return 'Choose the first and the last day.';
  const days = to.diff(from, 'day');
  if (days < 1) return 'The last day must not be before the first.';
  if (days > maxDays) return `A period has at most ${maxDays} days.`;
  return { step: days <= maxHourlyDays ? 'hour' : 'day', from: from.toDate(), to: to.toDate() };
}

/** Returns a bar for each hour or day, including those without verifications. */
export function barsOf(hours: readonly Hour[], { step, from, to }: Span): Bar[] {
  const bars = new Map<number, Record<string, string | number>>();
  for (let at = dayjs(from); at.isBefore(to); at = at.add(1, step)) {
    bars.set(at.valueOf(), { label: labels[step].format(at.toDate()) });
  }
  for (const { hour, code, count } of hours) {
    const bar = bars.get(dayjs(hour).startOf(step).valueOf());
    if (bar !== undefined) bar[code] = Number(bar[code] ?? 0) + count;
  }
  return [...bars.values()] as Bar[];
}

export function totalsOf(hours: readonly Hour[]): Pick<Hour, 'code' | 'count'>[] {
  const totals = new Map<VerdictCode, number>();
  for (const { code, count } of hours) totals.set(code, (totals.get(code) ?? 0) + count);
  return [...totals].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count);
}

/** Returns the share of accepted verifications, such as `99.2 %`. */
export function successRate(hours: readonly Hour[]): string {
  const sum = (some: readonly Hour[]) => some.reduce((total, { count }) => total + count, 0);
  const [accepted, all] = [sum(hours.filter(({ code }) => code === 'VALID')), sum(hours)];
  if (all === 0) return 'none';
  // Rounded down, so that 100 % means that nothing was rejected.
  return `${Math.floor((accepted / all) * 1000) / 10} %`;
}

const labels: Readonly<Record<Step, Intl.DateTimeFormat>> = {
  hour: new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' }),
  day: new Intl.DateTimeFormat('en-GB', { month: 'short', day: 'numeric' }),
};

export function startOfHour(now: number): number {
  return dayjs(now).startOf('hour').valueOf();
}

/** The color of each verdict in charts, as the last part of a Mantine CSS variable. */
export const verdictColors: Readonly<Record<VerdictCode, string>> = {
  VALID: 'teal-6',
  REVOKED: 'gray-6',
  ROTATED: 'gray-8',
  DISABLED: 'red-9',
  EXPIRED: 'orange-6',
  WRONG_ENVIRONMENT: 'grape-6',
  SOURCE_NOT_ALLOWED: 'red-6',
  INSUFFICIENT_SCOPE: 'indigo-6',
  SIGNATURE_REQUIRED: 'yellow-6',
  SIGNATURE_INVALID: 'pink-6',
  SIGNATURE_EXPIRED: 'lime-6',
  SIGNATURE_REPLAYED: 'violet-6',
  RATE_LIMITED: 'cyan-6',
  MALFORMED: 'dark-3',
  NOT_FOUND: 'dark-3',
};
