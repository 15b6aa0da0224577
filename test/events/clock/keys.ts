/** Keys with given moments, written without the use cases, whose rules would need the real time. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { ManagementKey } from '../../../src/domain/access/management-key.ts';
import type { ApiKey } from '../../../src/domain/key/api-key.ts';
import { keyTable } from '../../../src/store/changes/bulk-rows.ts';
import { rowFromKey } from '../../../src/store/rows/key-rows.ts';
import { insertManagementKey } from '../../../src/store/rows/management-keys.ts';
import type { Store } from '../../../src/store/store.ts';
import { plainKey } from '../../support/plain-keys.ts';

/** The time at which these tests begin. */
export const begin = new Date('2026-03-01T12:00:00.000Z');
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

export function later(ms: number, than = begin): Date {
  return new Date(than.getTime() + ms);
}

export async function addKeys(store: Store, keys: readonly Partial<ApiKey>[]): Promise<string[]> {
  const added = keys.map((key) => {
    const id = randomUUID();
    const names = { id, teamId: randomUUID(), name: 'A key', prefix: `lk_live_${id}` };
    const secret = { digest: randomBytes(32).toString('base64url'), pepperId: 'a' };
    return { ...plainKey, ...names, ...secret, env: 'live' as const, createdAt: begin, ...key };
  });
  // PostgreSQL ends a transaction that is idle for a second, for example while a busy machine makes rows.
  for (let from = 0; from < added.length; from += 200) {
    const slice = added.slice(from, from + 200);
    await store.changes.housekeep(async (transaction, bulk) => {
      const increment = slice.length;
      const { current } = await transaction.revision.update({ where: { id: 1 }, data: { current: { increment } } });
      const before = current - BigInt(increment);
      const rows = slice.map((key, i) => rowFromKey(key, before + BigInt(i + 1)));
      await bulk.insert(keyTable, rows);
    });
  }
  return added.map(({ id }) => id);
}

export async function addManagementKey(
  store: Store,
  key: Pick<ManagementKey, 'expiresAt'> & Partial<ManagementKey>,
): Promise<ManagementKey> {
  const id = randomUUID();
  const added: ManagementKey = {
    ...{ id, teamId: randomUUID(), name: 'A backend', prefix: `lk_mgmt_${id}`, createdBy: 'ada', createdAt: begin },
    ...{ digest: randomBytes(32).toString('base64url'), pepperId: 'a', permissions: ['manage_keys'], allowedIps: [] },
    ...{ revokedAt: null, secretVersion: 1, rotatedAt: null, signingEnvelope: null, signingVersion: 0 },
    ...{ previousPrefix: null, previousDigest: null, previousPepperId: null, previousExpiresAt: null },
    ...key,
  };
  await store.changes.housekeep(async (_, bulk) => {
    await insertManagementKey(added)(bulk);
  });
  return added;
}

/** Returns what the log says about keys, oldest first. */
export async function eventsOf(store: Store, ids: readonly string[]) {
  const entries = await store.auditLog.list({ oldestFirst: true, limit: 100_000 });
  return entries.filter(({ keyId }) => ids.includes(keyId));
}

/** The actions with the details that differ between events of one action. */
export async function namesOf(store: Store, ids: readonly string[]): Promise<string[]> {
  return (await eventsOf(store, ids)).map(({ action, details }) =>
    [action, details?.days, details?.secret].filter((part) => part !== undefined).join(' '),
  );
}
