/** What subscribers have yet to get is not purged from the log, and the log of deliveries is. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { purge } from '../../src/manage/upkeep/purge.ts';
import { deliveryTable } from '../../src/store/changes/bulk-rows.ts';
import { notAttempted } from '../../src/store/rows/deliveries.ts';
import { providers } from '../support/databases.ts';
import { addWebhook, appendEvents } from '../support/deliveries.ts';
import { openStores } from '../support/stores.ts';

const now = new Date('2026-11-26T12:00:00Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
const retention = { usageDays: 90, auditDays: 30 };

describe.each(providers)('on %s', (provider) => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  beforeAll(async () => {
    stores = await openStores(provider);
  });
  afterAll(() => stores.stop());

  const append = (teamId: string) => appendEvents(stores.store, teamId, [{}, {}, {}], daysAgo(31));
  const remaining = async (teamId: string) =>
    (await stores.store.auditLog.list({ teamId, oldestFirst: true, limit: 100 }))
      .filter(({ at }) => at < daysAgo(30))
      .map((e) => e.revision);
  const webhookAt = async (teamId: string, cursor: bigint | undefined, fields = {}) =>
    await addWebhook(stores.store, teamId, 'https://example.com/', { cursor: (cursor ?? 0n) - 1n, ...fields });

  it('keeps old entries of a team until its enabled endpoints have got them, and no others', async () => {
    const [waiting, pending, disabled, without] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const [entries, third, other] = [await append(waiting), await append(pending), await append(disabled)];
    await append(without);
    await webhookAt(waiting, entries[0]?.revision);
    await webhookAt(waiting, entries[2]?.revision);
    await webhookAt(disabled, other[0]?.revision, { disabledAt: now, disabledReason: 'MANUAL' });
    // Its cursor has passed all, but one of them is not delivered yet.
    const { id: webhookId } = await webhookAt(pending, third[2]?.revision);
    const row = { webhookId, type: 'key.updated' as const, keyId: randomUUID(), ...notAttempted(now) };
    await stores.store.changes.housekeep((_, bulk) =>
      bulk.insert(deliveryTable, [{ ...row, revision: third[1]?.revision ?? 0n }]),
    );
    const { auditEntries } = await purge(stores.store, retention, now);
    expect(auditEntries).toBe(9);
    expect(await remaining(waiting)).toEqual([entries[1]?.revision, entries[2]?.revision]);
    expect(await remaining(pending)).toEqual([third[1]?.revision]);
    expect([await remaining(disabled), await remaining(without)]).toEqual([[], []]);
  });

  it('keeps old entries until the operator has got them, if there is a subscription', async () => {
    const teamId = randomUUID();
    const entries = await append(teamId);
    const state = { revision: String(entries[1]?.revision) };
    await stores.store.changes.housekeep(async (transaction) => {
      await transaction.eventProgress.create({ data: { id: 'operator', state } });
    });
    await purge(stores.store, { ...retention, isOperatorSubscribed: true }, now);
    expect(await remaining(teamId)).toEqual([entries[2]?.revision]);
    await purge(stores.store, retention, now);
    expect(await remaining(teamId)).toEqual([]);
  });

  it('deletes deliveries after 14 days, but none that is pending', async () => {
    const teamId = randomUUID();
    const entries = await append(teamId);
    const { id: webhookId } = await webhookAt(teamId, entries[1]?.revision);
    const revision = (entries[0]?.revision ?? 0n) - 1n;
    const ofWebhook = { webhookId, type: 'key.updated' as const, keyId: randomUUID() };
    const pending = { ...ofWebhook, revision, ...notAttempted(daysAgo(15)) };
    const row = (i: number, days: number) => ({
      ...notAttempted(daysAgo(days)),
      ...{ ...ofWebhook, revision: entries[i]?.revision ?? 0n },
      ...{ outcome: 'DELIVERED' as const, nextAttemptAt: null },
    });
    await stores.store.changes.housekeep((_, bulk) => bulk.insert(deliveryTable, [row(0, 15), row(1, 13), pending]));
    await stores.store.changes.housekeep((_, bulk) =>
      bulk.insert(deliveryTable, [{ ...row(0, 15), webhookId: randomUUID() }]),
    );
    await purge(stores.store, { usageDays: 90 }, now);
    const kept = await stores.store.deliveries.list({ webhookId, limit: 10 });
    expect(kept.map(({ revision }) => revision)).toEqual([entries[1]?.revision, revision]);
  });
});
