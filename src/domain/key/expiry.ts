import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';

/** ISO 8601 has four-digit years. Later dates would be serialized in another format. */
const endOfTime = Date.parse('9999-12-31T23:59:59.999Z');

export function parseExpiry(expiresAt: Date, now: Date): Parsed<Date> {
  if (!(expiresAt.getTime() > now.getTime())) return rejected('must be in the future');
  if (expiresAt.getTime() > endOfTime) return rejected('must be before the year 10000');
  return accepted(expiresAt);
}
