import { LatchkeyError } from '../domain/errors.ts';
import { Batch } from '../lib/batch.ts';

const intervalMs = 100;
/** The maximum number of records per transaction, so that transactions such as revocations do not wait long. */
const maxRecords = 500;

/** Writes the records of many reports in one transaction, because each edge sends a report per second. */
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
    // An invalid report fails alone. After UNAVAILABLE, nothing is repeated: the batch may have been written.
    isWrittenSingly: (error) => !(error instanceof LatchkeyError && error.code === 'UNAVAILABLE'),
  });
  return async (records) => {
    if (records.length > 0) await batch.add(records);
  };
}
