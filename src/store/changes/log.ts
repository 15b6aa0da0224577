/** Appends entries to the log that no change of a key writes. */
import { rowFromEntry } from '../rows/audit-rows.ts';
import type { BulkRows } from './bulk-rows.ts';
import type { NewEntry } from './change.ts';
import { insertEntries } from './written-rows.ts';

/**
 * Takes revisions for entries, and with them the lock that every writer takes first: what the transaction then reads does
 * not change until it is committed. Returns the revision before the first one. Unused revisions do no harm.
 */
export async function takeRevisions({ transaction }: BulkRows, count: number): Promise<bigint> {
  const { current } = await transaction.revision.update({
    where: { id: 1 },
    data: { current: { increment: count } },
  });
  return current - BigInt(count);
}

/** Appends entries after the revision that `takeRevisions` returned. */
export async function appendEntries(bulk: BulkRows, before: bigint, entries: readonly NewEntry[]): Promise<void> {
  const rows = entries.map((entry, i) => rowFromEntry(entry, before + BigInt(i + 1)));
  await insertEntries(bulk, rows);
}
