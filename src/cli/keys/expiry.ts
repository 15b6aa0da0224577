/** The expiry of a key, as people write it on the command line. */
import { accepted, type Parsed } from '../../lib/parsed.ts';
import { readMoment } from '../moment.ts';

/** Returns a date-time with an offset, and null for `never`. */
export function readExpiry(text: string, now: Date): Parsed<string | null> {
  return text.trim() === 'never' ? accepted(null) : readMoment(text, now, 'from now', ', or never');
}
