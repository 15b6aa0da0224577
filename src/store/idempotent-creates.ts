import type { ChangeQueue } from './change-queue.ts';

/** So many in one transaction that it holds up no change for long. */
const purgedAtOnce = 2000;

/** What the change queue remembers of creates with an idempotency key. */
export class IdempotentCreates {
  readonly #changes: ChangeQueue;

  constructor(changes: ChangeQueue) {
    this.#changes = changes;
  }

  /** Forgets what has expired. */
  async purge(now: Date): Promise<void> {
    let removed = purgedAtOnce;
    while (removed === purgedAtOnce) {
      await this.#changes.perform(async (transaction) => {
        const old = { where: { expiresAt: { lte: now } }, limit: purgedAtOnce };
        removed = (await transaction.idempotentCreate.deleteMany(old)).count;
      });
    }
  }
}
