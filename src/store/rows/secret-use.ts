/** The use of each secret of rotated keys. Older versions do not write it: they count the first secret. */
import { earliestShown, type RotatedSecret } from '../../domain/secret/rotated-secret.ts';
import type { UsageRecord } from '../../wire/control-plane.ts';
import {
  type BulkDialect,
  type BulkRows,
  recordset,
  recordsOf,
  secretHourTable,
  secretUseTable,
} from '../changes/bulk-rows.ts';
import type { Prisma } from '../generated/sqlite/client.ts';
import { hourRows, lastUseRows } from './usage-rows.ts';

/** As many old rows as a group of changes deletes. Older versions of Latchkey have left more. */
const maxDeleted = 1000;

/** Keeps the last use of the secrets that rotations replace, and deletes that of the secrets before them. */
export async function rotateSecretUse(bulk: BulkRows, rotated: readonly RotatedSecret[]): Promise<void> {
  if (rotated.length === 0) return;
  await keepFirstUses(bulk, rotated);
  const shown = rotated.map(({ keyId, version }) => ({ keyId, version: earliestShown(version + 1), lastUsedAt: null }));
  const old = `${usesOf(bulk.dialect)} AND s."version" < r."version"`;
  const deletion = `DELETE FROM "SecretUse" WHERE ("keyId", "version") IN (
    SELECT s."keyId", s."version" ${old} LIMIT ${maxDeleted})`;
  await bulk.execute(deletion, secretUseTable, shown);
}

/** The last use of a first secret is that of its key, until the key is rotated. */
async function keepFirstUses(bulk: BulkRows, rotated: readonly RotatedSecret[]): Promise<void> {
  const keyIds = rotated.filter(({ version }) => version === 1).map(({ keyId }) => keyId);
  if (keyIds.length === 0) return;
  const uses = await bulk.transaction.keyUsage.findMany({ where: { keyId: { in: keyIds } } });
  const lastUses = new Map(uses.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]));
  const rows = keyIds.map((keyId) => ({ keyId, version: 1, lastUsedAt: lastUses.get(keyId) ?? null }));
  await bulk.insert(secretUseTable, rows);
}

type SecretUseRow = Prisma.SecretUseGetPayload<object>;

export async function readSecretUses(
  reader: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  dialect: BulkDialect,
  secrets: readonly Pick<SecretUseRow, 'keyId' | 'version'>[],
): Promise<SecretUseRow[]> {
  const selection = `SELECT s."keyId", s."version", s."lastUsedAt" ${usesOf(dialect)} AND s."version" = r."version"`;
  return await reader.$queryRawUnsafe(selection, recordsOf({ columns: ['keyId', 'version'] }, secrets));
}

/** Joins the rows `s` of the keys of the records `r`. SQLite reads the tables of a CROSS JOIN in this order. */
function usesOf(dialect: BulkDialect): string {
  return `FROM ${recordset(dialect, secretUseTable)} AS r CROSS JOIN "SecretUse" AS s WHERE s."keyId" = r."keyId"`;
}

/** Adds the use of each secret. Must follow the write of KeyUsage, whose row locks put concurrent writes in order. */
export async function addSecretUse(bulk: BulkRows, records: readonly UsageRecord[]): Promise<void> {
  const [first, later] = [records.filter(({ version }) => version <= 1), records.filter(({ version }) => version > 1)];
  const bySecret = ({ keyId, version }: Pick<UsageRecord, 'keyId' | 'version'>) => `${keyId} ${version}`;
  // Updates the rows that exist. Most keys were never rotated and have none.
  const firstUses = `UPDATE "SecretUse" AS s SET "lastUsedAt" = r."lastUsedAt"
    FROM ${recordset(bulk.dialect, secretUseTable)} AS r
    WHERE s."keyId" = r."keyId" AND s."version" = 1 AND (s."lastUsedAt" IS NULL OR s."lastUsedAt" < r."lastUsedAt")`;
  await bulk.execute(firstUses, secretUseTable, lastUseRows(first, bySecret));
  await bulk.insert(secretUseTable, lastUseRows(later, bySecret));
  await bulk.insert(secretHourTable, hourRows(later, bySecret));
}
