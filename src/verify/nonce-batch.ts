import type { NonceClaim, Nonces } from '../store/feed/nonces.ts';

interface Waiting {
  readonly claim: NonceClaim;
  readonly resolve: (fresh: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Records the nonces of two turns of the event loop in one transaction, because most of the cost is per transaction.
 */
export class NonceBatch {
  readonly #nonces: Nonces;
  #waiting: Waiting[] = [];
  #failures = 0;

  constructor(nonces: Nonces) {
    this.#nonces = nonces;
  }

  /** How many batches failed because of the store. */
  get failures(): number {
    return this.#failures;
  }

  /** Records the nonce. Returns true if it was not used before. */
  async claim(claim: NonceClaim): Promise<boolean> {
    return await new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => setImmediate(() => void this.#flush()));
      this.#waiting.push({ claim, resolve, reject });
    });
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const fresh = await this.#nonces.claim(waiting.map(({ claim }) => claim));
      for (const [i, { resolve }] of waiting.entries()) resolve(fresh[i] === true);
    } catch (error) {
      this.#failures += 1;
      for (const { reject } of waiting) reject(error);
    }
  }
}
