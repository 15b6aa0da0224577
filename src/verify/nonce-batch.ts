import { Batch } from '../lib/batch.ts';
import type { NonceClaim, Nonces } from '../store/feed/nonces.ts';

/** Records the nonces of two turns of the event loop in one transaction, because most of the cost is per transaction. */
export class NonceBatch {
  readonly #batch: Batch<NonceClaim, boolean>;
  #failures = 0;

  constructor(nonces: Nonces) {
    this.#batch = new Batch({
      schedule: (callback) => {
        setImmediate(() => setImmediate(callback));
      },
      write: async (claims) => {
        try {
          return await nonces.claim(claims);
        } catch (error) {
          this.#failures += 1;
          throw error;
        }
      },
    });
  }

  /** How many batches failed because of the store. */
  get failures(): number {
    return this.#failures;
  }

  /** Records the nonce. Returns true if it was not used before. */
  claim(claim: NonceClaim): Promise<boolean> {
    return this.#batch.add(claim);
  }
}
