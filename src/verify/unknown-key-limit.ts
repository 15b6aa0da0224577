import { LRUCache } from 'lru-cache';
import { clientNetwork } from '../domain/client-network.ts';
import { LatchkeyError } from '../domain/errors.ts';
import type { IpAddress } from '../domain/ip-address.ts';

const windowMs = 60_000;
const maxSources = 10_000;

/**
 * Limits how many unknown keys one source may present per minute. Each one costs a read of the store, and imported keys
 * may be easy to guess. Requests without a known source are not counted: their peer address is that of a gateway, which
 * many clients share.
 */
export class UnknownKeyLimit {
  readonly #perMinute: number;
  readonly #counts = new LRUCache<string, number>({ max: maxSources, ttl: windowMs, noUpdateTTL: true });

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Counts an unknown key. */
  count(source: IpAddress | undefined): void {
    if (source === undefined) return;
    const network = clientNetwork(source);
    this.#counts.set(network, (this.#counts.get(network) ?? 0) + 1);
  }

  /** Returns RATE_LIMITED when the source has reached its limit. */
  exceeded(source: IpAddress | undefined): LatchkeyError | null {
    if (source === undefined || this.#counts.size === 0) return null;
    const network = clientNetwork(source);
    if ((this.#counts.get(network) ?? 0) < this.#perMinute) return null;
    const retryAfterSeconds = Math.max(1, Math.ceil(this.#counts.getRemainingTTL(network) / 1000));
    const message = `Too many unknown keys came from this source. Try again in ${retryAfterSeconds} s.`;
    return new LatchkeyError('RATE_LIMITED', message, { retryAfterSeconds });
  }
}
