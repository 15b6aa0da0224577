import { expect, it } from 'vitest';
import { parseIfMatch } from '../../src/rest/headers.ts';
import { expectLinearWork } from '../support/linear-work.ts';

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

it.each([
  (characters: number) => `${' ,'.repeat(characters / 2)}x`,
  (characters: number) => `"7"${' '.repeat(characters)}x`,
  (characters: number) => `${'"7",'.repeat(characters / 4)}x`,
])('the work for a long header grows in proportion to its length', (headerOf) => {
  expectLinearWork((characters) => expect(parseIfMatch(headerOf(characters)).ok).toBe(false), 80_000);
});
