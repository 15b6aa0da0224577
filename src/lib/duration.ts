import { accepted, type Parsed, rejected } from './parsed.ts';

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Returns the duration in seconds. */
export function readDuration(text: string): Parsed<number> {
  const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds[unit] ?? 0);
  return seconds === 0 ? rejected('Expected a number and s, m, h or d, such as 30m.') : accepted(seconds);
}
