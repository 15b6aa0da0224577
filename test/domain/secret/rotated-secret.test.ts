import { expect, test } from 'vitest';
import { looksLikeSessionToken, sessionTokenHint } from '../../../src/domain/secret/other-credentials.ts';
import { earliestShown, parseOverlap } from '../../../src/domain/secret/rotated-secret.ts';

test('an overlap is a whole number of seconds, up to 30 days', () => {
  for (const seconds of [0, 1, 2_592_000]) expect(parseOverlap(seconds)).toEqual({ ok: true, value: seconds });
  for (const seconds of [-1, 0.5, 2_592_001, Number.NaN]) {
    expect(parseOverlap(seconds)).toEqual({ ok: false, problem: 'must be from 0 to 2592000 (30 days)' });
  }
});

test('of the earlier secrets, a key shows the previous one', () => {
  expect(earliestShown(3)).toBe(2);
});

test('three parts of base64url, two of them JSON objects, look like a session token', () => {
  for (const text of ['eyJhbGci.eyJz-_.c2ln', 'eyJ.eyJ.']) expect(looksLikeSessionToken(text), text).toBe(true);
  const others = [
    '',
    'eyJ',
    'eyJ.eyJ',
    'eyJ.eyK.x',
    'eyJ.eyJ.x.x',
    ' eyJ.eyJ.x',
    'xeyJ.eyJ.x',
    'eyJ.eyJ.x ',
    'eyJ eyJ.eyJ.x',
  ];
  expect(others.filter(looksLikeSessionToken)).toEqual([]);
  expect(sessionTokenHint).toMatch(/^This is a session token/);
});
