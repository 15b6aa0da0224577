/** The deliverer and people write deliveries and endpoints at the same time, and nothing locks the others out for long. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RowWrite } from '../../src/store/changes/change.ts';
import {
  keptDeliveries,
  makeDeliveriesDue,
  notAttempted,
  replayDeliveries,
  trimDeliveries,
} from '../../src/store/rows/deliveries.ts';
import { providers, theProvider } from '../support/databases.ts';
import { addWebhook, changeWebhook } from '../support/deliveries.ts';
import { seedRows } from '../support/seeds.ts';
import { openStores } from '../support/stores.ts';

if (theProvider === 'postgresql') {
  it('on postgresql, a change of an endpoint locks its deliveries before it, as the deliverer does', async () => {
    const { store, other, stop } = await openStores('postgresql');
    onTestFinished(stop);
    const teamId = randomUUID();
    const webhook = await addWebhook(store, teamId, 'https://example.com/', { cursor: 1n });
    const { id } = webhook;
    const event = { revision: 1n, type: 'key.created', keyId: randomUUID() } as const;
    const attempted = (attempts: number) => ({ where: { webhookId: id }, data: { attempts } });
    await store.changes.housekeep(async (transaction, bulk) => {
      await replayDeliveries(webhook, [event], new Date())(bulk);
      // Otherwise it would be due already, and the change would not write it.
      await transaction.delivery.updateMany(attempted(1));
    });
    const delivering = signal();
    // A transaction that the database cancels because of a deadlock is repeated.
    let isChanging = false;
    const runs = { delivering: 0, changing: 0 };
    const delivered = other.changes.housekeep(async (transaction) => {
      runs.delivering += 1;
      await transaction.delivery.updateMany(attempted(2));
      delivering.resolve();
      // Not idle meanwhile, because PostgreSQL ends a transaction that is idle for a second.
      while (!isChanging) await transaction.delivery.count({ where: { webhookId: id } });
      await transaction.webhook.update({ where: { id }, data: { cursor: 5n } });
    });
    await delivering.promise;
    const due = makeDeliveriesDue(id, new Date());
    const makeDue: RowWrite = async (bulk) => {
      runs.changing += 1;
      isChanging = true;
      await due(bulk);
    };
    const changed = changeWebhook(store, id, { description: 'changed' }, 'WEBHOOK_UPDATED', { rows: [makeDue] });
    await Promise.all([delivered, changed]);
    expect(runs).toEqual({ delivering: 1, changing: 1 });
    expect(await store.webhooks.find(id)).toMatchObject({ cursor: 5n, description: 'changed' });
  });

  it('on postgresql, the deletion of old deliveries waits for no other transaction', async () => {
    const { database, store, other, stop } = await openStores('postgresql');
    onTestFinished(stop);
    const { id: webhookId } = await addWebhook(store, randomUUID(), 'https://example.com/', { cursor: 5000n });
    const settled = { ...notAttempted(new Date()), outcome: 'DELIVERED', nextAttemptAt: null };
    const row = { webhookId, type: 'key.created', keyId: randomUUID(), ...settled };
    const rows = Array.from({ length: keptDeliveries + 2 }, (_, i) => ({ ...row, revision: BigInt(i + 1) }));
    await seedRows(database.url, 'Delivery', rows);
    const locked = signal();
    let isTrimmed = false;
    const locking = other.changes.housekeep(async (transaction) => {
      await transaction.delivery.updateMany({ where: { webhookId, revision: 2n }, data: { attempts: 2 } });
      locked.resolve();
      while (!isTrimmed) await transaction.delivery.count({ where: { webhookId } });
    });
    await locked.promise;
    const trim = () => store.changes.housekeep((_, bulk) => trimDeliveries(bulk, webhookId));
    const left = async () =>
      (await store.deliveries.list({ webhookId, before: 4n, limit: 5 })).map(({ revision }) => revision);
    await trim();
    expect(await left()).toEqual([3n, 2n]);
    isTrimmed = true;
    await locking;
    await trim();
    expect(await left()).toEqual([3n]);
  });
}

describe.each(providers)('on %s', (provider) => {
  it('makes the pending deliveries of a disabled endpoint due, at most 1,000 in a transaction', async () => {
    const { database, store, stop } = await openStores(provider);
    onTestFinished(stop);
    const now = new Date();
    const disabled = { disabledAt: now, disabledReason: 'MANUAL' } as const;
    const { id } = await addWebhook(store, randomUUID(), 'https://example.com/', disabled);
    const row = { webhookId: id, type: 'key.created', keyId: randomUUID(), ...notAttempted(now) };
    const tried = { ...row, attempts: 3, nextAttemptAt: new Date(now.getTime() + 3_600_000) };
    const rows = Array.from({ length: 2500 }, (_, i) => ({ ...tried, revision: BigInt(i + 1) }));
    const delivered = { ...tried, revision: 2501n, outcome: 'DELIVERED', nextAttemptAt: null };
    await seedRows(database.url, 'Delivery', [...rows, delivered]);
    let changed: unknown;
    await store.changes.housekeep(async (_, bulk) => {
      changed = await makeDeliveriesDue(id, now)(bulk);
    });
    expect(changed).toBe(1000);
    await store.deliveries.makeDue(id, now, { credential: null });
    const listed = await store.deliveries.list({ webhookId: id, limit: 3000 });
    const [last, ...pending] = listed;
    expect(last).toMatchObject(delivered);
    expect(new Set(pending.map(({ attempts, nextAttemptAt }) => `${attempts} ${nextAttemptAt?.getTime()}`))).toEqual(
      new Set([`0 ${now.getTime()}`]),
    );
    expect(pending).toHaveLength(2500);
    expect(await store.deliveries.countPending(id, 10_000)).toBe(2500);
    expect(await store.deliveries.countPending(id, 2000)).toBe(2000);
    const later = new Date(now.getTime() + 1000);
    await store.changes.housekeep((transaction) =>
      transaction.delivery.updateMany({ where: { webhookId: id, revision: 1n }, data: { attempts: 1 } }),
    );
    await changeWebhook(store, id, { disabledAt: null, disabledReason: null }, 'WEBHOOK_ENABLED');
    await store.deliveries.makeDue(id, later, { credential: null });
    expect(await store.deliveries.list({ webhookId: id, before: 2n, limit: 1 })).toMatchObject([{ attempts: 1 }]);
  });
});

function signal() {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((resolveIt) => {
    resolve = resolveIt;
  });
  return { promise, resolve: () => resolve() };
}
