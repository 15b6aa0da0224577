import { Batch } from '../lib/batch.ts';
import type { NonceClaim, Nonces } from '../store/feed/nonces.ts';

const purgeIntervalMs = 60_000;

/** Records nonces, and removes expired ones once per minute. */
export class NonceRecorder {
  /** The number of batches that the store did not record. */
  failures = 0;
  purgeFailures = 0;
  readonly #nonces: Nonces;
  readonly #report: (error: unknown, what: string) => void;
  /** Collects the nonces of two turns of the event loop, because most of the cost is per transaction. */
  readonly #batch: Batch<NonceClaim, boolean>;
  readonly #timer: NodeJS.Timeout;

  constructor(nonces: Nonces, report: (error: unknown, what: string) => void) {
    this.#nonces = nonces;
    this.#report = report;
    this.#batch = new Batch({
      schedule: (callback) => {
        setImmediate(() => setImmediate(callback));
      },
      write: (claims) => this.#write(claims),
    });
    this.#timer = setInterval(() => void this.#purge(), purgeIntervalMs).unref();
  }

  /** Records the nonce. Returns true if it was not used before. */
  claim(claim: NonceClaim): Promise<boolean> {
    return this.#batch.add(claim);
  }

  stopPurging(): void {
    clearInterval(this.#timer);
  }

  async #write(claims: readonly NonceClaim[]): Promise<readonly boolean[]> {
    try {
      return await this.#nonces.claim(claims);
    } catch (error) {
      this.failures += 1;
      throw error;
    }
  }

  async #purge(): Promise<void> {
    try {
      await this.#nonces.purge(new Date());
    } catch (error) {
      this.purgeFailures += 1;
      this.#report(error, 'expired nonces could not be removed; the next attempt is in a minute');
    }
  }
}
