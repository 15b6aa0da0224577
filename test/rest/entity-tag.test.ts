import { expect, it } from 'vitest';
import { parseIfMatch } from '../../src/rest/headers.ts';

it.each([
  [undefined, undefined],
  ['*', undefined],
  ['"7"', ['7']],
  ['"7", "8","9"', ['7', '8', '9']],
  [' , "7" ,, "8",\t', ['7', '8']],
  ['"a,b", ""', ['a,b', '']],
  ['"*"', ['*']],
  ['W/"7"', ['7']],
  ['W/"7", "8"', ['7', '8']],
  ['"7-gzip"', ['7-gzip']],
  ['"0123456789012345678901-gzip", W/"0123456789012345678901--br"', Array(2).fill('0123456789012345678901')],
])('If-Match: %s asks for %j: a revision is exact, so a weak tag matches too', (header, revisions) => {
  expect(parseIfMatch(header)).toEqual({ ok: true, value: revisions });
});

it.each([
  '',
  ' ',
  ',',
  '7',
  '"7',
  '7"',
  '"7" "8"',
  '"7"; "8"',
  '*, "7"',
  '"7", *',
  'w/"7"',
  'W/ "7"',
  '"a b"',
  '"\u0100"',
])('If-Match: %s can’t be read, and is rejected rather than ignored', (header) => {
  expect(parseIfMatch(header)).toEqual({
    ok: false,
    problem: 'must be * or a list of entity tags, in double quotes',
  });
});

it.each([`${' ,'.repeat(8000)}x`, `"7"${' '.repeat(16_000)}x`, `${'"7",'.repeat(4000)}x`])(
  'a header as long as Node takes is read in no time',
  (header) => {
    const startedAt = performance.now();
    expect(parseIfMatch(header).ok).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(500);
  },
);
