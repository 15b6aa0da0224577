// SECURITY.md: Bytes from outside; Hostile tenant
/** The log of deliveries has a maximum length, so that it grows neither with the changes of a team nor with its endpoints. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Delivery } from '../../src/domain/webhook/delivery.ts';
import { keptDeliveries, notAttempted } from '../../src/store/rows/deliveries.ts';
import { settle } from '../../src/store/rows/delivery-queue.ts';
import { providers } from '../support/databases.ts';
import {
  addWebhook,
  appendEvents,
  entryOf,
  removeWebhooks,
  startWorker,
  until,
  WallClock,
} from '../support/deliveries.ts';
import { startReceiver } from '../support/receivers.ts';
import { seedRows } from '../support/seeds.ts';
import { rest, serviceOn, sessionToken } from '../support/service.ts';
import { openStores } from '../support/stores.ts';
import { write } from '../support/write.ts';

describe.each(providers)('on %s', (provider) => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  beforeAll(async () => {
    stores = await openStores(provider);
  });
  afterAll(() => stores.stop());

  const rowsOf = (webhookId: string) => stores.store.deliveries.list({ webhookId, limit: 20_000 });
  const pendingAt = (webhookId: string, revision: bigint): Delivery => ({
    ...{ webhookId, revision, type: 'key.created', keyId: randomUUID() },
    ...notAttempted(new Date()),
  });
  const settledAt = (webhookId: string, revision: bigint): Delivery => ({
    ...pendingAt(webhookId, revision),
    ...{ outcome: 'DELIVERED', attempts: 1, nextAttemptAt: null, responseBody: 'x'.repeat(128) },
  });
  /** Moves the end of the log, so that the rows are older than what follows. Returns the first revision. */
  const passRevisions = async (count: number) => {
    const events = await appendEvents(stores.store, randomUUID(), new Array(count).fill({}));
    return events[0]?.revision ?? 0n;
  };
  const seed = async (rows: readonly Delivery[]) => {
    for (let from = 0; from < rows.length; from += 500) {
      await seedRows(stores.database.url, 'Delivery', rows.slice(from, from + 500));
    }
  };

  it('keeps the newest deliveries of an endpoint, and all that are pending', async () => {
    const { store } = stores;
    const teamId = randomUUID();
    const first = await passRevisions(3000);
    const { id } = await addWebhook(store, teamId, 'https://example.com/');
    const neighbour = await addWebhook(store, teamId, 'https://example.com/');
    const at = (i: number) => first + BigInt(i);
    const pending = [0, 400, 899, 2999].map((i) => pendingAt(id, at(i)));
    const isPending = new Set(pending.map(({ revision }) => revision));
    const all = Array.from({ length: 3000 }, (_, i) => settledAt(id, at(i)));
    await seed([...all.filter(({ revision }) => !isPending.has(revision)), ...pending]);
    await seed(all.map((row) => ({ ...row, webhookId: neighbour.id })));
    const lengths: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      await store.changes.housekeep((_, bulk) => settle(bulk, { deliveries: [], pauses: [], trimmed: [id] }));
      lengths.push((await rowsOf(id)).length);
    }
    // One transaction deletes a limited number of rows.
    expect(lengths).toEqual([2500, 2003, 2003]);
    const newest = Array.from({ length: keptDeliveries }, (_, i) => at(2999 - i));
    expect((await rowsOf(id)).map(({ revision }) => revision)).toEqual([...newest, at(899), at(400), at(0)]);
    expect(await rowsOf(neighbour.id)).toHaveLength(3000);
    await removeWebhooks(store, teamId);
  });

  it('keeps all deliveries after the cursor of an endpoint, so that none of these events is sent again', async () => {
    const { store } = stores;
    const teamId = randomUUID();
    const { id } = await addWebhook(store, teamId, 'https://example.com/', { types: ['key.updated'] });
    // As an instance before 0.2 leaves them while an earlier event is pending.
    const events = await appendEvents(store, teamId, new Array(keptDeliveries + 1).fill({}));
    await seed(events.map(({ revision }) => settledAt(id, revision)));
    await store.changes.housekeep((_, bulk) => settle(bulk, { deliveries: [], pauses: [], trimmed: [id] }));
    expect(await rowsOf(id)).toHaveLength(events.length);
    await removeWebhooks(store, teamId);
  });

  it('cuts the log of an endpoint while it gets events, and when it is tested', async () => {
    const { store } = stores;
    const clock = new WallClock();
    const teamId = randomUUID();
    const receiver = await startReceiver();
    const first = await passRevisions(2200);
    const { id } = await addWebhook(store, teamId, receiver.url);
    await seed(Array.from({ length: 2200 }, (_, i) => settledAt(id, first + BigInt(i))));
    // The lot always falls on the endpoint.
    const worker = startWorker(store, clock, { random: () => 0 });
    onTestFinished(() => worker.close().then(() => receiver.stop()));
    const [event] = await appendEvents(store, teamId, [{ keyId: randomUUID() }]);
    await until([worker], clock, async () => {
      const [newest] = await rowsOf(id);
      return newest?.revision === event?.revision && newest?.outcome === 'DELIVERED';
    });
    expect(await rowsOf(id)).toHaveLength(keptDeliveries);
    const tested = await write(store, { entries: [entryOf(teamId, 'WEBHOOK_TESTED', id, new Date())] });
    await store.deliveries.insert(settledAt(id, tested));
    expect(await rowsOf(id)).toHaveLength(keptDeliveries);
    await removeWebhooks(store, teamId);
  });

  it('deletes all deliveries of a deleted endpoint, and records none that end later', async () => {
    const { store, database } = stores;
    const teamId = randomUUID();
    const first = await passRevisions(4500);
    const { id } = await addWebhook(store, teamId, 'https://example.com/');
    await seed(Array.from({ length: 4500 }, (_, i) => settledAt(id, first + BigInt(i))));
    const running = await serviceOn(database);
    onTestFinished(running.stop);
    const token = sessionToken({ [teamId]: ['manage_webhooks'] });
    expect((await rest(running.url, token, 'DELETE', `/v1/webhooks/${id}`)).status).toBe(200);
    expect(await rowsOf(id)).toEqual([]);
    await running.service.management.store.deliveries.insert(settledAt(id, first));
    expect(await rowsOf(id)).toEqual([]);
  });
});
