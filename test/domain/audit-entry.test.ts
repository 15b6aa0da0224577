import { expect, test } from 'vitest';
import { auditChanges } from '../../src/domain/audit-entry.ts';
import type { ApiKey } from '../../src/domain/key/api-key.ts';
import { plainKey } from '../support/plain-keys.ts';

const key: ApiKey = {
  ...plainKey,
  id: '0198c0de-0000-7000-8000-000000000001',
  teamId: '0198c0de-0000-7000-8000-000000000002',
  name: 'deploy',
  env: 'live',
  prefix: 'lk_live_OGusQGwp',
  digest: 'digest-that-must-not-show',
  pepperId: 'pepper-that-must-not-show',
  allowedIps: ['10.0.0.0/8 # office'],
  expiresAt: new Date('2027-01-01T00:00:00.000Z'),
  createdAt: new Date('2026-01-01T00:00:00.000Z'),
  revokedAt: null,
  signingEnvelope: 'envelope-that-must-not-show',
  signingVersion: 1,
};

test('a new key is recorded with every field that it has, from nothing', () => {
  expect(auditChanges(null, key)).toEqual([
    { field: 'name', before: null, after: 'deploy' },
    { field: 'env', before: null, after: 'live' },
    { field: 'prefix', before: null, after: 'lk_live_OGusQGwp' },
    { field: 'allowedIps', before: null, after: ['10.0.0.0/8 # office'] },
    { field: 'expiresAt', before: null, after: '2027-01-01T00:00:00.000Z' },
    { field: 'scopes', before: null, after: [] },
    { field: 'tags', before: null, after: [] },
    { field: 'signingEnabled', before: null, after: true },
    { field: 'signingVersion', before: null, after: 1 },
  ]);
});

test('a change records the fields that differ, before and after, and no others', () => {
  const changed = { ...key, name: 'release', allowedIps: [], expiresAt: null };
  expect(auditChanges(key, changed)).toEqual([
    { field: 'name', before: 'deploy', after: 'release' },
    { field: 'allowedIps', before: null, after: null, added: [], removed: ['10.0.0.0/8 # office'] },
    { field: 'expiresAt', before: '2027-01-01T00:00:00.000Z', after: null },
  ]);
});

test('of a changed list, only the entries that were added and removed are recorded', () => {
  const old = { ...key, allowedIps: Array.from({ length: 100 }, (_, i) => `10.0.0.${i} # ${'x'.repeat(200)}`) };
  const changes = auditChanges(old, { ...old, allowedIps: [...old.allowedIps.slice(1), '::1'] });
  expect(changes).toEqual([
    { field: 'allowedIps', before: null, after: null, added: ['::1'], removed: [old.allowedIps[0]] },
  ]);
  expect(JSON.stringify(changes).length).toBeLessThan(400);
});

test('an entry that a list has several times is recorded as often as it was added or removed', () => {
  const old = { ...key, allowedIps: ['::1', '::1', '::2'] };
  expect(auditChanges(old, { ...key, allowedIps: ['::2', '::1', '::3', '::3'] })).toEqual([
    { field: 'allowedIps', before: null, after: null, added: ['::3', '::3'], removed: ['::1'] },
  ]);
});

test('the order of allowed sources is part of what the caller wrote: reordering is a change', () => {
  const old = { ...key, allowedIps: ['10.0.0.1', '10.0.0.2'] };
  expect(auditChanges(old, { ...key, allowedIps: ['10.0.0.2', '10.0.0.1'] })).toEqual([
    { field: 'allowedIps', before: null, after: null, added: [], removed: [] },
  ]);
});

test('a revocation records its time', () => {
  expect(auditChanges(key, { ...key, revokedAt: new Date('2026-02-03T04:05:06.789Z') })).toEqual([
    { field: 'revokedAt', before: null, after: '2026-02-03T04:05:06.789Z' },
  ]);
});

test('a rotated signing secret shows as a new version, a disabled one as off; neither shows the envelope', () => {
  expect(auditChanges(key, { ...key, signingEnvelope: 'another', signingVersion: 2 })).toEqual([
    { field: 'signingVersion', before: 1, after: 2 },
  ]);
  expect(auditChanges(key, { ...key, signingEnvelope: null })).toEqual([
    { field: 'signingEnabled', before: true, after: false },
  ]);
});

test('nothing changed, nothing recorded: equal lists and dates are equal by value', () => {
  expect(auditChanges(key, structuredClone(key))).toEqual([]);
});

test('no digest, pepper or envelope is ever in the trail', () => {
  const before = { ...key, digest: 'must-not-show-1', pepperId: 'must-not-show-2', signingEnvelope: 'must-not-show-3' };
  expect(auditChanges(before, key)).toEqual([]);
  expect(JSON.stringify(auditChanges(null, key))).not.toContain('must-not-show');
});
