import { accepted, type Parsed, rejected } from '../lib/parsed.ts';

const earliest = Date.parse('0001-01-01T00:00:00.000Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * A moment to compare stored ones with. PostgreSQL knows no year 0, and SQLite compares times as text, in which years
 * have four digits; an offset can lead out of both ends.
 */
export function parseMoment(moment: Date): Parsed<Date> {
  const isComparable = moment.getTime() >= earliest && moment.getTime() <= latest;
  return isComparable ? accepted(moment) : rejected('must be in the years 1 to 9999');
}
