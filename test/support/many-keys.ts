import { randomBytes, randomUUID } from 'node:crypto';
import { keyTable } from '../../src/store/changes/bulk-rows.ts';
import { rowFromKey } from '../../src/store/rows/key-rows.ts';
import type { Store } from '../../src/store/store.ts';
import { plainKey } from './plain-keys.ts';

export interface ManyKeys {
  readonly teamId: string;
  readonly count: number;
  readonly revoked: boolean;
  /** Default: `Key`. Each key has its number behind it. */
  readonly name?: string;
  readonly createdAt?: Date;
  readonly expiresAt?: Date | null;
  readonly previousPrefix?: string;
}

/** Written within PostgreSQL's statement timeout, also on a busy machine. */
const batch = 200;

/**
 * Adds keys to a team without creating and revoking each of them: as many as a team can collect in hours. The later
 * ones are newer by a millisecond. Returns their ids.
 */
export async function addManyKeys(store: Store, keys: ManyKeys): Promise<string[]> {
  const ids = Array.from({ length: keys.count }, () => randomUUID());
  for (let done = 0; done < ids.length; done += batch) {
    const some = ids.slice(done, done + batch);
    await store.changes.perform(async (transaction, bulk) => {
      const { current } = await transaction.revision.update({
        where: { id: 1 },
        data: { current: { increment: some.length } },
      });
      const first = current - BigInt(some.length) + 1n;
      const rows = some.map((id, i) => rowFromKey(newKey(keys, id, done + i), first + BigInt(i)));
      await bulk.insert(keyTable, rows);
    });
  }
  return ids;
}

function newKey(
  { teamId, revoked, name = 'Key', createdAt, expiresAt, previousPrefix }: ManyKeys,
  id: string,
  i: number,
) {
  const at = new Date((createdAt ?? new Date('2026-01-01T00:00:00Z')).getTime() + i);
  const rotation = previousPrefix === undefined ? {} : { secretVersion: 2, rotatedAt: at, previousPrefix };
  return {
    ...plainKey,
    ...rotation,
    id,
    teamId,
    name: `${name} ${i}`,
    env: 'live' as const,
    prefix: `lk_live_${id.slice(0, 8)}${i}`,
    digest: randomBytes(32).toString('base64url'),
    pepperId: 'a',
    expiresAt: expiresAt ?? null,
    createdAt: at,
    revokedAt: revoked ? at : null,
  };
}
