/** What an audit trail says about a restored key is decided by the state of the key, whatever the order of its entries. */
import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { StoredKey } from '../../src/domain/key/api-key.ts';
import { operatorCaller } from '../../src/manage/management.ts';
import { type ComparedEntry, LostChanges } from '../../src/manage/upkeep/lost-changes.ts';
import { plainKey } from '../support/plain-keys.ts';

const now = new Date('2026-05-04T03:02:01.123Z');
const end = new Date('2026-05-05T00:00:00.000Z');
const key: StoredKey = {
  ...plainKey,
  id: randomUUID(),
  teamId: randomUUID(),
  name: 'A key',
  env: 'live',
  prefix: 'lk_live_AbCdEfGh',
  digest: 'a digest',
  pepperId: 'p1',
  createdAt: now,
  revision: 1n,
};

function entry(revision: number, action: string, changes: ComparedEntry['changes'] = [], isLost = true): ComparedEntry {
  return { revision: BigInt(revision), action, keyId: key.id, requestId: `${revision}`, at: now, changes, isLost };
}

/** After a restore, revisions are used again: an entry of a later timeline can have a lower one. */
function later(days: number, entry: ComparedEntry): ComparedEntry {
  return { ...entry, at: new Date(now.getTime() + days * 86_400_000) };
}

function listChange(field: string, added: readonly string[], removed: readonly string[]) {
  return [{ field, before: null, after: null, added, removed }];
}

function lostChanges(entries: readonly ComparedEntry[]): LostChanges {
  const lost = new LostChanges();
  for (const one of entries) lost.add(one);
  return lost;
}

/** The actions that are written, on each key that results, in both orders of the entries. */
function applied(state: StoredKey, ...entries: readonly ComparedEntry[]): readonly string[] {
  const [forward, backward] = [entries, entries.toReversed()].map((ordered) => {
    let current = state;
    return lostChanges(ordered)
      .endings(operatorCaller({ requestId: 'reapply', now }))
      .flatMap(({ decide }) => {
        const { write } = decide(current, 2n);
        if (write?.key === undefined) return [];
        current = { ...write.key, revision: 2n };
        return (write.entries ?? []).map(({ action }) => action);
      });
  });
  expect(forward).toEqual(backward);
  return forward ?? [];
}

describe('of the lost changes of a key', () => {
  it('a revocation is applied again, once, whatever else happened', () => {
    const entries = [entry(5, 'KEY_DISABLED'), entry(6, 'KEY_ENABLED'), entry(7, 'KEY_REVOKED')];
    expect(applied(key, ...entries)).toEqual(['KEY_REVOKED']);
    expect(applied({ ...key, revokedAt: now }, ...entries)).toEqual([]);
    expect(applied(key, entry(7, 'KEY_REVOKED', [], false))).toEqual([]);
  });

  it('a release is applied again, also to a key that is revoked already', () => {
    const released = entry(7, 'KEY_REVOKED', [{ field: 'digestReleased', before: false, after: true }]);
    expect(applied(key, released)).toEqual(['KEY_REVOKED']);
    expect(applied({ ...key, revokedAt: now }, released)).toEqual(['KEY_REVOKED']);
    expect(applied({ ...key, revokedAt: now, digest: `released ${key.id}` }, released)).toEqual([]);
  });

  it('disabling is applied again only if it was the last word', () => {
    expect(applied(key, entry(5, 'KEY_DISABLED'))).toEqual(['KEY_DISABLED']);
    expect(applied(key, entry(5, 'KEY_DISABLED'), entry(6, 'KEY_ENABLED'))).toEqual([]);
    expect(applied(key, entry(5, 'KEY_ENABLED'), entry(6, 'KEY_DISABLED'))).toEqual(['KEY_DISABLED']);
    // Its entry was purged from the database, and the later one was not.
    expect(applied(key, entry(5, 'KEY_DISABLED'), entry(6, 'KEY_ENABLED', [], false))).toEqual([]);
  });

  it('the end of an overlap is applied to this overlap, and to no later one', () => {
    const ended = entry(5, 'OVERLAP_ENDED', [
      { field: 'previousSecretExpiresAt', before: end.toISOString(), after: null },
    ]);
    expect(applied({ ...key, previousExpiresAt: end }, ended)).toEqual(['OVERLAP_ENDED']);
    expect(applied({ ...key, previousExpiresAt: new Date(end.getTime() + 1) }, ended)).toEqual([]);
    expect(applied(key, ended)).toEqual([]);
  });

  it('the end of an overlap is applied if the trail names the expiry of the key, with which it would have ended', () => {
    const overlapping = { ...key, previousExpiresAt: new Date(end.getTime() + 1) };
    const moved = (before: Date | null, after: Date) =>
      entry(4, 'KEY_UPDATED', [
        { field: 'expiresAt', before: before?.toISOString() ?? null, after: after.toISOString() },
        { field: 'previousSecretExpiresAt', before: end.toISOString(), after: after.toISOString() },
      ]);
    const ended = entry(5, 'OVERLAP_ENDED', [
      { field: 'previousSecretExpiresAt', before: end.toISOString(), after: null },
    ]);
    const [other, another] = [new Date(end.getTime() - 1), new Date(end.getTime() - 2)];
    expect(applied({ ...overlapping, expiresAt: end }, ended)).toEqual(['OVERLAP_ENDED']);
    expect(applied({ ...overlapping, expiresAt: other }, moved(null, end), ended)).toEqual(['OVERLAP_ENDED']);
    expect(applied({ ...overlapping, expiresAt: other }, moved(end, another), ended)).toEqual(['OVERLAP_ENDED']);
    expect(applied({ ...overlapping, expiresAt: other }, ended)).toEqual([]);
    expect(applied({ ...overlapping, expiresAt: end }, moved(end, other))).toEqual([]);
  });

  it('a rotation ends the overlap of the one before, and its secret is left to the operator', () => {
    const rotated = entry(5, 'KEY_ROTATED', [
      { field: 'prefix', before: key.prefix, after: 'lk_live_IjKlMnOp' },
      { field: 'previousSecretExpiresAt', before: end.toISOString(), after: null },
    ]);
    const again = entry(6, 'KEY_ROTATED', [{ field: 'prefix', before: 'lk_live_IjKlMnOp', after: 'lk_live_QrStUvWx' }]);
    expect(applied({ ...key, previousExpiresAt: end }, rotated)).toEqual(['OVERLAP_ENDED']);
    expect(lostChanges([again, rotated]).undone(key)).toEqual(['secret']);
    expect(lostChanges([again, rotated]).undone({ ...key, prefix: 'lk_live_YzYzYzYz' })).toEqual([]);
  });

  it('signing and restrictions are left to the operator until the key has them', () => {
    const signing = entry(5, 'SIGNING_ENABLED', [{ field: 'signingVersion', before: 0, after: 1 }]);
    const restricted = entry(6, 'KEY_UPDATED', [
      { field: 'allowedIps', before: null, after: null, added: ['10.0.0.1'], removed: [] },
      { field: 'expiresAt', before: null, after: end.toISOString() },
      { field: 'name', before: 'A key', after: 'Another name' },
    ]);
    expect(lostChanges([signing, restricted]).undone(key)).toEqual(['signing', 'allowedIps', 'expiresAt']);
    const repaired = { ...key, signingVersion: 1, allowedIps: ['10.0.0.1'], expiresAt: end };
    expect(lostChanges([signing, restricted]).undone(repaired)).toEqual([]);
    expect(lostChanges([entry(6, 'KEY_UPDATED', [{ field: 'scopes' }])]).undone(key)).toEqual(['scopes']);
    expect(lostChanges([signing, entry(7, 'KEY_REVOKED')]).undone(key)).toEqual([]);
  });

  it('a restriction that later changes hide is left to the operator', () => {
    const scopes = [
      entry(5, 'KEY_UPDATED', listChange('scopes', [], ['admin', 'read'])),
      entry(6, 'KEY_UPDATED', listChange('scopes', ['read'], [])),
    ];
    const sources = [
      entry(5, 'KEY_UPDATED', listChange('allowedIps', [], ['10.0.0.1'])),
      entry(6, 'KEY_UPDATED', listChange('allowedIps', ['10.0.0.3'], [])),
      entry(7, 'KEY_UPDATED', listChange('allowedIps', [], ['10.0.0.3'])),
    ];
    const omitted = [
      entry(5, 'KEY_UPDATED', [{ field: 'scopes' }]),
      entry(6, 'KEY_UPDATED', listChange('scopes', ['read'], [])),
    ];
    const undone = (entries: readonly ComparedEntry[], state: Partial<StoredKey>) => [
      lostChanges(entries).undone({ ...key, ...state }),
      lostChanges(entries.toReversed()).undone({ ...key, ...state }),
    ];
    expect(undone(scopes, { scopes: ['admin', 'read'] })).toEqual([['scopes'], ['scopes']]);
    expect(undone(scopes, { scopes: ['read'] })).toEqual([[], []]);
    expect(undone(sources, { allowedIps: ['10.0.0.1', '10.0.0.2'] })).toEqual([['allowedIps'], ['allowedIps']]);
    expect(undone(sources, { allowedIps: ['10.0.0.2'] })).toEqual([[], []]);
    expect(undone(omitted, { scopes: ['read', 'write'] })).toEqual([['scopes'], ['scopes']]);
  });

  it('a restriction is not listed if it was taken back, or if the key was created with it', () => {
    const removed = entry(5, 'KEY_UPDATED', listChange('scopes', [], ['admin']));
    const added = entry(6, 'KEY_UPDATED', listChange('scopes', ['admin'], []));
    const state = { ...key, scopes: ['admin'] };
    expect(lostChanges([added, removed]).undone(state)).toEqual([]);
    expect(lostChanges([{ ...added, isLost: false }, removed]).undone(state)).toEqual([]);
    // Its entry was purged from the database.
    expect(lostChanges([entry(4, 'KEY_CREATED', [{ field: 'scopes' }])]).undone(state)).toEqual([]);
  });

  it('changes of several timelines are ordered by time, and by revision in doubt', () => {
    const enabled = entry(4000, 'KEY_ENABLED');
    const disabled = later(1, entry(150, 'KEY_DISABLED'));
    expect(applied(key, enabled, disabled)).toEqual(['KEY_DISABLED']);
    // The clock of one instance was ahead, or the key was enabled in a later timeline: it is not certain which.
    expect(applied(key, later(1, entry(5, 'KEY_ENABLED')), entry(6, 'KEY_DISABLED'))).toEqual(['KEY_DISABLED']);
    const restricted = entry(4000, 'KEY_UPDATED', [{ field: 'rateLimit', before: null, after: null }]);
    const restrictedLater = later(1, entry(150, 'KEY_UPDATED', [{ field: 'rateLimit', before: null, after: '5/1' }]));
    expect(lostChanges([restricted, restrictedLater]).undone(key)).toEqual(['rateLimit']);
  });

  it('each rotation of several timelines can have left its secret behind', () => {
    const prefix = (before: string, after: string) => [{ field: 'prefix', before, after }];
    const rotated = entry(150, 'KEY_ROTATED', prefix('lk_live_00000000', 'lk_live_11111111'));
    const rotatedLater = later(1, entry(200, 'KEY_ROTATED', prefix(key.prefix, 'lk_live_33333333')));
    expect(lostChanges([rotated, rotatedLater]).undone(key)).toEqual(['secret']);
    const version = (before: number) => [{ field: 'signingVersion', before, after: before + 1 }];
    const signing = [entry(150, 'SIGNING_ENABLED', version(0)), later(1, entry(200, 'SIGNING_ROTATED', version(2)))];
    expect(lostChanges(signing).undone({ ...key, signingVersion: 2 })).toEqual(['signing']);
    expect(lostChanges(signing).undone({ ...key, signingVersion: 3 })).toEqual([]);
  });

  it('an overlap that has expired is not ended', () => {
    const passed = new Date(now.getTime() - 1);
    const ended = entry(5, 'OVERLAP_ENDED', [
      { field: 'previousSecretExpiresAt', before: passed.toISOString(), after: null },
      { field: 'previousSigningSecretExpiresAt', before: passed.toISOString(), after: null },
    ]);
    expect(applied({ ...key, previousExpiresAt: passed, previousSigningExpiresAt: passed }, ended)).toEqual([]);
  });

  it('only what is read is kept in memory', async () => {
    setFlagsFromString('--expose-gc');
    const lost = new LostChanges();
    const addLarge = (action: string, field: string, isLost: boolean) => {
      const values = Array.from({ length: 100 }, (_, i) => `10.0.0.${i}`);
      lost.add(entry(5, action, [{ field, before: values, after: values }], isLost));
      return new WeakRef(values);
    };
    const dropped = [
      addLarge('KEY_UPDATED', 'metadata', true),
      addLarge('KEY_CREATED', 'allowedIps', false),
      addLarge('KEY_REVOKED', 'reason', false),
    ];
    const kept = addLarge('KEY_UPDATED', 'allowedIps', true);
    await new Promise(setImmediate);
    runInNewContext('gc')();
    expect(dropped.map((values) => values.deref())).toEqual([undefined, undefined, undefined]);
    expect(kept.deref()).toHaveLength(100);
    expect(lost.hasLost).toBe(true);
  });
});
