/** Converts hours of usage by verdict to the bars of a chart, and to figures that compare periods. */
import dayjs from 'dayjs';
import { dayMs } from '../../domain/moment.ts';
import { formatNumber } from '../components/format.ts';
import type { TeamUsageQuery, VerdictCode } from '../generated/graphql.ts';

export type Hour = TeamUsageQuery['teamUsage'][number];

export type Step = 'hour' | 'day';

export interface Bar {
  /** The start of the hour or day, in milliseconds since the epoch. */
  readonly at: number;
  readonly [code: string]: number;
}

export interface Period {
  readonly from: Date;
  readonly to: Date;
}

export interface Span extends Period {
  readonly step: Step;
}

export const ranges = ['24h', '48h', '7d', '30d'] as const;
export type Range = (typeof ranges)[number];

const lengths: Readonly<Record<Range, { readonly step: Step; readonly count: number }>> = {
  '24h': { step: 'hour', count: 24 },
  '48h': { step: 'hour', count: 48 },
  '7d': { step: 'day', count: 7 },
  '30d': { step: 'day', count: 30 },
};

const hourMs = 3_600_000;

/** Returns the start of an hour in UTC, as the service counts. Where local clocks are set back, an hour occurs twice. */
export function startOfHour(at: number): number {
  return at - (at % hourMs);
}

/** Returns the start of the bar that is `count` bars after another. Where clocks are set at midnight, a day begins at 1. */
function startAfter(at: number, step: Step, count: number): number {
  return step === 'hour' ? at + count * hourMs : dayjs(at).add(count, 'day').startOf('day').valueOf();
}

function startsOf({ step, from, to }: Span): number[] {
  const starts = [];
  for (let at = from.getTime(); at < to.getTime(); at = startAfter(at, step, 1)) starts.push(at);
  return starts;
}

/** Returns the start of the bar that contains a time. */
export function barAt(at: number, span: Span): number | null {
  return at < span.to.getTime() ? (startsOf(span).findLast((start) => start <= at) ?? null) : null;
}

/** Returns the period of the chart: whole hours, or days in the user's time zone, up to and including now. */
export function spanOf(range: Range, now: Date): Span {
  const { step, count } = lengths[range];
  const current = step === 'hour' ? startOfHour(now.getTime()) : startAfter(now.getTime(), step, 0);
  const [from, to] = [startAfter(current, step, 1 - count), startAfter(current, step, 1)];
  return { step, from: new Date(from), to: new Date(to) };
}

const maxDays = 30;
const maxHourlyDays = 2;

/** Returns the period from the first to the last day (`YYYY-MM-DD`, inclusive), or why it is invalid. */
export function spanOfDays(first: string, last: string): Span | string {
  const days = (Date.parse(last) - Date.parse(first)) / dayMs + 1;
  if (Number.isNaN(days)) return 'Choose the first and the last day.';
  if (days < 1) return 'The last day must not be before the first.';
  if (days > maxDays) return `A period has at most ${maxDays} days.`;
  const from = dayjs(first);
  const to = new Date(startAfter(from.valueOf(), 'day', days));
  return { step: days <= maxHourlyDays ? 'hour' : 'day', from: from.toDate(), to };
}

/** Returns the period before a span, as long as the part of the span that has begun. */
export function periodBefore({ from, to }: Span, now: number): Period {
  const end = Math.min(to.getTime(), startOfHour(now) + hourMs);
  const length = Math.max(0, end - from.getTime());
  return { from: new Date(from.getTime() - length), to: from };
}

/** Returns the hour or day of a bar. */
export function periodOfBar(at: number, step: Step): Period {
  return { from: new Date(at), to: new Date(startAfter(at, step, 1)) };
}

/** Returns a bar for each hour or day, including those without verifications. */
export function barsOf(hours: readonly Hour[], span: Span): Bar[] {
  const bars = startsOf(span).map((at): Record<string, number> & { readonly at: number } => ({ at }));
  for (const { hour, code, count } of hours) {
    const at = Date.parse(hour);
    const bar = at < span.to.getTime() ? bars.findLast((bar) => bar.at <= at) : undefined;
    if (bar !== undefined) bar[code] = (bar[code] ?? 0) + count;
  }
  return bars;
}

/** As many as a phone has room for, if their bars are a week apart. */
const maxTicks = 5;

/** Returns the starts of evenly spaced bars, which get a label: midnight, noon and the like if the bars are hours. */
export function ticksOf(bars: readonly Bar[], step: Step): number[] {
  const every = [1, 2, 3, 6, 7, 12].find((count) => bars.length / count < maxTicks) ?? 12;
  const first =
    step === 'hour' ? bars.findIndex(({ at }) => dayjs(at).hour() % every === 0) : (bars.length - 1) % every;
  return bars.filter((_, i) => i >= first && (i - first) % every === 0).map(({ at }) => at);
}

export function totalsOf(hours: readonly Hour[]): Pick<Hour, 'code' | 'count'>[] {
  const totals = new Map<VerdictCode, number>();
  for (const { code, count } of hours) totals.set(code, (totals.get(code) ?? 0) + count);
  return [...totals].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count);
}

function sumsOf(hours: readonly Hour[]) {
  const sum = (some: readonly Hour[]) => some.reduce((total, { count }) => total + count, 0);
  const [accepted, all] = [sum(hours.filter(({ code }) => code === 'VALID')), sum(hours)];
  return { all, accepted, rejected: all - accepted, rate: all === 0 ? null : accepted / all };
}

/** Returns a share, such as `99.2 %`, on one line. Rounded down, so that 100 % means all. */
export function percent(part: number, all: number): string {
  return all === 0 ? 'none' : `${Math.floor((part / all) * 1000) / 10}\u00a0%`;
}

/** Returns how a number differs from the one before in words, such as `12 % more`. */
export function changeOf(now: number, before: number): string {
  if (now === before) return 'no change';
  if (before === 0) return 'none before';
  const change = Math.abs(now / before - 1) * 100;
  return `${change < 1 ? 'less than 1' : formatNumber(Math.round(change))}\u00a0% ${now > before ? 'more' : 'fewer'}`;
}

interface Figure {
  readonly name: string;
  readonly value: string;
  /** The difference to the period before. */
  readonly change: string;
}

export function figuresOf(hours: readonly Hour[], before: readonly Hour[]): Figure[] {
  const [now, then] = [sumsOf(hours), sumsOf(before)];
  const points = Math.round(((now.rate ?? 0) - (then.rate ?? 0)) * 1000) / 10;
  const rateChange = points === 0 ? 'no change' : `${Math.abs(points)} points ${points > 0 ? 'higher' : 'lower'}`;
  return [
    { name: 'Calls', value: formatNumber(now.all), change: changeOf(now.all, then.all) },
    {
      name: 'Accepted',
      value: percent(now.accepted, now.all),
      change: then.rate === null ? 'none before' : now.rate === null ? '' : rateChange,
    },
    { name: 'Rejected', value: formatNumber(now.rejected), change: changeOf(now.rejected, then.rejected) },
  ];
}

const labels: Readonly<Record<Step, Intl.DateTimeFormat>> = {
  hour: new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' }),
  day: new Intl.DateTimeFormat('en-GB', { month: 'short', day: 'numeric' }),
};

/** Returns the label of a bar on the axis: for an hour, its time, or the day that begins with it. */
export function tickLabelOf(at: number, step: Step): string {
  return step === 'hour' && dayjs(at).hour() > 0 ? dayjs(at).format('HH:mm') : labels.day.format(at);
}

export function labelOf(at: number, step: Step): string {
  return labels[step].format(at);
}

/** Returns a verdict in words, such as `Source not allowed`. */
export function verdictName(code: VerdictCode): string {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return code === 'VALID' ? 'Accepted' : `${words[0]?.toUpperCase()}${words.slice(1)}`;
}

/** The color of each verdict in charts, as the last part of a Mantine CSS variable. */
export const verdictColors: Readonly<Record<VerdictCode, string>> = {
  VALID: 'teal-6',
  REVOKED: 'gray-6',
  FROZEN: 'blue-6',
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
