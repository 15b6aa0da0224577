import { accepted, type Parsed, rejected } from '../lib/parsed.ts';

export const dayMs = 86_400_000;

const earliest = Date.parse('0001-01-01T00:00:00.000Z');
/** The last moment with a four-digit year. Later dates would be serialized in another format. */
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/** Accepts moments that both databases can compare: SQLite compares text, and PostgreSQL has no year 0. */
export function parseMoment(moment: Date): Parsed<Date> {
  const isComparable = moment.getTime() >= earliest && moment.getTime() <= latest;
  return isComparable ? accepted(moment) : rejected('must be in the years 1 to 9999');
}

/**
 * Returns whether the last moment of a key, a secret or an overlap has passed. At that moment itself it is still accepted.
 * Null never passes. store/rows/key-selection.ts has the same comparison in SQL.
 */
export function hasPassed<Moment extends Date | number>(last: Moment | null, now: Moment): boolean {
  return last !== null && last < now;
}

export function parseExpiry(expiresAt: Date, now: Date): Parsed<Date> {
  if (!(expiresAt.getTime() > now.getTime())) return rejected('must be in the future');
  if (expiresAt.getTime() > latest) return rejected('must be before the year 10000');
  return accepted(expiresAt);
}

/** Returns the start of a moment's day in UTC. */
export function startOfDay(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / dayMs) * dayMs);
}
