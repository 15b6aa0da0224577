import { expect, test } from 'vitest';
import { bearerToken } from '../../src/lib/bearer-token.ts';

test.each(['Bearer a.b-c', 'bearer a.b-c', 'BEARER   a.b-c'])(
  'the token of %j is read, in any case of the scheme',
  (header) => {
    expect(bearerToken(header)).toBe('a.b-c');
  },
);

test.each([
  undefined,
  '',
  'Bearer',
  'Bearer ',
  'Bearer a b',
  'Basic a.b-c',
  'a.b-c',
  ' Bearer a',
  'Bearer\ta',
  'Bearera',
])('%j has no bearer token', (header) => {
  expect(bearerToken(header)).toBeUndefined();
});
