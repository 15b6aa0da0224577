/** The deliverer and a person write deliveries and endpoints at the same time, without a deadlock. */
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { makeDeliveriesDue, replayDeliveries } from '../../src/store/rows/deliveries.ts';
import { addWebhook } from '../support/deliveries.ts';
import { openStores } from '../support/stores.ts';

it('on postgresql, a change of an endpoint locks its deliveries before it, as the deliverer does', async () => {
  const { store, other, stop } = await openStores('postgresql');
  onTestFinished(stop);
  const teamId = randomUUID();
  const { id } = await addWebhook(store, teamId, 'https://example.com/');
  const event = { revision: 1n, type: 'key.created', keyId: randomUUID() };
  await store.changes.perform((_, bulk) => replayDeliveries(bulk, id, [event], new Date()));
  const changing = Promise.withResolvers<void>();
  const delivering = Promise.withResolvers<void>();
  // A transaction that the database cancels because of a deadlock is repeated.
  const runs = { delivering: 0, changing: 0 };
  const delivered = other.changes.perform(async (transaction) => {
    runs.delivering += 1;
    await transaction.delivery.updateMany({ where: { webhookId: id }, data: { attempts: 1 } });
    delivering.resolve();
    await changing.promise;
    await transaction.webhook.update({ where: { id }, data: { cursor: 5n } });
  });
  await delivering.promise;
  const changed = store.webhooks.change(id, teamId, ({ webhook }) => ({
    answer: null,
    ...(webhook === null ? {} : { write: { ...webhook, description: 'changed' } }),
    alsoWrite: async (bulk) => {
      runs.changing += 1;
      changing.resolve();
      await makeDeliveriesDue(bulk, id, new Date());
    },
  }));
  await Promise.all([delivered, changed]);
  expect(runs).toEqual({ delivering: 1, changing: 1 });
  expect(await store.webhooks.find(id)).toMatchObject({ cursor: 5n, description: 'changed' });
});
