import { expect, test } from 'vitest';
import { readSetting, writeSetting } from '../../../src/domain/key/setting-text.ts';
import {
  type KeySettings,
  parseNewSettings,
  type SettingName,
  settingNames,
} from '../../../src/domain/key/settings.ts';
import { parseFields } from '../../../src/domain/parse-fields.ts';

const full: KeySettings = {
  name: 'Billing',
  allowedIps: ['10.0.0.0/8', '192.0.2.1 # office; lab'],
  expiresAt: new Date('2030-01-31T12:00:00.000Z'),
  scopes: ['orders:read', '[orders]'],
  externalId: 'customer-42',
  tags: ['one', 'two; three'],
  metadata: { plan: 'gold', limits: [1, null] },
  rateLimit: { limit: 100, windowSeconds: 60 },
};

test('every setting is read back from the text that it is written as, whether from a value or from its JSON', () => {
  const json = JSON.parse(JSON.stringify(full)) as Readonly<Record<SettingName, unknown>>;
  for (const name of settingNames) {
    expect(readSetting(name, writeSetting(name, full[name]))).toEqual({ ok: true, value: json[name] });
    expect(writeSetting(name, json[name])).toBe(writeSetting(name, full[name]));
    expect(writeSetting(name, null)).toBe('');
  }
});

test('the parsers accept every setting as it is, and give a new key no restriction by default', () => {
  const now = new Date('2029-01-01T00:00:00Z');
  expect(parseFields(parseNewSettings(full, now))).toEqual(full);
  expect(parseFields(parseNewSettings({ name: 'Bare' }, now))).toEqual({
    name: 'Bare',
    allowedIps: [],
    expiresAt: null,
    scopes: [],
    externalId: null,
    tags: [],
    metadata: null,
    rateLimit: null,
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
