import { expect, test } from 'vitest';
import { repeatedHeaderError } from '../../src/domain/repeated-header.ts';

test.each([
  ['Host', ['Host', 'a', 'X-Other', 'b', 'hOST', 'c']],
  ['Authorization', ['authorization', 'a', 'AUTHORIZATION', 'a']],
  ['Host', ['Host', 'a', 'Authorization', 'b', 'Host', 'c', 'Authorization', 'd']],
])('%s may be given once, in any case', (field, headers) => {
  const error = repeatedHeaderError(headers);
  expect([error?.code, error?.fields]).toEqual(['BAD_USER_INPUT', [{ field, message: 'must be given once' }]]);
});

test.each([
  [[]],
  [['Host', 'a', 'Authorization', 'b']],
  [['Cookie', 'a', 'Cookie', 'b', 'From', 'c', 'From', 'd', 'Accept-Ranges', 'e', 'Accept-Ranges', 'f']],
  // Values are no names.
  [['Host', 'host', 'X-Other', 'host', 'Authorization', 'authorization']],
])('%j is accepted', (headers) => {
  expect(repeatedHeaderError(headers)).toBeNull();
});
