import { accepted, type Parsed, rejected } from '../lib/parsed.ts';

const earliest = Date.parse('0001-01-01T00:00:00.000Z');
/** ISO 8601 has four-digit years. Later dates would be serialized in another format. */
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/** Parses a moment that stored ones are compared with: SQLite compares text, and PostgreSQL has no year 0. */
export function parseMoment(moment: Date): Parsed<Date> {
  const isComparable = moment.getTime() >= earliest && moment.getTime() <= latest;
  return isComparable ? accepted(moment) : rejected('must be in the years 1 to 9999');
}

/** Parses the moment when a key expires. */
export function parseExpiry(expiresAt: Date, now: Date): Parsed<Date> {
  if (!(expiresAt.getTime() > now.getTime())) return rejected('must be in the future');
  if (expiresAt.getTime() > latest) return rejected('must be before the year 10000');
  return accepted(expiresAt);
}
