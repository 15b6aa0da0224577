import { expect, test } from 'vitest';
import { keyHeaderError } from '../../src/domain/key-header.ts';

test.each([
  ['x-api-key', ['X-API-Key', 'a', 'Accept', 'b', 'x-api-key', 'a'], 'must be given once'],
  ['api_key', ['api_key', 'a', 'API_KEY', 'b'], 'must be given once'],
  ['x-api-key', ['X_API_Key', 'a'], 'must be written with these hyphens and underscores'],
  ['x-api-key', ['x-api-key', 'a', 'x-api_key', 'b'], 'must be written with these hyphens and underscores'],
  ['api_key', ['Api-Key', 'a'], 'must be written with these hyphens and underscores'],
])('the header %s is rejected in %j', (name, rawHeaders, message) => {
  expect(keyHeaderError(rawHeaders, ['other', name])).toEqual({ field: name, message });
});

test.each([
  [[], ['X-API-Key', 'a', 'X-API-Key', 'b']],
  [['x-api-key'], []],
  [['x-api-key'], ['X-API-Key', 'x_api_key', 'Other', 'x-api-key', 'X-Api-Keys', 'c', 'X-Api-Kez', 'd']],
])('with the key in %j, the headers %j are accepted', (names, rawHeaders) => {
  expect(keyHeaderError(rawHeaders, names)).toBeNull();
});
