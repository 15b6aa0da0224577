/** Moments, as people write them on the command line. */
import { InvalidArgumentError } from 'commander';
import { readSetting } from '../domain/key/setting-text.ts';
import { accepted, type Parsed, rejected } from '../lib/parsed.ts';
import { parseDuration } from './options.ts';

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

function startOf(date: string): Parsed<string> {
  const moment = `${date}T00:00:00.000Z`;
  // JavaScript takes February 30 for March 2.
  const isDate = !Number.isNaN(Date.parse(moment)) && new Date(moment).toISOString() === moment;
  return isDate ? accepted(moment) : rejected('is not a date of the calendar');
}

function momentAt(text: string, now: Date, direction: Direction): Parsed<string> {
  try {
    const ms = parseDuration(text) * 1000;
    const moment = new Date(now.getTime() + (direction === 'ago' ? -ms : ms));
    const year = moment.getUTCFullYear();
    // The service rejects other years, and JavaScript has no date long before or after them.
    return year >= 1 && year <= 9999 ? accepted(moment.toISOString()) : rejected('must be in the years 1 to 9999');
  } catch (error) {
    if (error instanceof InvalidArgumentError) return rejected(`is not a time: ${error.message}`);
    throw error;
  }
}
