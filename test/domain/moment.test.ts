import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasPassed, parseExpiry, parseMoment } from '../../src/domain/moment.ts';

const now = new Date('2026-01-01T00:00:00.000Z');
const past = { ok: false, problem: 'must be in the future' };
const tooLate = { ok: false, problem: 'must be before the year 10000' };

test('now is not a valid expiry; one millisecond later is', () => {
  expect(parseExpiry(now, now)).toEqual(past);
  const next = new Date('2026-01-01T00:00:00.001Z');
  expect(parseExpiry(next, now)).toEqual({ ok: true, value: next });
});

test('the last millisecond of the year 9999 is accepted, the first of 10000 would be written in another format', () => {
  const last = new Date('9999-12-31T23:59:59.999Z');
  expect(parseExpiry(last, now)).toEqual({ ok: true, value: last });
  expect(parseExpiry(new Date('+010000-01-01T00:00:00.000Z'), now)).toEqual(tooLate);
  expect(parseExpiry(new Date(8.64e15), now)).toEqual(tooLate);
});

test('an invalid date is rejected, because the key would never expire', () => {
  expect(parseExpiry(new Date(Number.NaN), now)).toEqual(past);
});

test('a moment that stored ones are compared with is in the years 1 to 9999', () => {
  for (const text of ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])
    expect(parseMoment(new Date(text))).toEqual({ ok: true, value: new Date(text) });
  for (const text of ['0000-12-31T23:59:59.999Z', '+010000-01-01T00:00:00.000Z', 'invalid'])
    expect(parseMoment(new Date(text))).toEqual({ ok: false, problem: 'must be in the years 1 to 9999' });
});

test('every date is accepted unchanged exactly when it is later than now and has a year of four digits', () => {
  const date = fc.oneof(fc.date(), fc.date({ min: now, max: new Date('9999-12-31T23:59:59.999Z') }));
  fc.assert(
    fc.property(date, fc.date({ noInvalidDate: true }), (expiresAt, now) => {
      const valid = !Number.isNaN(expiresAt.getTime());
      const later = valid && expiresAt > now;
      const fourDigits = valid && /^\d{4}-/.test(expiresAt.toISOString());
      const expected = !later ? past : fourDigits ? { ok: true, value: expiresAt } : tooLate;
      // Years before 0 are written with a sign too, but are never what makes a later date wrong.
      fc.pre(!valid || expiresAt.getUTCFullYear() >= 0);
      expect(parseExpiry(expiresAt, now)).toEqual(expected);
    }),
  );
});

test('a last moment has passed one millisecond later, and a missing one never', () => {
  const next = new Date(now.getTime() + 1);
  expect([hasPassed(next, now), hasPassed(now, now), hasPassed(now, next)]).toEqual([false, false, true]);
  expect([hasPassed(5, 4), hasPassed(5, 5), hasPassed(5, 6)]).toEqual([false, false, true]);
  expect(hasPassed(null, now)).toBe(false);
});
