import { expect, test } from 'vitest';
import { readSetting, writeSetting } from '../../../src/domain/key/setting-text.ts';
import { type SettingName, settingNames } from '../../../src/domain/key/settings.ts';
import { fullSettings } from '../../support/plain-keys.ts';

test('every setting is read back from the text that it is written as, whether from a value or from its JSON', () => {
  const json = JSON.parse(JSON.stringify(fullSettings)) as Readonly<Record<SettingName, unknown>>;
  for (const name of settingNames) {
    expect(readSetting(name, writeSetting(name, fullSettings[name]))).toEqual({ ok: true, value: json[name] });
    expect(writeSetting(name, json[name])).toBe(writeSetting(name, fullSettings[name]));
    expect(writeSetting(name, null)).toBe('');
  }
});

test.each([
  ['scopes', ['a', 'b'], 'a;b'],
  ['scopes', [], ''],
  ['tags', ['a', 'b;c'], '["a","b;c"]'],
  ['tags', ['[a', 'b'], '["[a","b"]'],
  ['rateLimit', { limit: 100, windowSeconds: 60 }, '100 per 60 s'],
] as const)('%s %j is written as %s', (name, value, text) => {
  expect(writeSetting(name, value)).toBe(text);
});

test.each([
  ['name', ' A key ', 'A key'],
  ['allowedIps', ' ["a"] ', ['a']],
  ['rateLimit', ' 100 per 60 s ', { limit: 100, windowSeconds: 60 }],
  ['expiresAt', ' 2030-01-31T12:00:00Z ', '2030-01-31T12:00:00Z'],
  ['allowedIps', ' 10.0.0.1 ; ; 10.0.0.2 ', ['10.0.0.1', '10.0.0.2']],
  ['allowedIps', '["a;b", "c"]', ['a;b', 'c']],
  ['scopes', '[not json', ['[not json']],
  ['rateLimit', '100/60', { limit: 100, windowSeconds: 60 }],
  ['rateLimit', '{"limit": 100, "windowSeconds": 60}', { limit: 100, windowSeconds: 60 }],
  ['expiresAt', '2030-01-31T12:00:00+02:00', '2030-01-31T12:00:00+02:00'],
] as const)('%s is read from %s', (name, text, value) => {
  expect(readSetting(name, text)).toEqual({ ok: true, value });
});

test.each([
  ['expiresAt', '2030-01-31T12:00:00', 'must be a date-time with an offset, such as 2030-01-31T12:00:00Z'],
  ['expiresAt', '2030-99-31T12:00:00Z', 'must be a date-time with an offset, such as 2030-01-31T12:00:00Z'],
  ['expiresAt', '+002030-01-31T12:00:00Z', 'must be a date-time with an offset, such as 2030-01-31T12:00:00Z'],
  ['expiresAt', '2030-01-31T12:00:00Z (noon)', 'must be a date-time with an offset, such as 2030-01-31T12:00:00Z'],
  ['metadata', '[1]', 'must be a JSON object'],
  ['metadata', 'null', 'must be a JSON object'],
  ['metadata', '{"a": 1, "a": 2}', 'must have a once'],
  [
    'metadata',
    '{"a": {"id": 750727362669608961}}',
    'must have a.id as text, in quotation marks: as a number, it would be changed',
  ],
  ['rateLimit', '-100/60', 'must be a number of requests, a slash and a number of seconds, such as 100/60'],
  ['rateLimit', '100/60 min', 'must be a number of requests, a slash and a number of seconds, such as 100/60'],
  ['rateLimit', '100', 'must be a number of requests, a slash and a number of seconds, such as 100/60'],
] as const)('%s is not read from %s', (name, text, problem) => {
  expect(readSetting(name, text)).toEqual({ ok: false, problem });
});
