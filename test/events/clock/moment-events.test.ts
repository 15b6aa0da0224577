/** Events about moments of keys are written once each, in order, whatever happens to the instances. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { batchSize, MomentEvents, settleMs } from '../../../src/events/clock/moment-events.ts';
import { stuckMs } from '../../../src/lib/wrong-clock.ts';
import { Decision } from '../../../src/store/changes/change.ts';
import type { Store } from '../../../src/store/store.ts';
import { providers } from '../../support/databases.ts';
import { openStores } from '../../support/stores.ts';
import { addKeys, addManagementKey, begin, dayMs, eventsOf, hourMs, later, namesOf } from './keys.ts';

const pause = async () => undefined;

describe.each(providers)('on %s', (provider) => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  /** Tests share a store whose clock never goes back, so that each one begins at a later time. */
  let now = begin;
  beforeAll(async () => {
    stores = await openStores(provider);
    await at(now);
  });
  afterAll(() => stores.stop());

  const eventsIn = (store: Store, noticeDays = [30, 7, 1], signal = new AbortController().signal) =>
    new MomentEvents({ store, noticeDays, pause, signal });
  /** Checks at a time, when everything that was due by then has settled. */
  const at = async (time: Date, events = eventsIn(stores.store)) => {
    now = time;
    await events.writeDue(later(settleMs, time));
  };
  const add = (...keys: Parameters<typeof addKeys>[1]) => addKeys(stores.store, keys);
  const names = (ids: readonly string[]) => namesOf(stores.store, ids);
  const revision = () => stores.store.auditLog.lastRevision();

  it('writes each notice when its day has come, not before, and once', async () => {
    const expiresAt = later(40 * dayMs, now);
    const ids = await add({ expiresAt });
    const expected: string[] = [];
    for (const [leadMs, name] of [
      [30 * dayMs, 'KEY_EXPIRING 30'],
      [7 * dayMs, 'KEY_EXPIRING 7'],
      [dayMs, 'KEY_EXPIRING 1'],
      [0, 'KEY_EXPIRED'],
    ] as const) {
      await at(later(-leadMs - 1, expiresAt));
      expect(await names(ids)).toEqual(expected);
      expected.push(name);
      await at(later(-leadMs, expiresAt));
      await at(later(-leadMs + 1, expiresAt));
      expect(await names(ids)).toEqual(expected);
    }
    const [first, , , last] = await eventsOf(stores.store, ids);
    expect(first).toMatchObject({
      actor: 'latchkey',
      actorKind: 'SYSTEM',
      source: null,
      changes: [],
      details: { expiresAt: expiresAt.toISOString(), days: 30 },
    });
    expect(last?.details).toEqual({ expiresAt: expiresAt.toISOString() });
  });

  it('writes what was due during a downtime when it is over, in order for each key', async () => {
    const ids = await add({ expiresAt: later(31 * dayMs, now) });
    await at(later(60 * dayMs, now));
    expect(await names(ids)).toEqual(['KEY_EXPIRING 30', 'KEY_EXPIRING 7', 'KEY_EXPIRING 1', 'KEY_EXPIRED']);
  });

  it('writes the notices of an extended expiry again', async () => {
    const [id = ''] = await add({ expiresAt: later(8 * dayMs, now) });
    await at(later(2 * dayMs, now));
    const expiresAt = later(8 * dayMs, now);
    await stores.store.changes.housekeep(async (transaction) => {
      await transaction.apiKey.update({ where: { id }, data: { expiresAt } });
    });
    await at(later(9 * dayMs, now));
    const days = (await eventsOf(stores.store, [id])).map(({ details }) => details?.days ?? 'expired');
    expect(days).toEqual([7, 7, 1, 'expired']);
  });

  it('writes nothing about revoked keys, and the same about disabled ones', async () => {
    const expiresAt = later(2 * dayMs, now);
    const revoked = await add({ expiresAt, revokedAt: now, previousExpiresAt: expiresAt });
    const disabled = await add({ expiresAt, disabledAt: now });
    await at(later(3 * dayMs, now));
    expect(await names(revoked)).toEqual([]);
    expect(await names(disabled)).toEqual(['KEY_EXPIRING 1', 'KEY_EXPIRED']);
  });

  it('announces the expiry of a management key as that of a key, to its team, once and not after it was revoked', async () => {
    const expiresAt = later(8 * dayMs, now);
    const key = await addManagementKey(stores.store, { expiresAt });
    const revoked = await addManagementKey(stores.store, { expiresAt, revokedAt: now });
    const { id, name, prefix, teamId } = key;
    await at(later(dayMs - 1, now));
    expect(await names([id])).toEqual([]);
    await Promise.all([at(later(1, now)), at(now, eventsIn(stores.other))]);
    const [entry, ...more] = await eventsOf(stores.store, [id]);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ action: 'ACCESS_KEY_EXPIRING', teamId, actor: 'latchkey', actorKind: 'SYSTEM' });
    expect(entry?.details).toEqual({
      managementKey: { id, name, prefix },
      expiresAt: expiresAt.toISOString(),
      days: 7,
    });
    await at(later(10 * dayMs, now));
    expect(await names([id])).toEqual(['ACCESS_KEY_EXPIRING 7', 'ACCESS_KEY_EXPIRING 1']);
    expect(await names([revoked.id])).toEqual([]);
  });

  it('tells 24 hours and 1 hour before that a previous secret ends', async () => {
    const previousExpiresAt = later(25 * hourMs, now);
    const ids = await add({ secretVersion: 2, previousExpiresAt });
    await at(later(hourMs, now));
    expect(await names(ids)).toEqual(['OVERLAP_ENDING key']);
    await at(later(23 * hourMs - 1, now));
    expect(await names(ids)).toHaveLength(1);
    await at(later(1, now));
    expect(await names(ids)).toEqual(['OVERLAP_ENDING key', 'OVERLAP_ENDING key']);
    const [entry] = await eventsOf(stores.store, ids);
    expect(entry?.details).toEqual({ secret: 'key', endsAt: previousExpiresAt.toISOString() });
  });

  it('tells before the expiry of a key, and not later, that an overlap that outlasts it ends', async () => {
    const expiresAt = later(25 * hourMs, now);
    const previous = { previousSigningEnvelope: 'sealed before', previousSigningVersion: 1 };
    const signing = { signingEnvelope: 'sealed', signingVersion: 2, ...previous };
    const overlap = later(27 * hourMs, now);
    const [key = '', signed = '', extended = '', revoked = ''] = await add(
      { expiresAt, secretVersion: 2, previousExpiresAt: overlap },
      { expiresAt, ...signing, previousSigningExpiresAt: overlap },
      { expiresAt, secretVersion: 2, previousExpiresAt: overlap },
      { expiresAt, secretVersion: 2, previousExpiresAt: overlap, revokedAt: now },
    );
    await at(later(hourMs, now));
    await stores.store.changes.housekeep(async (transaction) => {
      await transaction.apiKey.update({ where: { id: extended }, data: { expiresAt: null } });
    });
    await at(later(30 * hourMs, now));
    const told = async (id: string) =>
      (await eventsOf(stores.store, [id]))
        .filter(({ action }) => action === 'OVERLAP_ENDING')
        .map(({ details }) => details);
    const ends = (secret: string, ...moments: Date[]) =>
      moments.map((moment) => ({ secret, endsAt: moment.toISOString() }));
    expect(await told(key)).toEqual(ends('key', expiresAt, expiresAt));
    expect(await told(signed)).toEqual(ends('signing', expiresAt, expiresAt));
    expect(await told(extended)).toEqual(ends('key', expiresAt, overlap, overlap));
    expect(await told(revoked)).toEqual([]);
  });

  it('tells that a previous signing secret ends only if it is accepted', async () => {
    const signing = {
      signingEnvelope: 'sealed',
      signingVersion: 3,
      previousSigningEnvelope: 'sealed before',
      previousSigningVersion: 2,
      previousSigningExpiresAt: later(2 * dayMs, now),
    };
    const accepted = await add(signing);
    const others = await add({ ...signing, previousSigningVersion: 1 }, { ...signing, signingEnvelope: null });
    await at(later(3 * dayMs, now));
    expect(await names(accepted)).toEqual(['OVERLAP_ENDING signing', 'OVERLAP_ENDING signing']);
    expect(await names(others)).toEqual([]);
  });

  it('writes one event for each of 1,000 keys that expire at the same instant, in small batches', async () => {
    const expiresAt = later(hourMs, now);
    const ids = await add(...Array.from({ length: 1000 }, () => ({ expiresAt })));
    await at(expiresAt);
    const entries = await eventsOf(stores.store, ids);
    expect(new Set(entries.map(({ keyId }) => keyId))).toEqual(new Set(ids));
    expect(entries).toHaveLength(1000);
    for (const requestId of new Set(entries.map((entry) => entry.requestId))) {
      const batch = entries.filter((entry) => entry.requestId === requestId);
      expect(batch.length).toBeLessThanOrEqual(batchSize);
    }
  });

  it('continues after a batch of revoked keys, which it does not write about', async () => {
    const expiresAt = later(hourMs, now);
    await add(...Array.from({ length: 450 }, () => ({ expiresAt, revokedAt: now })));
    const ids = await add({ expiresAt: later(1, expiresAt) });
    await at(later(1, expiresAt));
    expect(await names(ids)).toEqual(['KEY_EXPIRED']);
  });

  it('an event is written once by two instances that check at the same moment', async () => {
    const expiresAt = later(hourMs, now);
    const ids = await add(...Array.from({ length: 500 }, () => ({ expiresAt })));
    await Promise.all([at(expiresAt), at(expiresAt, eventsIn(stores.other)), at(expiresAt, eventsIn(stores.other))]);
    const entries = await eventsOf(stores.store, ids);
    expect(new Set(entries.map(({ keyId }) => keyId)).size).toBe(500);
    expect(entries).toHaveLength(500);
  });

  it('an instance that ends between two batches leaves the rest to another one', async () => {
    const expiresAt = later(hourMs, now);
    const ids = await add(...Array.from({ length: 500 }, () => ({ expiresAt })));
    const ending = new AbortController();
    const { store, other } = stores;
    const first = new MomentEvents({
      store,
      noticeDays: [],
      pause: async () => ending.abort(),
      signal: ending.signal,
    });
    await at(expiresAt, first);
    expect(await names(ids)).toHaveLength(batchSize);
    await at(expiresAt, eventsIn(other));
    const entries = await eventsOf(store, ids);
    expect(new Set(entries.map(({ keyId }) => keyId)).size).toBe(500);
    expect(entries).toHaveLength(500);
  });

  it('neither events nor progress are written if a transaction fails', async () => {
    const ids = await add({ expiresAt: later(hourMs, now) });
    const { changes } = stores.store;
    const submit = changes.submit.bind(changes);
    const disk = () => Promise.reject(new Error('the disk fails'));
    const failing = vi.spyOn(changes, 'submit').mockImplementation((change) =>
      submit({
        ...change,
        decide: (...parts) => {
          const { answer, write } = change.decide(...parts);
          return new Decision(answer, { ...write, rows: [...(write?.rows ?? []), disk] });
        },
      }),
    );
    await expect(at(later(hourMs, now))).rejects.toThrow('the disk fails');
    failing.mockRestore();
    expect(await names(ids)).toEqual([]);
    await at(now);
    expect(await names(ids)).toEqual(['KEY_EXPIRED']);
  });

  it('loses no notice after a downtime whose first check ends with an error', async () => {
    await at(now, eventsIn(stores.store, [1]));
    const downUntil = later(7 * hourMs, now);
    const expired = await add({ expiresAt: later(6 * hourMs, now) });
    // Its notice is due soon after the failed check.
    const noticed = await add({ expiresAt: later(dayMs + 1000, downUntil) });
    const { changes, eventProgress, keyMoments } = stores.store;
    const failing = {
      changes,
      eventProgress,
      keyMoments: Object.assign(Object.create(keyMoments), {
        list: async (range: Parameters<typeof keyMoments.list>[0]) => {
          if (/Overlap$/.test(range.moment)) throw new Error('the query fails');
          return await keyMoments.list(range);
        },
      }),
    };
    const { signal } = new AbortController();
    const ending = new MomentEvents({ store: failing, noticeDays: [1], pause, signal });
    await expect(at(downUntil, ending)).rejects.toThrow('the query fails');
    expect(await names(expired)).toEqual(['KEY_EXPIRED']);
    await at(later(2000, downUntil), eventsIn(stores.store, [1]));
    expect(await names(noticed)).toEqual(['KEY_EXPIRING 1']);
  });

  it('repeats nothing when the clock was set back', async () => {
    const ids = await add({ expiresAt: later(dayMs, now) });
    await at(later(dayMs, now));
    const time = now;
    const before = await names(ids);
    await at(later(-dayMs, time));
    await at(later(1, time));
    expect(await names(ids)).toEqual(before);
  });

  it('a change of the days begins at the current time, also of a day that was configured long ago', async () => {
    const days = (noticeDays: number[]) => eventsIn(stores.store, noticeDays);
    const ids = await add({ expiresAt: later(20 * dayMs, now) });
    await at(later(5 * dayMs, now), days([9]));
    await at(later(5 * dayMs, now), days([9]));
    // 10 days before: 14 and 12 are days that have passed, of which 14 is new, and 9 has not come.
    await at(now, days([14, 9]));
    await at(later(2 * dayMs, now), days([14, 9]));
    expect(await names(ids)).toEqual(['KEY_EXPIRING 9']);
  });

  it('does not repeat the day that was left out while its time passed', async () => {
    const days = (noticeDays: number[]) => eventsIn(stores.store, noticeDays);
    await at(now, days([3]));
    const ids = await add({ expiresAt: later(5 * dayMs, now) });
    await at(later(dayMs, now), days([3]));
    for (const _ of [1, 2, 3]) await at(later(12 * hourMs, now), days([]));
    await at(later(hourMs, now), days([3]));
    await at(later(hourMs, now), days([3]));
    expect(await names(ids)).toEqual([]);
    await at(later(3 * dayMs, now), days([3]));
    expect(await names(ids)).toEqual(['KEY_EXPIRED']);
  });

  it('writes nothing while nothing is due, and its progress at most once an hour', async () => {
    const progress = async () => JSON.stringify([...(await stores.store.eventProgress.list('time:'))]);
    await at(now);
    await at(later(2 * hourMs, now));
    const [before, revisionBefore] = [await progress(), await revision()];
    await at(later(50 * 60_000, now));
    expect(await progress()).toBe(before);
    await at(later(20 * 60_000, now));
    expect(await progress()).not.toBe(before);
    expect(await stores.store.auditLog.list({ after: revisionBefore, oldestFirst: true, limit: 10 })).toEqual([]);
  });
});

it('begins again two hours after a clock that was far ahead was set back, and leaves out nothing since then', async () => {
  const { store, stop } = await openStores('sqlite');
  onTestFinished(stop);
  const reports: string[] = [];
  const report = (error: unknown) => reports.push(String(error));
  const { signal } = new AbortController();
  const events = new MomentEvents({ store, noticeDays: [1], report, pause, signal });
  const at = (ms: number) => events.writeDue(later(ms + settleMs));
  await at(0);
  await at(365 * dayMs);
  const ids = await addKeys(store, [{ expiresAt: later(hourMs) }]);
  for (const ms of [0, 1, hourMs, stuckMs - 1]) await at(ms);
  expect(await namesOf(store, ids)).toEqual([]);
  for (const ms of [stuckMs, stuckMs + 1, stuckMs + 2]) await at(ms);
  expect(await namesOf(store, ids)).toEqual(['KEY_EXPIRED']);
  expect(reports).toEqual(['Error: events about times are written up to a time that is more than a day in the future']);
});

it('writes nothing about keys that expired before the first start', async () => {
  const stores = await openStores('sqlite');
  try {
    const ids = await addKeys(stores.store, [{ expiresAt: later(-dayMs) }, { expiresAt: later(hourMs) }]);
    const events = new MomentEvents({
      store: stores.store,
      noticeDays: [30, 7, 1],
      pause,
      signal: new AbortController().signal,
    });
    for (const time of [0, 1, hourMs]) await events.writeDue(later(time + settleMs));
    expect(await namesOf(stores.store, ids)).toEqual(['KEY_EXPIRED']);
    const [id = randomUUID()] = await addKeys(stores.store, [{ expiresAt: later(hourMs + settleMs + 1) }]);
    await events.writeDue(later(hourMs + 2 * settleMs));
    expect(await namesOf(stores.store, [id])).toEqual([]);
  } finally {
    await stores.stop();
  }
});
