import { LatchkeyError } from '../domain/errors.ts';
import { Batch } from '../lib/batch.ts';

const intervalMs = 100;
/** A transaction with more would delay others, such as that of a revocation. */
const maxRecords = 500;

/** Writes the records of many reports at once: each edge sends one per second, and transactions are expensive. */
export function batchedReports<Item>(
  write: (records: readonly Item[]) => Promise<void>,
): (records: readonly Item[]) => Promise<void> {
  const batch = new Batch<readonly Item[], undefined>({
    schedule: (callback) => {
      setTimeout(callback, intervalMs);
    },
    write: async (reports) => {
      await write(reports.flat());
      return reports.map(() => undefined);
    },
    maxSize: maxRecords,
    sizeOf: (records) => records.length,
    // One report that can't be written must not keep the others from being written. What may be written already must
    // not be written twice.
    isWrittenSingly: (error) => !(error instanceof LatchkeyError && error.code === 'UNAVAILABLE'),
  });
  return async (records) => {
    if (records.length > 0) await batch.add(records);
  };
}
