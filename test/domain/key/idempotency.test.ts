import { expect, test } from 'vitest';
import {
  fingerprintOf,
  idempotencyId,
  idempotencyRetentionMs,
  parseIdempotencyKey,
} from '../../../src/domain/key/idempotency.ts';
import { noSettings, settingNames } from '../../../src/domain/key/settings.ts';
import { fullSettings } from '../../support/plain-keys.ts';

const plain = { ...noSettings, name: 'A key' };

test('an idempotency key is 1 to 255 printable ASCII characters', () => {
  for (const text of [' ', '~', 'x'.repeat(255)]) expect(parseIdempotencyKey(text)).toEqual({ ok: true, value: text });
  for (const text of ['', 'x'.repeat(256), 'a\n', 'é', '\x1fa', 'a\x7f']) {
    expect(parseIdempotencyKey(text)).toEqual({
      ok: false,
      problem: 'must have 1 to 255 printable ASCII characters',
    });
  }
});

test('what is stored is a digest of the team, the caller and the key, which must never change', () => {
  // Computed with Python's hashlib from the text ["team-1","ada","key-1"].
  expect(idempotencyId('team-1', 'ada', 'key-1')).toBe('BYwDthCt3fHsivEj5ICxy1wCpwRq04XJZjZu2JWYEuc');
  expect(idempotencyRetentionMs).toBe(86_400_000);
});

test('a fingerprint is a digest of the settings that have no default, which must never change', () => {
  // Computed with Python's hashlib from the text ["live",true,["name","A key"],["scopes",["read"]]].
  expect(fingerprintOf('live', { ...plain, scopes: ['read'] }, true)).toBe(
    'FO4WV_8248uMWOjj-ro5lFk61vXqVXfYKrDbCCA1x0k',
  );
});

test('the fingerprint of a create depends on everything that was asked for', () => {
  const lacking = settingNames.map((name) => ({ ...fullSettings, [name]: { ...noSettings, name: 'Other' }[name] }));
  const fingerprints = [fullSettings, ...lacking].map((settings) => fingerprintOf('live', settings, false));
  fingerprints.push(fingerprintOf('test', fullSettings, false), fingerprintOf('live', fullSettings, true));
  expect(new Set(fingerprints).size).toBe(settingNames.length + 3);
});
