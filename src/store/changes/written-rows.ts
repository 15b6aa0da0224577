/**
 * Writes keys and the entries of the log: a single row through Prisma, several with one statement of bulk-rows.ts.
 * Prisma keeps no plan of a `createMany`. For 16 keys and their entries, it takes three times the CPU time of the
 * statements, and a `create` for each row takes twice that time. Updates of several keys would be one statement for each.
 */
import { nextTurn } from '../../lib/scheduler.ts';
import { Prisma } from '../generated/sqlite/client.ts';
import { isStorable } from '../json-rows.ts';
import type { KeyRow } from '../rows/key-rows.ts';
import { auditTable, type BulkRows, keyTable } from './bulk-rows.ts';

export async function insertKeys(bulk: BulkRows, rows: readonly KeyRow[]): Promise<void> {
  const only = onlyKey(rows);
  if (only === null) return await bulk.insert(keyTable, rows);
  await nextTurn(bulk.scheduler);
  await bulk.transaction.apiKey.create({ data: dataOf(only), select: { id: true } });
}

/** Updates all columns. A key that was purged in the meantime stays purged. */
export async function updateKeys(bulk: BulkRows, rows: readonly KeyRow[]): Promise<void> {
  const only = onlyKey(rows);
  if (only === null) return await bulk.update(keyTable, rows);
  await nextTurn(bulk.scheduler);
  await bulk.transaction.apiKey.updateMany({ where: { id: only.id }, data: dataOf(only) });
}

export async function insertEntries(bulk: BulkRows, rows: readonly Prisma.AuditEntryCreateManyInput[]): Promise<void> {
  const only = onlyRow(rows);
  if (only === null) return await bulk.insert(auditTable, rows);
  await nextTurn(bulk.scheduler);
  await bulk.transaction.auditEntry.create({ data: only, select: { revision: true } });
}

/** Returns null also if only bulk-rows.ts can store the row. */
function onlyRow<Row>(rows: readonly Row[]): Row | null {
  const [only, ...others] = rows;
  return only !== undefined && others.length === 0 && isStorable(only) ? only : null;
}

/**
 * Returns null also for a key with metadata. A caller chooses the names in it, and Prisma gives some names in a JSON
 * value a meaning of its own, such as `$type` and `__prismaRawParameters__`.
 */
function onlyKey(rows: readonly KeyRow[]): KeyRow | null {
  const only = onlyRow(rows);
  return only?.metadata === null ? only : null;
}

const dataOf = (row: KeyRow) => ({ ...row, metadata: Prisma.DbNull });
