/** The counts by which the processes share the rate limits of keys. */
import type { RateCount } from '../../wire/control-plane.ts';
import { rateCountTable } from '../changes/bulk-rows.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import { purgeBatchSize } from './purge.ts';

/** A process whose clock is behind still counts in a window that has ended here. */
const keptAfterEndMs = 60_000;

export class RateCounts {
  readonly #changes: ChangeQueue;

  constructor(changes: ChangeQueue) {
    this.#changes = changes;
  }

  /** Adds counts, at most one per key. Returns for each of them the sum of all processes. Removes past windows. */
  async exchange(counts: readonly RateCount[], now: Date): Promise<number[]> {
    // All instances write rows in the same order, so that they never deadlock.
    const sorted = [...counts].sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
    const past = { windowEnd: { lt: new Date(now.getTime() - keptAfterEndMs) } };
    let sums = new Map<string, number>();
    await this.#changes.perform(async (transaction, bulk) => {
      await transaction.rateCount.deleteMany({ where: past, limit: purgeBatchSize });
      const rows = await bulk.insertReturning(rateCountTable, sorted, ['keyId', 'count']);
      sums = new Map(rows.map(({ keyId, count }) => [keyId, Number(count)]));
    });
    return counts.map(({ keyId, count }) => sums.get(keyId) ?? count);
  }
}
