/** The use of each secret of rotated keys. The first secret has the uses that older versions of Latchkey counted. */
import { type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import { earliestShown, type RotatedSecret } from '../../domain/secret/rotated-secret.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import type { UsageRecord } from '../../wire/control-plane.ts';
import { type BulkRows, secretHourTable, secretUseTable } from '../changes/bulk-rows.ts';
import type { Prisma } from '../generated/sqlite/client.ts';
import { tableOf } from '../json-rows.ts';
import { hourRows, lastUseRows } from './usage-rows.ts';

/** The maximum number of old rows that one group of changes deletes. Older versions of Latchkey left more rows. */
const maxDeleted = 1000;

/** Keeps the last use of the secrets that rotations replace, and deletes the last use of earlier secrets. */
export async function rotateSecretUse(bulk: BulkRows, rotated: readonly RotatedSecret[]): Promise<void> {
  if (rotated.length === 0) return;
  await keepFirstUses(bulk, rotated);
  const shown = rotated.map(({ keyId, version }) => ({ keyId, version: earliestShown(version + 1), lastUsedAt: null }));
  await bulk.execute(
    secretUseTable,
    shown,
    (rows) => sql`DELETE FROM "SecretUse" WHERE ("keyId", "version") IN (
      SELECT s."keyId", s."version" ${usesOf(rows)} AND s."version" < r."version" LIMIT ${maxDeleted})`,
  );
}

/** Copies the last use of a key to its first secret. Before the first rotation, only the key has a last use. */
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
  reader: Pick<Prisma.TransactionClient, '$queryRaw'>,
  provider: DatabaseProvider,
  secrets: readonly Pick<SecretUseRow, 'keyId' | 'version'>[],
): Promise<SecretUseRow[]> {
  const shown = secrets.map(({ keyId, version }) => ({ keyId, version, lastUsedAt: null }));
  return await reader.$queryRaw`
    SELECT s."keyId", s."version", s."lastUsedAt" ${usesOf(tableOf(provider, secretUseTable, shown))}
    AND s."version" = r."version"`;
}

/** Joins the records `r` with the rows `s` of their keys. CROSS JOIN makes SQLite read the tables in this order. */
function usesOf(rows: Sql): Sql {
  return sql`FROM ${rows} AS r CROSS JOIN "SecretUse" AS s WHERE s."keyId" = r."keyId"`;
}

/** Adds the use of each secret. Must follow the write of KeyUsage, whose row locks put concurrent writes in order. */
export async function addSecretUse(bulk: BulkRows, records: readonly UsageRecord[]): Promise<void> {
  const [first, later] = [records.filter(({ version }) => version <= 1), records.filter(({ version }) => version > 1)];
  const bySecret = ({ keyId, version }: Pick<UsageRecord, 'keyId' | 'version'>) => `${keyId} ${version}`;
  // Inserts no rows, because keys that were never rotated need no row for their first secret.
  await bulk.execute(
    secretUseTable,
    lastUseRows(first, bySecret),
    (rows) => sql`UPDATE "SecretUse" AS s SET "lastUsedAt" = r."lastUsedAt" FROM ${rows} AS r
      WHERE s."keyId" = r."keyId" AND s."version" = 1 AND (s."lastUsedAt" IS NULL OR s."lastUsedAt" < r."lastUsedAt")`,
  );
  await bulk.insert(secretUseTable, lastUseRows(later, bySecret));
  await bulk.insert(secretHourTable, hourRows(later, bySecret));
}
