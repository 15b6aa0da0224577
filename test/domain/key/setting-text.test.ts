import { expect, test } from 'vitest';
import { fingerprintOf } from '../../../src/domain/key/idempotency.ts';
import { readSetting, writeSetting } from '../../../src/domain/key/setting-text.ts';
import { noSettings, parseNewSettings, type SettingName, settingNames } from '../../../src/domain/key/settings.ts';
import { parseFields } from '../../../src/domain/parse-fields.ts';
import { fullSettings } from '../../support/plain-keys.ts';

test('every setting is read back from the text that it is written as, whether from a value or from its JSON', () => {
  const json = JSON.parse(JSON.stringify(fullSettings)) as Readonly<Record<SettingName, unknown>>;
  for (const name of settingNames) {
    expect(readSetting(name, writeSetting(name, fullSettings[name]))).toEqual({ ok: true, value: json[name] });
    expect(writeSetting(name, json[name])).toBe(writeSetting(name, fullSettings[name]));
    expect(writeSetting(name, null)).toBe('');
  }
});

test('the parsers accept every setting as it is, and give a new key no restriction by default', () => {
  const now = new Date('2029-01-01T00:00:00Z');
  expect(parseFields(parseNewSettings(fullSettings, now))).toEqual(fullSettings);
  expect(parseFields(parseNewSettings({ name: 'Bare' }, now))).toEqual({ name: 'Bare', ...noSettings });
  expect(noSettings).toMatchObject({ allowedIps: [], expiresAt: null, scopes: [], metadata: null });
});

test.each(['{}', '{"name": null}'])('a new key of %s lacks its name', (json) => {
  expect(parseNewSettings(JSON.parse(json), new Date())).toMatchObject({
    name: { ok: false, problem: 'is required' },
    tags: { ok: true, value: [] },
  });
});

test.each([
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
  ['metadata', '[1]', 'must be a JSON object'],
  ['metadata', '{"a": 1, "a": 2}', 'must have a once'],
  ['rateLimit', '100', 'must be a number of requests, a slash and a number of seconds, such as 100/60'],
] as const)('%s is not read from %s', (name, text, problem) => {
  expect(readSetting(name, text)).toEqual({ ok: false, problem });
});

test('the fingerprint of a create depends on every setting, and not on those that have their defaults', () => {
  const lacking = settingNames.map((name) => ({ ...fullSettings, [name]: { ...noSettings, name: 'Other' }[name] }));
  const fingerprints = [fullSettings, ...lacking].map((settings) => fingerprintOf('live', settings, false));
  expect(new Set(fingerprints).size).toBe(settingNames.length + 1);
  expect(fingerprintOf('live', { ...noSettings, name: 'A key' }, false)).toBe(
    fingerprintOf('live', { ...noSettings, name: 'A key', tags: [] }, false),
  );
});
