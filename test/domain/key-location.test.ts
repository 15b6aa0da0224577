import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  defaultKeyLocations,
  findPresentedKey,
  insufficientScopeChallenge,
  parseKeyLocations,
} from '../../src/domain/key-location.ts';
import type { HeaderFields } from '../../src/domain/signature/signed-request.ts';

const key = `lk_live_4fJx81Qz_${'a'.repeat(43)}000000`;
const otherKey = `lk_live_4fJx81Qz_${'b'.repeat(43)}000000`;
const missing = { kind: 'missing' };
const keyIs = (text: string) => ({ kind: 'key', key: text });
const differentKeys = { kind: 'ambiguous', detail: 'The request contains two different API keys. Send only one.' };

function locations(text: string) {
  const parsed = parseKeyLocations(text);
  if (!parsed.ok) throw new TypeError(parsed.problem);
  return parsed.value;
}

function find(text: string, headers: HeaderFields) {
  return findPresentedKey(headers, locations(text));
}

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

describe('the default', () => {
  const defaultPlace = 'authorization';

  test('is the token of Authorization: Bearer, and nothing else', () => {
    expect(find(defaultPlace, { authorization: `bEARER  ${key}` })).toEqual(keyIs(key));
    for (const authorization of [undefined, '', 'Bearer', 'Bearer ', key, basic(`${key}:`), `Bearer ${key} ${key}`]) {
      expect(find(defaultPlace, { authorization, 'x-api-key': otherKey })).toEqual(missing);
    }
  });
});

describe('a header', () => {
  test('contains the key as its whole value, whatever other headers contain', () => {
    const headers = { 'x-api-key': key, authorization: `Bearer ${otherKey}`, cookie: otherKey };
    expect(find('header:x-api-key', headers)).toEqual(keyIs(key));
    expect(find('header:X-Api-Key', headers)).toEqual(keyIs(key));
    expect(find('header:api_key', { api_key: key, 'api-key': otherKey })).toEqual(keyIs(key));
  });

  test('presents no key when it is absent or empty', () => {
    for (const value of [undefined, '', [], ['']]) {
      expect(find('header:x-api-key', { 'x-api-key': value, authorization: `Bearer ${key}` })).toEqual(missing);
    }
  });

  test('is not split: a scheme, a list and quotation marks make it another text, which is not a key', () => {
    for (const value of [`Bearer ${key}`, `${key}, ${otherKey}`, `"${key}"`, 'kéy', 'k'.repeat(15_000)]) {
      expect(find('header:x-api-key', { 'x-api-key': value })).toEqual(keyIs(value));
    }
    expect(find('header:x-api-key', { 'x-api-key': [key, key] })).toEqual(keyIs(`${key}, ${key}`));
  });

  test('can be Authorization without a scheme', () => {
    expect(find('header:authorization', { authorization: key })).toEqual(keyIs(key));
  });
});

describe('basic', () => {
  test.each([
    ['basic', `${key}:`, keyIs(key)],
    ['basic', `:${key}`, keyIs(key)],
    ['basic', `${key}:${key}`, keyIs(key)],
    ['basic', ':', missing],
    ['basic', 'imported-key:', keyIs('imported-key')],
    ['basic', ':imported:key', keyIs('imported:key')],
    ['basic', `x:${key}`, keyIs(key)],
    ['basic', `${key}:x-oauth-basic`, keyIs(key)],
    ['basic', `${key}:${otherKey}`, differentKeys],
    ['basic:username', `${key}:${otherKey}`, keyIs(key)],
    ['basic:username', `:${key}`, missing],
    ['basic:password', `${otherKey}:${key}`, keyIs(key)],
    ['basic:password', `${key}:`, missing],
    // Each byte is one character, so that no text outside of ASCII equals a key.
    ['basic:username', 'é:', keyIs('Ã©')],
  ])('%s of the credentials %s', (text, credentials, expected) => {
    expect(find(text, { authorization: basic(credentials) })).toEqual(expected);
  });

  test('is ambiguous if both user name and password can be a key of another format', () => {
    expect(find('basic', { authorization: basic('imported-key:x') })).toMatchObject({ kind: 'ambiguous' });
  });

  test('accepts only padded base64 of a text with a colon (RFC 7617)', () => {
    const encoded = Buffer.from(`${key}:`).toString('base64');
    const unpadded = encoded.replace(/=+$/, '');
    for (const credentials of [
      '',
      '=',
      '====',
      'A',
      unpadded,
      `${encoded} ${encoded}`,
      `"${encoded}"`,
      `${encoded}\n`,
    ]) {
      expect(find('basic', { authorization: `Basic ${credentials}` })).toEqual(missing);
    }
    expect(find('basic', { authorization: `Basic ${Buffer.from(key).toString('base64')}` })).toEqual(missing);
    expect(find('basic', { authorization: `Bearer ${key}` })).toEqual(missing);
    expect(find('basic', { authorization: `bASIC  ${encoded}` })).toEqual(keyIs(key));
  });
});

describe('several places', () => {
  const all = 'header:x-api-key, authorization ,basic';

  test('present one key at any of them', () => {
    expect(find(all, { authorization: `Bearer ${key}` })).toEqual(keyIs(key));
    expect(find(all, { authorization: basic(`${key}:`) })).toEqual(keyIs(key));
    expect(find(all, { 'x-api-key': key })).toEqual(keyIs(key));
    expect(find(all, { 'x-api-key': '', authorization: `Bearer ${key}` })).toEqual(keyIs(key));
    expect(find(all, {})).toEqual(missing);
  });

  test('may repeat the same key', () => {
    expect(find(all, { 'x-api-key': key, authorization: `Bearer ${key}` })).toEqual(keyIs(key));
  });

  test('with two different credentials are ambiguous, even if one of them is not a key', () => {
    expect(find(all, { 'x-api-key': key, authorization: `Bearer ${otherKey}` })).toEqual(differentKeys);
    expect(find(all, { 'x-api-key': key, authorization: 'Bearer session-token' })).toEqual(differentKeys);
    expect(find('header:a,header:b,header:c', { a: key, b: key, c: otherKey })).toEqual(differentKeys);
    expect(find(all, { 'x-api-key': key, authorization: basic('a:b') })).toMatchObject({ kind: 'ambiguous' });
  });

  test('have one challenge each, in their order (RFC 9110, section 11.6.1)', () => {
    expect(locations(all)).toMatchObject({
      challenge: 'ApiKey header="x-api-key", Bearer, Basic realm="API key"',
      instruction:
        'x-api-key: <key> or Authorization: Bearer <key> or Authorization: Basic with the key as user name or password',
      headers: ['x-api-key'],
      allHeaders: ['x-api-key', 'authorization'],
    });
    expect(defaultKeyLocations).toMatchObject({ challenge: 'Bearer', headers: [] });
  });
});

test.each([
  ['authorization,header:a', 'Bearer error="insufficient_scope", scope="b c"'],
  ['header:a,authorization', 'ApiKey header="a", error="insufficient_scope", scope="b c"'],
  ['basic', 'Basic realm="API key", error="insufficient_scope", scope="b c"'],
])('the challenge of %s names the required scopes at the first place (RFC 6750)', (text, challenge) => {
  expect(insufficientScopeChallenge(locations(text), ['b', 'c'])).toBe(challenge);
});

test.each(['authorization', 'header:x-api-key', 'header:authorization', 'basic', 'basic:username', 'basic:password'])(
  'a key that is written to %s is found there',
  (text) => {
    const [{ header, valueFor } = expect.fail('there is no place')] = locations(text).list;
    for (const presentable of [key, 'imported', ...(text === 'basic:username' ? [] : ['with:colon', ':'])]) {
      expect(find(text, { [header]: valueFor(presentable) ?? undefined })).toEqual(keyIs(presentable));
    }
    if (text === 'basic:username') expect(valueFor('with:colon')).toBeNull();
  },
);

test('whatever the headers contain, the result is one of the presented texts, missing or ambiguous', () => {
  const text = fc.oneof(fc.constantFrom('', key, otherKey), fc.string({ unit: 'binary' }));
  const credentials = fc.oneof(
    text,
    text.map((token) => `Bearer ${token}`),
    fc.tuple(text, text).map(([username, password]) => basic(`${username}:${password}`)),
  );
  const list = fc.constantFrom('authorization', 'header:a', 'basic', 'header:a,authorization,basic', 'basic:username');
  fc.assert(
    fc.property(
      list,
      fc.option(credentials, { nil: undefined }),
      fc.option(text, { nil: undefined }),
      (places, b, a) => {
        const presented = find(places, { authorization: b, a });
        if (presented.kind !== 'key') return;
        const decoded = Buffer.from(b?.split(' ').at(-1) ?? '', 'base64').toString('latin1');
        expect([a ?? '', b ?? '', decoded].some((source) => source.includes(presented.key))).toBe(true);
        expect(presented.key).not.toBe('');
      },
    ),
  );
});

test.each([
  ...['', ' ', ',', 'authorization,', 'bearer', 'Authorization', 'query:key', 'url', 'cookie', 'basic:', 'basic:user'],
  ...['header', 'header:', 'header: x', 'header:x api', 'header:x-api-key:', 'header:1', 'header:é', 'header:x\ny'],
  ...['header:"x"', 'header::path', `header:${'x'.repeat(65)}`],
  // What these headers contain is not a key, is logged, or does not arrive.
  ...['header:host', 'header:Content-Length', 'header:connection', 'header:transfer-encoding', 'header:te'],
  ...['header:signature', 'header:Signature-Input', 'header:content-digest', 'header:cookie', 'header:referer'],
  ...['header:x-latchkey-token', 'header:X_Latchkey_Token', 'header:x-forwarded-for', 'header:x-original-url'],
  ...['header:proxy-authorization', 'header:x-envoy-original-path', 'header:traceparent', 'header:user-agent'],
  // Two of these read the same text, or the same header in some languages.
  ...['authorization,authorization', 'basic,basic:username', 'header:a,header:A', 'header:api-key,header:api_key'],
  ...['header:authorization,authorization', 'basic,header:authorization'],
])('the places %j are rejected', (text) => {
  expect(parseKeyLocations(text)).toEqual({ ok: false, problem: expect.stringMatching(/^must be places/) });
});

test('finds no key in an inherited member of the object of headers', () => {
  const parsed = parseKeyLocations('header:constructor');
  if (!parsed.ok) throw new Error('the name has no other meaning');
  expect(findPresentedKey({}, parsed.value)).toEqual({ kind: 'missing' });
});
