/** Moments as people write them, on the command line and in files of keys. Runs in a browser too. */
import { readDuration } from '../lib/duration.ts';
import { accepted, type Parsed, rejected } from '../lib/parsed.ts';
import { readSetting } from './key/setting-text.ts';

/** Whether a time such as 30d is counted forward or backward. */
export type Direction = 'from now' | 'ago';

/**
 * Reads a date-time with an offset, a date (its start in UTC) or a time. Returns a date-time with an offset.
 *
 * @param orElse what else the caller accepts, for the error
 */
export function readMoment(text: string, now: Date, direction: Direction, orElse = ''): Parsed<string> {
  const trimmed = text.trim();
  if (/^\d+[a-z]$/.test(trimmed)) return momentAt(trimmed, now, direction);
  if (/^\d{4}-\d\d-\d\d$/.test(trimmed)) return startOf(trimmed);
  const moment = readSetting('expiresAt', trimmed);
  if (moment.ok) return accepted(String(moment.value));
  return rejected(`${moment.problem}, or a date, or a time ${direction} such as 30d or 12h${orElse}`);
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
  const ms = seconds.value * 1000;
  const moment = new Date(now.getTime() + (direction === 'ago' ? -ms : ms));
  const year = moment.getUTCFullYear();
  // The service rejects other years, and JavaScript has no date long before or after them.
  return year >= 1 && year <= 9999 ? accepted(moment.toISOString()) : rejected('must be in the years 1 to 9999');
}
