import { expect, test } from 'vitest';
import { bearerToken } from '../../src/lib/bearer-token.ts';
import { isJsonObject } from '../../src/lib/json-object.ts';
import { originForm } from '../../src/lib/request-target.ts';
import { withTimeout } from '../../src/lib/timeout.ts';
import { isUuid } from '../../src/lib/uuid.ts';

test('a timeout resolves to the result of the work, or to the given value, and passes errors on', async () => {
  expect(await withTimeout(Promise.resolve('done'), 60_000, 'late')).toBe('done');
  expect(await withTimeout(new Promise<string>(() => undefined), 1, 'late')).toBe('late');
  await expect(withTimeout(Promise.reject(new Error('failed')), 60_000, 'late')).rejects.toThrow('failed');
});

test('neither null nor a list is a JSON object', () => {
  expect([{}, { a: 1 }, null, [], 'x', 1, undefined].map(isJsonObject)).toEqual([
    ...[true, true, false, false, false, false, false],
  ]);
});

test('a UUID has 32 hexadecimal digits in five groups, in any case, and nothing around it', () => {
  const uuid = '0197a2b4-6c1e-7d3f-8A55-2f9b1c0d4e6a';
  expect([uuid, uuid.toUpperCase(), `${uuid}0`, ` ${uuid}`, uuid.replace('-', ''), ''].map(isUuid)).toEqual([
    ...[true, true, false, false, false, false],
  ]);
});

test.each([
  ...['Bearer a.b-c', 'bearer a.b-c', 'BEARER   a.b-c'].map((header) => [header, 'a.b-c']),
  ...[
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
  ].map((header) => [header, undefined]),
])('the token of %j is %j', (header, token) => {
  expect(bearerToken(header)).toBe(token);
});

test.each<[string, object | null]>([
  ['http://api.example/v1/verify', { host: 'api.example', target: '/v1/verify' }],
  ['HTTP://127.0.0.1:4001/v1/authorize?env=live', { host: '127.0.0.1:4001', target: '/v1/authorize?env=live' }],
  ['https://[::1]:4001', { host: '[::1]:4001', target: '/' }],
  ['http://api.example?a=b', { host: 'api.example', target: '/?a=b' }],
  ['http://api.example/a@b', { host: 'api.example', target: '/a@b' }],
  ...['/v1', '*', 'api.example:443', 'ftp://api.example/', 'http:///v1', 'http://user@api.example/', ''].map(
    (target): [string, null] => [target, null],
  ),
])('the origin form of %j is %j', (target, origin) => {
  expect(originForm(target)).toEqual(origin);
});
