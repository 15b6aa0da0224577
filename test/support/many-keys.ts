/** Many keys of a team, written without the service. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { KeySettings } from '../../src/domain/key/settings.ts';
import { rowFromKey } from '../../src/store/rows/key-rows.ts';
import { plainKey } from './plain-keys.ts';
import { openSeeds } from './seeds.ts';

interface ManyKeys {
  readonly teamId: string;
  readonly count: number;
  readonly revoked: boolean;
  /** Default: `Key`. Each key has its number behind it. */
  readonly name?: string;
  readonly createdAt?: Date;
  readonly expiresAt?: Date | null;
  readonly previousPrefix?: string;
  readonly settings?: Partial<KeySettings>;
}

/** So that the service never waits long for the revision. */
const batch = 500;

/**
 * Adds keys to a team without creating and revoking each of them: as many as a team can collect in hours. The later
 * ones are newer by a millisecond. Returns their ids.
 */
export async function addManyKeys(url: string, keys: ManyKeys): Promise<string[]> {
  const ids = Array.from({ length: keys.count }, () => randomUUID());
  const seeds = await openSeeds(url);
  for (let done = 0; done < ids.length; done += batch) {
    const some = ids.slice(done, done + batch);
    const rowsFrom = (first: bigint) => some.map((id, i) => rowFromKey(newKey(keys, id, done + i), first + BigInt(i)));
    await seeds.insert('ApiKey', some.length, rowsFrom);
  }
  await seeds.close();
  return ids;
}

function newKey(
  { teamId, revoked, name = 'Key', createdAt, expiresAt, previousPrefix, settings }: ManyKeys,
  id: string,
  i: number,
) {
  const at = new Date((createdAt ?? new Date('2026-01-01T00:00:00Z')).getTime() + i);
  const rotation = previousPrefix === undefined ? {} : { secretVersion: 2, rotatedAt: at, previousPrefix };
  return {
    ...plainKey,
    ...rotation,
    ...settings,
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
