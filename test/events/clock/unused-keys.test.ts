/** Keys that are not used anymore are found once a day, by a walk over all keys that any instance continues. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxPages, UnusedKeys } from '../../../src/events/clock/unused-keys.ts';
import { usageTable } from '../../../src/store/changes/bulk-rows.ts';
import type { Store } from '../../../src/store/store.ts';
import { providers } from '../../support/databases.ts';
import { openStores } from '../../support/stores.ts';
import { addKeys, begin, dayMs, eventsOf, hourMs, later, namesOf } from './keys.ts';

const pause = async () => undefined;
const days = 90;

describe.each(providers)('on %s', (provider) => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let now = begin;
  beforeAll(async () => {
    stores = await openStores(provider);
    await walkAt(now);
  });
  afterAll(() => stores.stop());

  const walkerIn = (store: Store, signal = new AbortController().signal, pauseOf: () => Promise<void> = pause) =>
    new UnusedKeys({ store, days, pause: pauseOf, signal });
  const walkAt = async (time: Date, walker = walkerIn(stores.store)) => {
    now = time;
    let goesOn = true;
    while (goesOn) goesOn = await walker.continueWalk(time);
  };
  const add = (...keys: Parameters<typeof addKeys>[1]) => addKeys(stores.store, keys);
  const names = (ids: readonly string[]) => namesOf(stores.store, ids);
  const use = (keyId: string, lastUsedAt: Date) =>
    stores.store.changes.housekeep((_, bulk) => bulk.insert(usageTable, [{ keyId, lastUsedAt }]));

  it('writes when a key has not been used for 90 days, or never since it was created, once', async () => {
    const createdAt = later(-60 * dayMs, now);
    const [neverUsed = '', used = ''] = await add({ createdAt }, { createdAt });
    const lastUsedAt = later(-59 * dayMs, now);
    await use(used, lastUsedAt);
    await walkAt(later(30 * dayMs - 1, now));
    expect(await names([neverUsed, used])).toEqual([]);
    await walkAt(later(dayMs, now));
    expect(await names([neverUsed, used])).toEqual(['KEY_UNUSED 90']);
    await walkAt(later(dayMs, now));
    await walkAt(later(dayMs, now));
    const entries = await eventsOf(stores.store, [neverUsed, used]);
    expect(entries.map(({ keyId, details }) => ({ keyId, details }))).toEqual([
      { keyId: neverUsed, details: { lastUsedAt: null, days } },
      { keyId: used, details: { lastUsedAt: lastUsedAt.toISOString(), days } },
    ]);
    expect(entries[0]).toMatchObject({ actor: 'latchkey', actorKind: 'SYSTEM', source: null });
  });

  it('writes again when the key was used in between', async () => {
    const [id = ''] = await add({ createdAt: later(-90 * dayMs + 1, now) });
    await walkAt(later(dayMs, now));
    await use(id, now);
    for (const _ of [1, 2]) await walkAt(later(90 * dayMs, now));
    expect(await names([id])).toEqual(['KEY_UNUSED 90', 'KEY_UNUSED 90']);
  });

  it('writes nothing about keys that are revoked, disabled or expired, nor about those that were old before', async () => {
    const createdAt = later(-90 * dayMs + 1, now);
    const [old, ...ids] = await add(
      { createdAt: later(-2, createdAt) },
      { createdAt, revokedAt: now },
      { createdAt, disabledAt: now },
      { createdAt, expiresAt: later(hourMs, now) },
    );
    const [usable = ''] = await add({ createdAt, expiresAt: later(9 * dayMs, now) });
    await walkAt(later(dayMs, now));
    expect(await names([old ?? '', ...ids])).toEqual([]);
    expect(await names([usable])).toEqual(['KEY_UNUSED 90']);
  });

  it('two instances at the same moment, and one that ends between two pages, write each event once', async () => {
    const createdAt = later(-90 * dayMs + 1, now);
    const ids = await add(...Array.from({ length: 700 }, () => ({ createdAt })));
    const time = later(dayMs, now);
    const ending = new AbortController();
    await walkerIn(stores.store, ending.signal, async () => ending.abort()).continueWalk(time);
    const written = (await eventsOf(stores.store, ids)).length;
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(700);
    await Promise.all([walkAt(time), walkAt(time, walkerIn(stores.other))]);
    const entries = await eventsOf(stores.store, ids);
    expect(new Set(entries.map(({ keyId }) => keyId)).size).toBe(700);
    expect(entries).toHaveLength(700);
  });

  it('writes nothing about a key that is used while it is read', async () => {
    const [id = ''] = await add({ createdAt: later(-90 * dayMs + 1, now) });
    const { changes, eventProgress, keyMoments } = stores.store;
    const store = {
      changes,
      eventProgress,
      keyMoments: Object.assign(Object.create(keyMoments), {
        uses: async (after: string, limit: number) => {
          const keys = await keyMoments.uses(after, limit);
          if (keys.some((key) => key.id === id)) await use(id, now);
          return keys;
        },
      }),
    };
    await walkAt(later(dayMs, now), new UnusedKeys({ store, days, pause, signal: new AbortController().signal }));
    expect(await names([id])).toEqual([]);
  });

  it('writes nothing until a day has passed, and does not repeat a walk when the clock was set back', async () => {
    const progress = async () => JSON.stringify([...(await stores.store.eventProgress.list('time:unused'))]);
    await walkAt(later(dayMs, now));
    const [before, time] = [await progress(), now];
    await walkAt(later(dayMs - 1, time));
    await walkAt(later(-9 * dayMs, time));
    expect(await progress()).toBe(before);
    now = time;
  });
});

it('reads a bounded number of keys per call, and continues with the next one', async () => {
  const stores = await openStores('sqlite');
  try {
    const { store } = stores;
    const walker = new UnusedKeys({ store, days, pause, signal: new AbortController().signal });
    await walker.continueWalk(begin);
    await addKeys(
      store,
      Array.from({ length: 200 * maxPages + 1 }, () => ({ createdAt: begin })),
    );
    const time = later(91 * dayMs);
    expect(await walker.continueWalk(time)).toBe(true);
    const { current } = await countOf(store);
    expect(current).toBe(200 * maxPages);
    expect(await walker.continueWalk(time)).toBe(false);
    expect((await countOf(store)).current).toBe(200 * maxPages + 1);
    expect(await walker.continueWalk(time)).toBe(false);
    expect((await countOf(store)).current).toBe(200 * maxPages + 1);
  } finally {
    await stores.stop();
  }
});

async function countOf(store: Store) {
  return { current: (await store.auditLog.list({ oldestFirst: true, limit: 100_000 })).length };
}
