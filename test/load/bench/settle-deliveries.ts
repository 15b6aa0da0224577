/**
 * Writes the outcomes of 500 attempts a second into the database of a service, in batches of 100, as the delivery of
 * events does. The endpoint is disabled, so the service sends nothing. Prints a line when it begins.
 */
import { notAttempted } from '../../../src/store/rows/deliveries.ts';
import { maxOutcomes, settle } from '../../../src/store/rows/delivery-queue.ts';
import { Store } from '../../../src/store/store.ts';
import { atRate } from '../at-rate.ts';

const outcomesPerSecond = 500;
const [file = '', webhookId = ''] = process.argv.slice(2);
const store = await Store.openAsItIs({ provider: 'sqlite', file });
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());

/** Attempts that have failed, so that the same rows can be written again. */
function outcomes(attempts: number) {
  const now = new Date();
  const nextAttemptAt = new Date(now.getTime() + 3_600_000);
  return Array.from({ length: maxOutcomes }, (_, i) => ({
    ...({ webhookId, revision: BigInt(i + 1), type: 'key.updated', keyId: webhookId } as const),
    ...notAttempted(now),
    ...{ attempts, status: 503, error: 'answered 503', durationMs: 5, attemptedAt: now, nextAttemptAt },
  }));
}

console.log('ready');
let batches = 0;
const settled: Promise<void>[] = [];
await atRate(
  outcomesPerSecond / maxOutcomes,
  () => {
    batches += 1;
    const deliveries = outcomes(batches);
    settled.push(store.changes.housekeep((_, bulk) => settle(bulk, { deliveries, pauses: [], trimmed: [] })));
  },
  stopping.signal,
);
await Promise.all(settled);
await store.close();
