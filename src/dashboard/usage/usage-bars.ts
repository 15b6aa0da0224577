/** Converts hours of usage by verdict to the bars of a chart. */
import type { VerdictCode } from '../generated/graphql.ts';

export interface Hour {
  readonly hour: string;
  readonly code: VerdictCode;
  readonly count: number;
}

export type Step = 'hour' | 'day';

export interface Bar {
  /** The label of the bar, in the user's time zone. */
  readonly label: string;
  readonly [code: string]: string | number;
}

const shownOf: Readonly<Record<Step, number>> = { hour: 48, day: 31 };

/** Returns the period of the chart: whole hours or days in the user's time zone, including the current one. */
export function spanOf(step: Step, now: Date): { readonly from: Date; readonly to: Date } {
  const from = startOf(step, now);
  const to = new Date(from);
  if (step === 'hour') {
    from.setHours(from.getHours() - shownOf.hour + 1);
    to.setHours(to.getHours() + 1);
  } else {
    // One less than 31, because a day of 25 hours would exceed the maximum period of the server.
    from.setDate(from.getDate() - shownOf.day + 2);
    to.setDate(to.getDate() + 1);
  }
  return { from, to };
}

/** Returns a bar for each hour or day, also for those without verifications. */
export function barsOf(hours: readonly Hour[], step: Step, { from, to }: ReturnType<typeof spanOf>): Bar[] {
  const bars = new Map<number, Record<string, string | number>>();
  for (const at = new Date(from); at < to; ) {
    bars.set(at.getTime(), { label: labels[step].format(at) });
    if (step === 'hour') at.setHours(at.getHours() + 1);
    else at.setDate(at.getDate() + 1);
  }
  for (const { hour, code, count } of hours) {
    const bar = bars.get(startOf(step, new Date(hour)).getTime());
    if (bar !== undefined) bar[code] = Number(bar[code] ?? 0) + count;
  }
  return [...bars.values()] as Bar[];
}

/** Returns the sums, most frequent verdict first. */
export function totalsOf(hours: readonly Hour[]): [VerdictCode, number][] {
  const totals = new Map<VerdictCode, number>();
  for (const { code, count } of hours) totals.set(code, (totals.get(code) ?? 0) + count);
  return [...totals].sort(([, a], [, b]) => b - a);
}

const labels: Readonly<Record<Step, Intl.DateTimeFormat>> = {
  hour: new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' }),
  day: new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' }),
};

function startOf(step: Step, at: Date): Date {
  const start = new Date(at);
  if (step === 'hour') start.setMinutes(0, 0, 0);
  else start.setHours(0, 0, 0, 0);
  return start;
}
