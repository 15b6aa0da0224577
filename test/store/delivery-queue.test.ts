/** Deliveries are rows: how the log becomes rows, which are due, and what instances before 0.2 have left. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventAction } from '../../src/domain/event/event-types.ts';
import type { Delivery } from '../../src/domain/webhook/delivery.ts';
import type { Webhook } from '../../src/domain/webhook/webhook.ts';
import { deliveryTable } from '../../src/store/changes/bulk-rows.ts';
import { notAttempted, replayDeliveries } from '../../src/store/rows/deliveries.ts';
import { type FanOutRange, fanOut, maxPending, settle } from '../../src/store/rows/delivery-queue.ts';
import type { Store } from '../../src/store/store.ts';
import { providers } from '../support/databases.ts';
import { addWebhook, appendEvents, changeWebhook, removeWebhooks, setEnabled } from '../support/deliveries.ts';
import { openStores } from '../support/stores.ts';

const now = new Date('2026-11-26T12:00:00Z');
const later = (ms: number) => new Date(now.getTime() + ms);

describe.each(providers)('on %s', (provider) => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let store: Store;
  let teamId: string;
  beforeAll(async () => {
    stores = await openStores(provider);
    store = stores.store;
  });
  afterAll(() => stores.stop());
  beforeEach(() => {
    teamId = randomUUID();
  });

  const add = async (fields: Partial<Webhook> = {}) =>
    (await addWebhook(store, teamId, 'https://example.com/', fields)).id;
  const append = (...events: readonly { readonly action?: EventAction; readonly keyId?: string }[]) =>
    appendEvents(store, teamId, events);
  const write = (ranges: readonly FanOutRange[]) => store.changes.housekeep((_, bulk) => fanOut(bulk, ranges, now));
  const fanOutAll = async (...ids: readonly string[]) => write(await store.deliveryQueue.ranges(ids));
  const findOfTeam = async () =>
    (await store.deliveryQueue.find(now, [teamId])).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rowsOf = async (webhookId: string) => (await store.deliveries.list({ webhookId, limit: 2000 })).reverse();
  const due = async (id: string, taken: Parameters<Store['deliveryQueue']['due']>[1] = [], at = now) =>
    (await store.deliveryQueue.due([id], taken, at)).map(({ delivery }) => delivery.revision);
  const replay = async (
    id: string,
    keyId: string,
    events: readonly (Pick<Delivery, 'revision'> | undefined)[],
    at = now,
  ) => {
    const cursor = (await store.webhooks.find(id))?.cursor ?? 0n;
    const replayed = events.map((event) => ({ revision: event?.revision ?? 0n, type: 'key.updated' as const, keyId }));
    await store.changes.housekeep((_, bulk) => replayDeliveries({ id, cursor }, replayed, at)(bulk));
  };
  const insert = (webhookId: string, revision: bigint, keyId: string, nextAttemptAt: Date | null) => {
    const outcome = nextAttemptAt === null ? 'DELIVERED' : 'PENDING';
    const row = { ...notAttempted(now), webhookId, revision, type: 'key.updated', keyId, outcome, nextAttemptAt };
    return store.changes.housekeep((_, bulk) => bulk.insert(deliveryTable, [row]));
  };

  it('turns the entries after the cursor that an endpoint wants into pending rows, and moves the cursor', async () => {
    const [all, some] = [await add(), await add({ types: ['key.revoked', 'webhook.secret_rotated'] })];
    const keyId = randomUUID();
    const created = await append({ action: 'KEY_CREATED', keyId }, { action: 'WEBHOOK_SECRET_ROTATED' });
    await append({ action: 'WEBHOOK_TESTED' });
    const [last] = await append({ action: 'KEY_REVOKED', keyId });
    await appendEvents(store, randomUUID(), [{}]);
    expect(await findOfTeam()).toEqual(
      [all, some].toSorted().map((id) => ({ id, teamId, isBehind: true, isDue: false })),
    );
    await fanOutAll(all, some);
    const typesOf = async (id: string) => (await rowsOf(id)).map(({ type }) => type);
    expect(await typesOf(all)).toEqual(['webhook.created', 'key.created', 'webhook.secret_rotated', 'key.revoked']);
    expect(await typesOf(some)).toEqual(['webhook.secret_rotated', 'key.revoked']);
    expect((await rowsOf(all))[1]).toEqual({
      ...notAttempted(now),
      ...{ webhookId: all, revision: created[0]?.revision, type: 'key.created', keyId },
    });
    for (const id of [all, some]) expect(await store.webhooks.find(id)).toMatchObject({ cursor: last?.revision });
    expect(await store.deliveryQueue.ranges([all, some])).toEqual([]);
    expect(await findOfTeam()).toEqual(
      [all, some].toSorted().map((id) => ({ id, teamId, isBehind: false, isDue: true })),
    );
  });

  it('loses no event of an endpoint that is disabled and enabled, or changed, while the log is read for it', async () => {
    const id = await add();
    const [event] = await append({});
    const before = await store.deliveryQueue.ranges([id]);
    await setEnabled(store, id, false, now);
    await write(before);
    expect(await rowsOf(id)).toEqual([]);
    expect(await store.deliveryQueue.ranges([id])).toEqual([]);
    await setEnabled(store, id, true, now);
    await write(before);
    expect(await rowsOf(id)).toEqual([]);
    await changeWebhook(store, id, { types: ['key.updated'] });
    await fanOutAll(id);
    expect((await rowsOf(id)).map(({ revision }) => revision)).toEqual([event?.revision]);
  });

  it('writes nothing twice if another instance has moved the cursor meanwhile, and never moves it back', async () => {
    const id = await add({ types: ['key.updated'] });
    await append({});
    const before = await store.deliveryQueue.ranges([id]);
    const [last] = await append({});
    await fanOutAll(id);
    await write(before);
    expect(await rowsOf(id)).toHaveLength(2);
    expect(await store.webhooks.find(id)).toMatchObject({ cursor: last?.revision });
  });

  it('of a long log, has at most 500 rows pending for each endpoint', async () => {
    const ids = [await add({ types: ['key.updated'] }), await add({ types: ['key.updated'] })];
    await append(...new Array(1200).fill({}));
    const pending = () => Promise.all(ids.map((id) => store.deliveries.countPending(id, 2000)));
    await fanOutAll(...ids);
    // Each has half of what one transaction writes. One of the entries is not wanted.
    expect(await pending()).toEqual([125, 124].toSorted());
    for (let i = 0; i < 10; i += 1) await fanOutAll(...ids);
    for (const count of await pending()) {
      expect(count).toBeGreaterThan(maxPending / 2);
      expect(count).toBeLessThanOrEqual(maxPending);
    }
  });

  it('an endpoint with many pending events gets new ones, as long as it has room for some', async () => {
    const id = await add({ types: ['key.updated'] });
    const next = async () => {
      await append({});
      await fanOutAll(id);
      return (await store.webhooks.find(id))?.cursor === (await store.auditLog.lastRevision());
    };
    // As if the receiver had been down, or old events were replayed.
    const waiting = (count: number, from: number) =>
      store.changes.housekeep((_, bulk) => {
        const row = { ...notAttempted(now), webhookId: id, type: 'key.updated', nextAttemptAt: later(3_600_000) };
        const at = (i: number) => ({ ...row, revision: BigInt(-from - i), keyId: `key ${from + i}` });
        return bulk.insert(
          deliveryTable,
          Array.from({ length: count }, (_, i) => at(i)),
        );
      });
    await waiting(300, 1);
    expect(await next()).toBe(true);
    await waiting(maxPending - 300 - 5, 301);
    expect(await next()).toBe(false);
  });

  it('new events do not wait for replays, however many, of their key or of another one', async () => {
    const id = await add({ types: ['key.updated'] });
    const keyId = randomUUID();
    const replayed = Array.from({ length: 2 * maxPending }, (_, i) => ({ revision: BigInt(-i) })).reverse();
    await replay(id, keyId, replayed, later(-1000));
    const [ofKey, ofOther] = await append({ keyId }, { keyId: randomUUID() });
    await fanOutAll(id);
    const [first, second] = replayed;
    expect(await due(id)).toEqual([first?.revision, ofKey?.revision, ofOther?.revision]);
    // Replays keep the order of their key among themselves.
    const settled = { webhookId: id, revision: first?.revision ?? 0n, isSettled: true };
    expect(await due(id, [settled])).toContain(second?.revision);
    expect(await due(id, [{ ...settled, isSettled: false }])).toEqual([ofKey?.revision, ofOther?.revision]);
  });

  it('a new event that is replayed before it was delivered stays new', async () => {
    const id = await add({ types: ['key.updated'] });
    const keyId = randomUUID();
    const events = await append({ keyId }, { keyId });
    await fanOutAll(id);
    const kinds = async () => (await rowsOf(id)).map(({ isReplay }) => isReplay);
    await replay(id, keyId, events);
    expect(await kinds()).toEqual([false, false]);
    expect(await due(id)).toEqual([events[0]?.revision]);
    await store.changes.housekeep(({ delivery }) =>
      delivery.updateMany({ where: { webhookId: id }, data: { outcome: 'DELIVERED', nextAttemptAt: null } }),
    );
    await replay(id, keyId, events);
    expect(await kinds()).toEqual([true, true]);
    await replay(id, keyId, events);
    expect(await kinds()).toEqual([true, true]);
  });

  it('an event that is replayed before the log was read for it waits for the earlier ones of its key', async () => {
    const id = await add({ types: ['key.updated'] });
    const keyId = randomUUID();
    const [first, second] = await append({ keyId }, { keyId });
    await replay(id, keyId, [second]);
    expect(await due(id)).toEqual([]);
    await fanOutAll(id);
    expect(await due(id)).toEqual([first?.revision]);
    expect((await rowsOf(id)).map(({ isReplay }) => isReplay)).toEqual([false, false]);
  });

  it('new events wait for no event that is replayed during its last attempt', async () => {
    const id = await add({ types: ['key.updated'] });
    const keyId = randomUUID();
    const [first, second] = await append({ keyId }, { keyId });
    await fanOutAll(id);
    const [underWay] = await rowsOf(id);
    await replay(id, keyId, [first], later(1));
    const settleAs = (outcome: Partial<Delivery>) => {
      const deliveries = underWay === undefined ? [] : [{ ...underWay, attempts: 1, ...outcome }];
      return store.changes.housekeep((_, bulk) => settle(bulk, { deliveries, pauses: [], trimmed: [] }));
    };
    await settleAs({ outcome: 'PENDING', nextAttemptAt: later(60_000) });
    expect(await due(id, [], later(1))).toEqual([first?.revision]);
    await settleAs({ outcome: 'DELIVERED', nextAttemptAt: null });
    expect(await due(id, [], later(1))).toEqual([second?.revision, first?.revision]);
  });

  it('looks through a bounded number of events of a key for one of another', async () => {
    const id = await add();
    const row = { ...notAttempted(now), webhookId: id, type: 'key.updated', keyId: 'key 1' };
    const rows = Array.from({ length: maxPending }, (_, i) => ({ ...row, revision: BigInt(i + 1) }));
    await store.changes.housekeep((_, bulk) => bulk.insert(deliveryTable, rows));
    await insert(id, 9999n, 'key 2', now);
    expect(await due(id)).toEqual([1n]);
    expect(await due(id, [{ webhookId: id, revision: 1n, isSettled: true }])).toEqual([2n]);
    await insert(id, 9998n, 'key 3', later(-1));
    expect(await due(id)).toEqual([9998n, 1n]);
  });

  it('of each key, only the earliest pending event is due, at most two of an endpoint, and first what is due longest', async () => {
    const id = await add();
    const [one, two, three] = ['key 1', 'key 2', 'key 3'];
    await insert(id, 11n, one, later(1000));
    await insert(id, 12n, one, later(-5000));
    await insert(id, 13n, two, now);
    await insert(id, 14n, two, now);
    await insert(id, 15n, three, later(-1));
    await insert(id, 16n, 'key 4', now);
    expect(await due(id)).toEqual([15n, 13n]);
    const taken = (revision: bigint, isSettled: boolean) => ({ webhookId: id, revision, isSettled });
    expect(await due(id, [taken(13n, false)])).toEqual([15n, 16n]);
    expect(await due(id, [taken(13n, true), taken(15n, false)])).toEqual([14n, 16n]);
    // The same event at another endpoint is another delivery.
    expect(await due(id, [{ ...taken(15n, false), webhookId: randomUUID() }])).toEqual([15n, 13n]);
    expect(await due(id, [], later(1000))).toEqual([15n, 13n]);
    expect(
      await due(
        id,
        [13n, 15n, 16n].map((revision) => taken(revision, false)),
        later(1000),
      ),
    ).toEqual([11n]);
  });

  it('nothing is due at an endpoint that is disabled or has asked to wait, until it is enabled', async () => {
    const id = await add();
    await insert(id, 21n, 'key 1', now);
    await store.changes.housekeep((_, bulk) =>
      settle(bulk, { deliveries: [], pauses: [{ id, pausedUntil: later(1000) }], trimmed: [] }),
    );
    const isDue = async (at: Date) =>
      (await store.deliveryQueue.find(at, [teamId])).some((found) => found.isDue) || (await due(id, [], at)).length > 0;
    expect(await isDue(later(999))).toBe(false);
    expect(await isDue(later(1000))).toBe(true);
    await setEnabled(store, id, false, now);
    expect(await isDue(later(1000))).toBe(false);
    await setEnabled(store, id, true, now);
    expect(await isDue(now)).toBe(true);
  });

  it('leaves what an instance before 0.2 has sent after its cursor, and sends what it left pending', async () => {
    const id = await add({ types: ['key.updated'] });
    const keyId = randomUUID();
    const [sent, failed, untouched] = await append({ keyId }, { keyId: 'another key' }, { keyId });
    // That one moves its cursor only over what is settled, and has rows only of what it attempted.
    await insert(id, sent?.revision ?? 0n, keyId, null);
    await insert(id, failed?.revision ?? 0n, 'another key', later(1000));
    await fanOutAll(id);
    const rows = await rowsOf(id);
    expect(rows.map(({ outcome }) => outcome)).toEqual(['DELIVERED', 'PENDING', 'PENDING']);
    expect(rows[1]?.nextAttemptAt).toEqual(later(1000));
    expect(await due(id)).toEqual([untouched?.revision]);
  });

  it('an outcome changes no row that another instance has settled, or that was replayed since', async () => {
    const id = await add();
    const outcome = (revision: bigint) => ({
      ...({ ...notAttempted(now), webhookId: id, revision, type: 'key.updated', keyId: 'key 1' } as const),
      ...({ outcome: 'FAILED', attempts: 10, nextAttemptAt: null } as const),
    });
    await insert(id, 31n, 'key 1', null);
    await insert(id, 32n, 'key 1', now);
    await insert(id, 33n, 'key 1', now);
    const deliveries = [outcome(31n), outcome(32n), { ...outcome(33n), createdAt: later(-1) }];
    await store.changes.housekeep((_, bulk) => settle(bulk, { deliveries, pauses: [], trimmed: [] }));
    expect((await rowsOf(id)).map((row) => row.outcome)).toEqual(['DELIVERED', 'FAILED', 'PENDING']);
  });

  it('knows the oldest event that waits, in the log or as a row', async () => {
    const id = await add({ types: ['key.updated'] });
    const at = later(-86_400_000 * 365);
    await appendEvents(store, teamId, [{}], at);
    expect(await store.deliveryQueue.oldest()).toBeInstanceOf(Date);
    await fanOutAll(id);
    await store.changes.housekeep(async ({ delivery }) => {
      await delivery.updateMany({ where: { webhookId: id }, data: { createdAt: at } });
    });
    expect(await store.deliveryQueue.oldest()).toEqual(at);
    // Also if it waits for a retry, while newer events are due.
    await store.changes.housekeep(async ({ delivery }) => {
      await delivery.updateMany({ where: { webhookId: id }, data: { nextAttemptAt: later(3_600_000) } });
    });
    await insert(id, 9999n, 'another key', now);
    expect(await store.deliveryQueue.oldest()).toEqual(at);
    await removeWebhooks(store, teamId);
    expect(await store.deliveryQueue.oldest()).not.toEqual(at);
  });
});
