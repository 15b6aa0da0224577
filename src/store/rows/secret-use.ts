/**
 * The use of each secret of the keys that were rotated, beside the use of the key. Instances of older versions do not
 * write it: what they count belongs to the first secret, the only one that they know.
 */

import { earliestShown, type RotatedSecret } from '../../domain/secret/rotated-secret.ts';
import type { UsageRecord } from '../../wire/control-plane.ts';
import { type BulkDialect, insertRows, recordsOf, secretHourTable, secretUseTable } from '../changes/bulk-rows.ts';
import type { Prisma } from '../generated/sqlite/client.ts';
import { hourRows, type LastUseRow, lastUseRows } from './usage-rows.ts';

/** As many old rows as a group of changes deletes. Older versions of Latchkey have left more. */
const maxDeleted = 1000;

/** Keeps the last use of the secrets that rotations replace, and deletes that of the secrets before them. */
export async function rotateSecretUse(
  transaction: Prisma.TransactionClient,
  dialect: BulkDialect,
  rotated: readonly RotatedSecret[],
): Promise<void> {
  if (rotated.length === 0) return;
  await keepFirstUses(transaction, dialect, rotated);
  const shown = rotated.map(({ keyId, version }) => ({ keyId, version: earliestShown(version + 1), lastUsedAt: null }));
  await transaction.$executeRawUnsafe(deletion[dialect], recordsOf(secretUseTable, shown));
}

/** The last use of a first secret is that of its key, until the key is rotated. */
async function keepFirstUses(
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

const deletion: Readonly<Record<BulkDialect, string>> = {
  sqlite: `DELETE FROM "SecretUse" WHERE ("keyId", "version") IN (
    SELECT s."keyId", s."version" FROM json_each(?) CROSS JOIN "SecretUse" s
    WHERE s."keyId" = value ->> '$.keyId' AND s."version" < value ->> '$.version' LIMIT ${maxDeleted})`,
  postgresql: `DELETE FROM "SecretUse" WHERE ("keyId", "version") IN (
    SELECT s."keyId", s."version" FROM jsonb_populate_recordset(NULL::"SecretUse", $1::jsonb) r
    JOIN "SecretUse" s ON s."keyId" = r."keyId" AND s."version" < r."version" LIMIT ${maxDeleted})`,
};

type SecretUseRow = Prisma.SecretUseGetPayload<object>;

/** Reads the use of exactly these secrets. */
export async function readSecretUses(
  reader: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  dialect: BulkDialect,
  secrets: readonly Pick<SecretUseRow, 'keyId' | 'version'>[],
): Promise<SecretUseRow[]> {
  const records = recordsOf({ columns: ['keyId', 'version'] }, secrets);
  return await reader.$queryRawUnsafe<SecretUseRow[]>(selection[dialect], records);
}

const selection: Readonly<Record<BulkDialect, string>> = {
  sqlite: `SELECT s."keyId", s."version", s."lastUsedAt" FROM json_each(?) CROSS JOIN "SecretUse" s
    WHERE s."keyId" = value ->> '$.keyId' AND s."version" = value ->> '$.version'`,
  postgresql: `SELECT s."keyId", s."version", s."lastUsedAt"
    FROM jsonb_populate_recordset(NULL::"SecretUse", $1::jsonb) r
    JOIN "SecretUse" s ON s."keyId" = r."keyId" AND s."version" = r."version"`,
};

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
