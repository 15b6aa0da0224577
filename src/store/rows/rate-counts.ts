/** Counts of accepted requests, so that all processes share the rate limits of keys. */
import type { RateCount } from '../../wire/control-plane.ts';
import { rateCountTable } from '../changes/bulk-rows.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import { purgeBatchSize } from './purge.ts';

/** Keeps ended windows for a while, because a process with a slow clock still counts in them. */
const keptAfterEndMs = 60_000;

const turn = { holder: 'counts of rate limits' };

export class RateCounts {
  readonly #changes: ChangeQueue;

  constructor(changes: ChangeQueue) {
    this.#changes = changes;
  }

  /** Adds counts, at most one per key, and removes past windows. Returns the sum of all processes for each count. */
  async add(counts: readonly RateCount[], now: Date): Promise<number[]> {
    // All instances write rows in the same order, so that they never deadlock.
    const sorted = [...counts].sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
    const past = { windowEnd: { lt: new Date(now.getTime() - keptAfterEndMs) } };
    const rows = await this.#changes.housekeep(async (transaction, bulk) => {
      await transaction.rateCount.deleteMany({ where: past, limit: purgeBatchSize });
      return await bulk.insertReturning(rateCountTable, sorted, ['keyId', 'count']);
    }, turn);
    const sums = new Map(rows.map(({ keyId, count }) => [keyId, Number(count)]));
    return counts.map(({ keyId, count }) => sums.get(keyId) ?? count);
  }
}
