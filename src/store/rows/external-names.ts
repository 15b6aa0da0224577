/** Finds keys by what declares them: a team, an environment and an external id. */
import type { ApiKey, StoredKey } from '../../domain/key/api-key.ts';
import { limits } from '../../domain/limits.ts';
import { spellingsOf } from '../../domain/text.ts';
import type { Prisma } from '../generated/sqlite/client.ts';
import { keyFromRow } from './key-rows.ts';

export type ExternalName = Pick<ApiKey, 'teamId' | 'env' | 'externalId'>;

/** Returns the unrevoked keys with the name. Reads no more than are named in an error. */
export async function keysByExternalName(
  client: Pick<Prisma.TransactionClient, 'apiKey'>,
  { teamId, env, externalId }: ExternalName,
): Promise<StoredKey[]> {
  const spellings = externalId === null ? [] : [...spellingsOf(externalId)];
  const rows = await client.apiKey.findMany({
    where: { teamId, env, externalId: { in: spellings }, revokedAt: null },
    orderBy: { id: 'asc' },
    take: limits.ambiguousKeys,
  });
  return rows.map(keyFromRow);
}
