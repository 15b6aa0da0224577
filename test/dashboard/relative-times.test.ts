import { expect, it } from 'vitest';
import { formatRelative } from '../../src/dashboard/components/format.ts';

const now = Date.parse('2026-06-01T12:00:00.000Z');
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

it.each([
  [0, 'just now'],
  [400, 'now'],
  [59.4 * second, 'in 59 seconds'],
  [59.6 * second, 'in 1 minute'],
  [59.6 * minute, 'in 1 hour'],
  [23.4 * hour, 'in 23 hours'],
  [23.6 * hour, 'in 1 day'],
  [7 * day - second, 'in 7 days'],
  [30 * day - second, 'in 30 days'],
  [90 * day - second, 'in 3 months'],
  [365 * day - second, 'in 1 year'],
  [540 * day, 'in 18 months'],
  [730 * day, 'in 2 years'],
  [-400, 'just now'],
  [-1.6 * second, '2 seconds ago'],
  [-45 * day, '45 days ago'],
  [-365 * day, '1 year ago'],
])('a relative time of %i ms is rounded to the nearest: %s', (ms, text) => {
  expect(formatRelative(new Date(now + ms), now)).toBe(text);
});
