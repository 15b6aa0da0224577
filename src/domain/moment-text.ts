/** Moments as people write them: on the command line, in files of keys and in the dashboard. Runs in a browser too. */
import { readDuration } from '../lib/duration.ts';
import { accepted, type Parsed, rejected } from '../lib/parsed.ts';
import { readSetting } from './key/setting-text.ts';
import { dayMs } from './moment.ts';

/** Whether a time such as 30d or 6 months is counted forward or backward. */
export type Direction = 'from now' | 'ago';

/**
 * Reads a date-time with an offset, a date (its start in UTC) or a time. Returns a date-time with an offset.
 *
 * @param orElse what else the caller accepts, for the error
 */
export function readMoment(text: string, now: Date, direction: Direction, orElse = ''): Parsed<string> {
  const trimmed = text.trim();
  if (/^\d+[a-z]$/.test(trimmed)) return momentAt(trimmed, now, direction);
  const [, count, unit] = words[direction].exec(trimmed.toLowerCase()) ?? [];
  if (count !== undefined && isUnit(unit)) return momentIn(Number.parseInt(count, 10) || 1, unit, now, direction);
  if (/^\d{4}-\d\d-\d\d$/.test(trimmed)) return startOf(trimmed);
  const moment = readSetting('expiresAt', trimmed);
  if (moment.ok) return accepted(String(moment.value));
  return rejected(`${moment.problem}, or a date, or a time ${direction} such as 30d or 6 months${orElse}`);
}

/** Reads the expiry of a key. Returns a date-time with an offset, and null for `never`. */
export function readExpiry(text: string, now: Date): Parsed<string | null> {
  return text.trim() === 'never' ? accepted(null) : readMoment(text, now, 'from now', ', or never');
}

function startOf(date: string): Parsed<string> {
  const moment = `${date}T00:00:00.000Z`;
  // JavaScript takes February 30 for March 2.
  const isDate = !Number.isNaN(Date.parse(moment)) && new Date(moment).toISOString() === moment;
  return isDate ? accepted(moment) : rejected('is not a date of the calendar');
}

function momentAt(text: string, now: Date, direction: Direction): Parsed<string> {
  const seconds = readDuration(text);
  if (!seconds.ok) return rejected(`is not a time: ${seconds.problem}`);
  return checked(new Date(now.getTime() + signs[direction] * seconds.value * 1000));
}

const words: Readonly<Record<Direction, RegExp>> = {
  'from now': /^(?:in )?(an?|[1-9]\d{0,3}) ([a-z]+?)s?$/,
  ago: /^(an?|[1-9]\d{0,3}) ([a-z]+?)s?(?: ago)?$/,
};
const signs: Readonly<Record<Direction, 1 | -1>> = { 'from now': 1, ago: -1 };
const unitMonths = { month: 1, year: 12 } as const;
const unitMs = { minute: 60_000, hour: 3_600_000, day: dayMs, week: 7 * dayMs } as const;
type Unit = keyof typeof unitMonths | keyof typeof unitMs;

function isUnit(unit: string | undefined): unit is Unit {
  return unit !== undefined && (Object.hasOwn(unitMonths, unit) || Object.hasOwn(unitMs, unit));
}

function momentIn(count: number, unit: Unit, now: Date, direction: Direction): Parsed<string> {
  const signed = signs[direction] * count;
  if (unit !== 'month' && unit !== 'year') return checked(new Date(now.getTime() + signed * unitMs[unit]));
  const moment = new Date(now);
  moment.setUTCMonth(moment.getUTCMonth() + signed * unitMonths[unit]);
  // A month after January 31 is the last day of February, not a day in March.
  if (moment.getUTCDate() !== now.getUTCDate()) moment.setUTCDate(0);
  return checked(moment);
}

function checked(moment: Date): Parsed<string> {
  const year = moment.getUTCFullYear();
  // The service rejects other years, and JavaScript has no date long before or after them.
  return year >= 1 && year <= 9999 ? accepted(moment.toISOString()) : rejected('must be in the years 1 to 9999');
}
