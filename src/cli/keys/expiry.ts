/** The expiry of a key, as people write it on the command line. */
import { InvalidArgumentError } from 'commander';
import { readSetting } from '../../domain/key/setting-text.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { parseDuration } from '../options.ts';

/** Returns a date-time with an offset, and null for `never`. */
export function readExpiry(text: string, now: Date): Parsed<string | null> {
  const trimmed = text.trim();
  if (trimmed === 'never') return accepted(null);
  if (/^\d+[a-z]$/.test(trimmed)) return fromNow(trimmed, now);
  if (/^\d{4}-\d\d-\d\d$/.test(trimmed)) return startOf(trimmed);
  const moment = readSetting('expiresAt', trimmed);
  if (moment.ok) return accepted(String(moment.value));
  return rejected(`${moment.problem}, or a date, or a time from now such as 30d or 12h, or never`);
}

function startOf(date: string): Parsed<string> {
  const moment = `${date}T00:00:00.000Z`;
  // JavaScript takes February 30 for March 2.
  const isDate = !Number.isNaN(Date.parse(moment)) && new Date(moment).toISOString() === moment;
  return isDate ? accepted(moment) : rejected('is not a date of the calendar');
}

function fromNow(text: string, now: Date): Parsed<string> {
  try {
    const moment = new Date(now.getTime() + parseDuration(text) * 1000);
    // The service rejects a moment after the year 9999, and JavaScript has no date long after it.
    return moment.getUTCFullYear() <= 9999 ? accepted(moment.toISOString()) : rejected('must be before the year 10000');
  } catch (error) {
    if (error instanceof InvalidArgumentError) return rejected(`is not a time: ${error.message}`);
    throw error;
  }
}
