/** The health of an endpoint, and the events that failed there: what counts, and that reads are limited. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/domain/webhook/delivery.ts';
import { notAttempted } from '../../src/store/rows/deliveries.ts';
import { providers } from '../support/databases.ts';
import { seedRows } from '../support/seeds.ts';
import { openStores } from '../support/stores.ts';

const hourMs = 3_600_000;

describe.each(providers)('on %s', (provider) => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  beforeAll(async () => {
    stores = await openStores(provider);
  });
  afterAll(() => stores.stop());

  const now = new Date('2026-11-26T12:00:00Z');
  const settled = { nextAttemptAt: null, attempts: 1, attemptedAt: now } as const;
  const delivered = { ...settled, outcome: 'DELIVERED' } as const;
  const failed = { ...settled, outcome: 'FAILED', attempts: 10 } as const;
  /** Seeds deliveries to a new endpoint, whose revisions are their places. */
  const seed = async (rows: readonly Partial<Delivery>[]) => {
    const webhookId = randomUUID();
    const deliveries = rows.map((row, i): Delivery => {
      const of = { webhookId, revision: BigInt(i), type: 'key.created', keyId: randomUUID() } as const;
      return { ...of, ...notAttempted(now), ...row };
    });
    for (let from = 0; from < deliveries.length; from += 500) {
      await seedRows(stores.database.url, 'Delivery', deliveries.slice(from, from + 500));
    }
    return webhookId;
  };
  const healthOf = async (id: string) => (await stores.store.failedDeliveries.health([id])).get(id);

  it('counts what was delivered, what failed and what is attempted again, without test events', async () => {
    const retried = { attempts: 2, attemptedAt: now, nextAttemptAt: new Date(now.getTime() + hourMs) };
    const tests = [delivered, failed].map((row) => ({ ...row, type: 'webhook.tested' as const }));
    const id = await seed([delivered, {}, retried, failed, delivered, { ...retried, isReplay: true }, ...tests]);
    expect(await healthOf(id)).toMatchObject({ delivered: 2, failed: 1, retrying: 2 });
    expect(await stores.store.failedDeliveries.list(id, 10)).toEqual([
      { revision: 2n, isPending: true },
      { revision: 3n, isPending: false },
      { revision: 5n, isPending: true },
    ]);
    expect(await stores.store.failedDeliveries.list(id, 1)).toEqual([{ revision: 2n, isPending: true }]);
  });

  it('an endpoint is disabled when the event that has failed most often fails the last time', async () => {
    const at = (hours: number) => new Date(now.getTime() + hours * hourMs);
    const id = await seed([
      { attempts: 1, nextAttemptAt: at(0) },
      // Its ninth attempt is in 20 hours, and the last one 24 hours later.
      { attempts: 8, nextAttemptAt: at(20) },
    ]);
    expect((await healthOf(id))?.disablesAt).toEqual(at(44));
    expect(await healthOf(await seed([delivered, {}]))).toEqual({
      ...{ delivered: 1, failed: 0, retrying: 0, disablesAt: null },
    });
  });

  it('an event that fails is found behind thousands of newer deliveries, and not counted by more than the newest', async () => {
    const retried = { attempts: 3, nextAttemptAt: new Date(now.getTime() + hourMs) };
    const newest = new Array<object>(5100).fill(delivered);
    const id = await seed([failed, retried, ...newest]);
    expect(await healthOf(id)).toMatchObject({ delivered: 200, failed: 0, retrying: 1 });
    expect(await stores.store.failedDeliveries.list(id, 10)).toEqual([{ revision: 1n, isPending: true }]);
  });
});
