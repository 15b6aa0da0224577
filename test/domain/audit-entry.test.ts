import { expect, test } from 'vitest';
import { auditChanges } from '../../src/domain/audit-entry.ts';
import type { ApiKey } from '../../src/domain/key/api-key.ts';
import { plainKey } from '../support/plain-keys.ts';

const key: ApiKey = {
  ...plainKey,
  id: 'key-1',
  teamId: 'team-1',
  createdAt: new Date('2026-01-01T00:00:00.000Z'),
  name: 'deploy',
  env: 'live',
  prefix: 'lk_live_OGusQGwp',
  allowedIps: ['10.0.0.0/8 # office'],
  digest: 'must-not-show-1',
  pepperId: 'must-not-show-2',
  signingEnvelope: 'must-not-show-3',
  expiresAt: new Date('2027-01-01T00:00:00.000Z'),
  signingVersion: 1,
};
const ofSources = (...allowedIps: string[]) => ({ ...key, allowedIps });
const change = (field: string, before: unknown, after: unknown) => ({ field, before, after });
const listed = (added: string[], removed: string[]) => [{ ...change('allowedIps', null, null), added, removed }];

test('a new key is recorded with every field that it has, from nothing, but no digest, pepper or envelope', () => {
  const changes = auditChanges(null, key);
  expect(changes).toEqual([
    change('name', null, 'deploy'),
    change('env', null, 'live'),
    change('prefix', null, 'lk_live_OGusQGwp'),
    change('allowedIps', null, ['10.0.0.0/8 # office']),
    change('expiresAt', null, '2027-01-01T00:00:00.000Z'),
    change('scopes', null, []),
    change('tags', null, []),
    change('signingEnabled', null, true),
    change('signingVersion', null, 1),
  ]);
  expect(JSON.stringify(changes)).not.toContain('must-not-show');
});

const hundred = Array.from({ length: 100 }, (_, i) => `10.0.0.${i} # ${'x'.repeat(200)}`);
const revokedAt = new Date('2026-02-03T04:05:06.789Z');
const later = new Date(revokedAt.getTime() + 1);

test.each<[string, ApiKey, ApiKey, readonly unknown[]]>([
  [
    'the fields that differ, and no others',
    key,
    { ...ofSources(), name: 'release', expiresAt: null },
    [
      change('name', 'deploy', 'release'),
      ...listed([], ['10.0.0.0/8 # office']),
      change('expiresAt', '2027-01-01T00:00:00.000Z', null),
    ],
  ],
  [
    'of a list only the entries that were added and removed',
    ofSources(...hundred),
    ofSources(...hundred.slice(1), '::1'),
    listed(['::1'], hundred.slice(0, 1)),
  ],
  [
    'a repeated entry as often as it was added or removed',
    ofSources('::1', '::1', '::2'),
    ofSources('::2', '::1', '::3', '::3'),
    listed(['::3', '::3'], ['::1']),
  ],
  ['another order of a list', ofSources('::1', '::2'), ofSources('::2', '::1'), listed([], [])],
  ['the time of a revocation', key, { ...key, revokedAt }, [change('revokedAt', null, revokedAt.toISOString())]],
  [
    'an overlap that outlasts the key as one that ends at the expiry',
    { ...key, expiresAt: revokedAt },
    { ...key, expiresAt: revokedAt, previousExpiresAt: later },
    [change('previousSecretExpiresAt', null, revokedAt.toISOString())],
  ],
  [
    'the end of such an overlap, which moves with the expiry',
    { ...key, expiresAt: revokedAt, previousExpiresAt: later },
    { ...key, expiresAt: null, previousExpiresAt: later },
    [
      change('expiresAt', revokedAt.toISOString(), null),
      change('previousSecretExpiresAt', revokedAt.toISOString(), later.toISOString()),
    ],
  ],
  [
    'the end of an overlap by a revocation',
    { ...key, previousExpiresAt: later },
    { ...key, previousExpiresAt: later, revokedAt },
    [change('previousSecretExpiresAt', later.toISOString(), null), change('revokedAt', null, revokedAt.toISOString())],
  ],
  [
    'a rotated signing secret as a new version',
    key,
    { ...key, signingEnvelope: 'another', signingVersion: 2 },
    [change('signingVersion', 1, 2)],
  ],
  ['a disabled one as off', key, { ...key, signingEnvelope: null }, [change('signingEnabled', true, false)]],
  ['nothing of equal values', key, structuredClone(key), []],
  ['nothing of a digest, pepper or envelope', { ...key, digest: '', pepperId: '', signingEnvelope: '' }, key, []],
])('a change records %s', (_, before, after, changes) => {
  expect(auditChanges(before, after)).toEqual(changes);
});
