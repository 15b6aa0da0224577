/**
 * The use of each secret of the keys that were rotated, beside the use of the key. Instances of older versions do not
 * write it: what they count belongs to the first secret, the only one that they know.
 */
import type { UsageRecord } from '../domain/control-plane.ts';
import type { RotatedSecret } from '../domain/rotated-secret.ts';
import { type BulkDialect, insertRows, recordsOf, secretHourTable, secretUseTable } from './bulk-rows.ts';
import type { Prisma } from './generated/sqlite/client.ts';
import { hourRows, type LastUseRow, lastUseRows } from './usage-rows.ts';

/** Keeps the last use of the first secret of a key, when a rotation replaces it. */
export async function keepFirstUse(
  transaction: Prisma.TransactionClient,
  dialect: BulkDialect,
  rotated: readonly RotatedSecret[],
): Promise<void> {
  const keyIds = rotated.filter(({ version }) => version === 1).map(({ keyId }) => keyId);
  if (keyIds.length === 0) return;
  const uses = await transaction.keyUsage.findMany({ where: { keyId: { in: keyIds } } });
  const lastUses = new Map(uses.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]));
  const rows = keyIds.map((keyId) => ({ keyId, version: 1, lastUsedAt: lastUses.get(keyId) ?? null }));
  await insertRows(transaction, dialect, secretUseTable, rows);
}

/** Adds the use of each secret. Must follow the write of KeyUsage, whose row locks put concurrent writes in order. */
export async function addSecretUse(
  transaction: Prisma.TransactionClient,
  dialect: BulkDialect,
  records: readonly UsageRecord[],
): Promise<void> {
  const [first, later] = [records.filter(({ version }) => version <= 1), records.filter(({ version }) => version > 1)];
  const bySecret = ({ keyId, version }: UsageRecord) => `${keyId} ${version}`;
  await updateFirstUses(transaction, dialect, lastUseRows(first, bySecret));
  await insertRows(transaction, dialect, secretUseTable, lastUseRows(later, bySecret));
  await insertRows(transaction, dialect, secretHourTable, hourRows(later, bySecret));
}

/** Updates the rows that exist. Most of these keys were never rotated and have none. */
async function updateFirstUses(
  transaction: Prisma.TransactionClient,
  dialect: BulkDialect,
  uses: readonly LastUseRow[],
): Promise<void> {
  if (uses.length > 0) await transaction.$executeRawUnsafe(firstUseUpdate[dialect], recordsOf(secretUseTable, uses));
}

const firstUseUpdate: Readonly<Record<BulkDialect, string>> = {
  sqlite: `UPDATE "SecretUse" SET "lastUsedAt" = value ->> '$.lastUsedAt' FROM json_each(?)
    WHERE "SecretUse"."keyId" = value ->> '$.keyId' AND "SecretUse"."version" = 1
    AND ("SecretUse"."lastUsedAt" IS NULL OR "SecretUse"."lastUsedAt" < value ->> '$.lastUsedAt')`,
  postgresql: `UPDATE "SecretUse" s SET "lastUsedAt" = r."lastUsedAt"
    FROM jsonb_populate_recordset(NULL::"SecretUse", $1::jsonb) r
    WHERE s."keyId" = r."keyId" AND s."version" = 1 AND (s."lastUsedAt" IS NULL OR s."lastUsedAt" < r."lastUsedAt")`,
};
