import { expect, test } from 'vitest';
import type { ApiKey } from '../../../src/domain/key/api-key.ts';
import { type IpAddress, parseIpAddress } from '../../../src/domain/source/ip-address.ts';
import {
  checksOfKey,
  checksWithoutKey,
  type KeyCircumstances,
  type Presented,
} from '../../../src/domain/verdict/verification-checks.ts';
import { plainKey } from '../../support/plain-keys.ts';

const key: ApiKey = {
  ...plainKey,
  id: 'id',
  teamId: 'team',
  name: 'Billing',
  env: 'live',
  prefix: 'lk_live_4fJx81Qz',
  digest: 'the digest',
  pepperId: 'main',
  allowedIps: [],
  expiresAt: null,
  createdAt: new Date('2026-01-01T00:00:00Z'),
  revokedAt: null,
  signingEnvelope: null,
  signingVersion: 0,
};
const now = new Date('2026-06-01T12:00:00Z');
const good: KeyCircumstances = {
  now,
  env: 'live',
  source: { kind: 'unrestricted' },
  scopes: [],
  secretExpiresAt: null,
  signature: null,
};
const bySecret: Presented = { by: 'secret', form: 'good' };

function ip(text: string): IpAddress {
  const address = parseIpAddress(text);
  if (address === null) throw new Error(`${text} is no address`);
  return address;
}

/** The one check, as outcome and explanation. */
function told(name: string, changes: Partial<ApiKey>, circumstances: Partial<KeyCircumstances> = {}) {
  const checks = checksOfKey(bySecret, { ...key, ...changes }, { ...good, ...circumstances });
  const { outcome, explanation } = checks.find((check) => check.name === name) ?? {};
  return [outcome, explanation];
}

test('a text without the format of a key is not looked up, and without a key no further check runs', () => {
  for (const form of ['wrong shape', 'wrong checksum'] as const) {
    const checks = checksWithoutKey({ by: 'secret', form });
    expect(checks.map(({ outcome }) => outcome)).toEqual(['FAILED', ...Array(10).fill('SKIPPED')]);
  }
  for (const presented of [bySecret, { by: 'prefix' } as const]) {
    const [form, existence, ...more] = checksWithoutKey(presented);
    expect(form?.outcome).toBe(presented.by === 'prefix' ? 'SKIPPED' : 'PASSED');
    expect(existence).toMatchObject({
      outcome: 'FAILED',
      explanation: `The team has no key with this ${presented.by}.`,
    });
    expect(more.map(({ outcome }) => outcome)).toEqual(Array(9).fill('SKIPPED'));
  }
});

test('a typing error is distinguished from text that is not a key at all', () => {
  const explained = (['wrong shape', 'wrong checksum'] as const).map(
    (form) => checksWithoutKey({ by: 'secret', form })[0]?.explanation,
  );
  expect(explained).toEqual([
    'It does not have the format of a key: characters are missing, added or not allowed.',
    'It looks like a key, but its checksum is wrong: at least one character differs.',
  ]);
});

test('the times of revocation and expiry are given to the millisecond', () => {
  const moment = new Date('2026-06-01T12:00:00.000Z');
  const later = new Date(moment.getTime() + 1);
  expect(told('REVOCATION', {})).toEqual(['PASSED', 'It has not been revoked.']);
  expect(told('REVOCATION', { revokedAt: moment })).toEqual([
    'FAILED',
    'It was revoked at 2026-06-01T12:00:00.000Z, permanently.',
  ]);
  expect(told('EXPIRY', {})).toEqual(['PASSED', 'It never expires.']);
  expect(told('EXPIRY', { expiresAt: moment })).toEqual(['FAILED', 'It expired at 2026-06-01T12:00:00.000Z.']);
  expect(told('EXPIRY', { expiresAt: later })).toEqual(['PASSED', 'It expires at 2026-06-01T12:00:00.001Z.']);
});

test('the environment is not checked if the caller names none', () => {
  expect(told('ENVIRONMENT', {}, { env: undefined })).toEqual([
    'SKIPPED',
    'It is for live, and the request names no environment.',
  ]);
  expect(told('ENVIRONMENT', {}, { env: 'live' })[0]).toBe('PASSED');
  expect(told('ENVIRONMENT', {}, { env: 'test' })[0]).toBe('FAILED');
});

test('an unknown source and one that is not on the list have different explanations', () => {
  const allowedIps = ['10.0.0.0/8'];
  expect(told('SOURCE', { allowedIps }, { source: { kind: 'unknown' } })).toEqual([
    'FAILED',
    'It has an allow-list of 1 entry, and the source is not known.',
  ]);
  const source = { kind: 'unlisted', source: ip('::ffff:192.0.2.1'), hosts: [] } as const;
  expect(told('SOURCE', { allowedIps: ['10.0.0.0/8', '::1'] }, { source })).toEqual([
    'FAILED',
    '192.0.2.1 is not on its allow-list of 2 entries. Add the address itself, a range that contains it, or a host name that resolves to it.',
  ]);
});

test('names a few of a hundred hosts, and of each whether it has addresses', () => {
  const hosts = Array.from({ length: 100 }, (_, i) => ({ host: `h${i}.example`, hasAddresses: i % 2 === 0 }));
  const [, explanation] = told('SOURCE', {}, { source: { kind: 'unlisted', source: ip('10.0.0.1'), hosts } });
  expect(explanation).toContain('h3.example has no address; h4.example has other addresses; 95 more');
  expect(explanation?.length).toBeLessThan(700);
});

test('nothing secret of a key is in its explanation', () => {
  const text = JSON.stringify(checksOfKey(bySecret, { ...key, signingEnvelope: 'the envelope' }, good));
  expect(text).toContain('Billing');
  for (const hidden of ['the digest', 'the envelope']) expect(text).not.toContain(hidden);
});
