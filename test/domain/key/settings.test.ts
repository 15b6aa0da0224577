/** The rules of every setting, whether it is sent over GraphQL, over REST, in a file or from a form. */
import { describe, expect, it, test } from 'vitest';
import { rateLimitOf } from '../../../src/domain/key/rate-limit.ts';
import { hasScopes } from '../../../src/domain/key/scope.ts';
import {
  type KeySettingsInput,
  noSettings,
  parseChangedSettings,
  parseNewSettings,
  type Setting,
  type SettingName,
  settingNames,
  settings,
} from '../../../src/domain/key/settings.ts';
import { parseTeamName } from '../../../src/domain/key/team-name.ts';
import { parsedObject } from '../../../src/domain/parse-fields.ts';
import { fullSettings } from '../../support/plain-keys.ts';

const now = new Date('2029-01-01T00:00:00Z');
const parseNew = (input: KeySettingsInput & { readonly name: string }) => parsedObject(parseNewSettings(input, now));
const parseChanged = (input: KeySettingsInput) => parsedObject(parseChangedSettings(input, now));
const many = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`);
const nested = (depth: number): object => (depth === 1 ? {} : { a: nested(depth - 1) });

describe('a new key', () => {
  it('has each setting as it was sent, and no restriction by the others', () => {
    expect(parseNew(fullSettings)).toEqual({ ok: true, value: fullSettings });
    expect(parseNew({ name: 'Bare', tags: null })).toEqual({ ok: true, value: { name: 'Bare', ...noSettings } });
    expect(noSettings).toEqual({
      description: null,
      allowedIps: [],
      expiresAt: null,
      scopes: [],
      externalId: null,
      tags: [],
      metadata: null,
      rateLimit: null,
      responsible: null,
    });
  });

  it.each(['{}', '{"name": null}'])('of %s lacks its name', (json) => {
    expect(parseNew(JSON.parse(json))).toEqual({ ok: false, errors: [{ field: 'name', message: 'is required' }] });
  });
});

describe('a change', () => {
  it('leaves out what was not sent, and removes what is null', () => {
    expect(parseChanged({ tags: ['shop'], externalId: undefined, metadata: null })).toEqual({
      ok: true,
      value: { tags: ['shop'], metadata: null },
    });
    const { name, allowedIps, scopes, tags, ...optional } = parseChangedSettings(
      Object.fromEntries(settingNames.map((setting) => [setting, null])),
      now,
    );
    const keep = 'must not be null: omit it to keep the current';
    expect({ name, allowedIps, scopes, tags }).toEqual({
      name: { ok: false, problem: `${keep} name` },
      allowedIps: { ok: false, problem: `${keep} list, or send [] to allow every source` },
      scopes: { ok: false, problem: `${keep} list, or send [] to remove all scopes` },
      tags: { ok: false, problem: `${keep} list, or send [] to remove all tags` },
    });
    expect(Object.values(optional)).toEqual(Array(6).fill({ ok: true, value: null }));
  });
});

const hosts = (count: number) => Array.from({ length: count }, (_, i) => `host-${i}.example`);

describe('a setting is accepted up to its limits', () => {
  it.each<[SettingName, ...unknown[]]>([
    ['name', 'x'.repeat(100)],
    ['description', 'x'.repeat(500)],
    ['externalId', 'x'.repeat(255)],
    [
      'allowedIps',
      Array.from({ length: 100 }, (_, i) => `10.0.0.${i}`),
      ['Example.com. # written so'],
      [...hosts(16), '10.0.0.1'],
    ],
    ['expiresAt', new Date(now.getTime() + 1)],
    ['scopes', many(50), ['!#[]^~'.padEnd(100, 'x')]],
    ['tags', many(20), ['x'.repeat(64)]],
    ['metadata', {}, nested(8), { a: [[[[[[[1, true, null, 'é']]]]]]] }, { a: 'é'.repeat(2044) }],
    ['rateLimit', { limit: 1, windowSeconds: 1 }, { limit: 1_000_000, windowSeconds: 86_400 }],
  ])('%s', (name, ...values) => {
    for (const value of values) {
      expect(parseChanged({ [name]: value })).toEqual({ ok: true, value: { [name]: value } });
    }
  });
});

it('the same host name again, in other case, is neither another entry nor another name', () => {
  const parsed = parseChanged({ allowedIps: [...hosts(16), 'HOST-1.example'] });
  expect(parsed).toEqual({ ok: true, value: { allowedIps: hosts(16) } });
});

describe('a setting is rejected by the path of what is wrong', () => {
  const noScope = 'must have 1 to 100 visible ASCII characters, without spaces, quotation marks and backslashes';
  const badText = 'must have no NUL characters and no lone surrogates';
  it.each<[path: string, message: string, ...inputs: unknown[]]>([
    ['name', 'must have 1 to 100 characters after trimming', 'x'.repeat(101), ' '],
    ['description', 'must have 1 to 500 characters after trimming', 'x'.repeat(501), ' '],
    ['description', 'must have no control characters: character 4 is U+000A', 'two\nlines'],
    ['name', 'must have no invisible characters: character 3 is U+200B', 'ab\u200b'],
    ['tags[1]', 'must have no invisible characters: character 1 is U+3164', ['a', '\u3164']],
    ['tags[1]', 'must not be given twice', ['M\u00fcller', 'Mu\u0308ller']],
    ['allowedIps[0]', 'must have no invisible characters: character 13 is U+00AD', ['10.0.0.1 # a\u00adb']],
    ['externalId', 'must have 1 to 255 characters after trimming', 'x'.repeat(256), ''],
    ['allowedIps', 'must have at most 100 entries', Array(101).fill('10.0.0.1')],
    [
      'allowedIps',
      'must have at most 16 host names, and has 17: use addresses or ranges for the others',
      hosts(17),
      [...hosts(17), '10.0.0.1'],
    ],
    ['allowedIps[1]', 'must have no port', ['::1', '10.0.0.1:80']],
    ['expiresAt', 'must be in the future', now],
    ['scopes', 'must have at most 50 entries', many(51)],
    ['scopes[1]', noScope, ...['a b', 'a"', 'a\\', 'é', '', '\x7f', 'x'.repeat(101)].map((scope) => ['a', scope])],
    ['scopes[2]', 'must not be given twice', ['a', 'b', 'a']],
    ['tags', 'must have at most 20 entries', many(21)],
    ['tags[0]', 'must have 1 to 64 characters after trimming', [' '], ['x'.repeat(65)]],
    ['tags[1]', 'must not be given twice', ['shop', ' shop ']],
    ['metadata', 'must be a JSON object', [], [{}], 'text', 5, true],
    ['metadata', 'must be nested at most 8 levels deep', nested(9), { a: [[[[[[[[]]]]]]]] }],
    ['metadata', 'must have at most 4096 bytes as JSON', { a: `x${'é'.repeat(2044)}` }],
    ['metadata', badText, { a: 'x\0' }, { a: ['\ud800'] }, { 'x\0': 1 }],
    ['metadata', 'must have finite numbers only', { a: 1, b: [Infinity] }],
    ...[0, 1_000_001, 1.5].map((limit): [string, string, unknown] => [
      'rateLimit.limit',
      'must be from 1 to 1000000',
      { limit, windowSeconds: 1 },
    ]),
    ...[0, 86_401, Number.NaN].map((windowSeconds): [string, string, unknown] => [
      'rateLimit.windowSeconds',
      'must be from 1 to 86400',
      { limit: 1, windowSeconds },
    ]),
  ])('%s: %s', (path, message, ...inputs) => {
    for (const input of inputs) {
      const parsed = parseChanged({ [/^\w+/.exec(path)?.[0] ?? '']: input });
      expect(parsed, JSON.stringify(input)).toEqual({ ok: false, errors: [{ field: path, message }] });
    }
  });
});

test('every setting has an option of its own, and every one but the name can be removed by a name of its own', () => {
  const options = settingNames.map((name) => (settings[name] as Setting).option);
  for (const { flag, argument, help } of options) {
    expect([flag, argument]).toEqual([expect.stringMatching(/^[a-z-]+$/), expect.stringMatching(/^[a-z]+$/)]);
    expect(help).toMatch(/^[A-Za-z].+\w$/);
  }
  expect(new Set(options.map(({ flag }) => flag)).size).toBe(settingNames.length);
  const removable = options.flatMap(({ remove }) => (remove === undefined ? [] : [remove]));
  expect(removable).toEqual(Array(settingNames.length - 1).fill(expect.stringMatching(/^[a-z-]+$/)));
  expect(new Set(removable).size).toBe(removable.length);
});

test('a key has the required scopes if it has each of them as it is written', () => {
  expect(hasScopes(['a', 'b', 'c'], ['c', 'a', 'c'])).toBe(true);
  expect(hasScopes([], [])).toBe(true);
  expect(hasScopes(['a'], ['a', 'b'])).toBe(false);
  expect(hasScopes(['a'], ['A'])).toBe(false);
});

test('a rate limit needs both of its columns', () => {
  expect(rateLimitOf(5, 60)).toEqual({ limit: 5, windowSeconds: 60 });
  expect([rateLimitOf(5, null), rateLimitOf(null, 60)]).toEqual([null, null]);
});

test('a team name is one line of at most 100 characters', () => {
  expect(parseTeamName(` ${'x'.repeat(100)} `)).toEqual({ ok: true, value: 'x'.repeat(100) });
  expect(parseTeamName('x'.repeat(101)).ok).toBe(false);
});
