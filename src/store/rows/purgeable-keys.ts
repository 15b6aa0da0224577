/** The revoked keys that a purge may delete. */
import { join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { Prisma } from '../generated/sqlite/client.ts';

/** Keys per transaction. Fewer than other rows, because a key has five indexes and rows in other tables. */
export const keyBatchSize = 500;

export interface PurgeableKeys {
  /** They were revoked before this time, and not before `from`. */
  readonly before: Date;
  readonly from: Date;
  /** They were changed last before this revision. Default: at any. */
  readonly revision?: bigint;
  /** Only these keys. Default: all. */
  readonly ids?: readonly string[];
}

export interface PurgeableKey {
  readonly id: string;
  readonly revokedAt: Date;
}

/**
 * Selects prefixes of client-made secrets, as `isClientMade` does (domain/secret/secret-shape.ts): of all prefixes but
 * imported ones, only they contain `_c_`.
 */
const isClientMade = (prefix: string) => raw(`${prefix} LIKE '%!_c!_%' ESCAPE '!'`);

/**
 * Returns a batch of revoked keys whose secrets no team can store again. Without the row of an imported key, or of one that
 * has or had a secret made by a client, the same digest could be accepted again, for another team too.
 */
export async function purgeableKeys(
  client: Pick<Prisma.TransactionClient, '$queryRaw'>,
  { before, from, revision, ids }: PurgeableKeys,
): Promise<PurgeableKey[]> {
  const conditions: Sql[] = [
    sql`k."revokedAt" >= ${from}`,
    sql`k."revokedAt" < ${before}`,
    sql`k."importRevision" IS NULL`,
    sql`NOT ${isClientMade('k."prefix"')}`,
    sql`NOT EXISTS (
      SELECT 1 FROM "RotatedSecret" s WHERE s."keyId" = k."id" AND ${isClientMade('s."prefix"')})`,
    ...(revision === undefined ? [] : [sql`k."revision" < ${revision}`]),
    ...(ids === undefined ? [] : [sql`k."id" IN (${join([...ids])})`]),
  ];
  return await client.$queryRaw<PurgeableKey[]>`SELECT k."id", k."revokedAt" FROM "ApiKey" k
    WHERE ${join(conditions, ' AND ')} ORDER BY k."revokedAt" LIMIT ${keyBatchSize}`;
}
