import { LRUCache } from 'lru-cache';
import { clientNetwork } from '../domain/client-network.ts';
import { LatchkeyError } from '../domain/errors.ts';
import type { IpAddress } from '../domain/ip-address.ts';

const windowMs = 60_000;
const maxSources = 10_000;

/**
 * How many unknown keys one source may present in a minute: each costs a look into the store, and keys that were
 * imported may be worth guessing. Where the source is not known, nothing is counted: the address of the caller is that
 * of a gateway, which passes on what others present.
 */
export class UnknownKeyLimit {
  readonly #perMinute: number;
  readonly #counts = new LRUCache<string, number>({ max: maxSources, ttl: windowMs, noUpdateTTL: true });

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Counts one that was looked for and not found. */
  count(source: IpAddress | undefined): void {
    if (source === undefined) return;
    const network = clientNetwork(source);
    this.#counts.set(network, (this.#counts.get(network) ?? 0) + 1);
  }

  /** RATE_LIMITED where the source has used its share up. */
  exceeded(source: IpAddress | undefined): LatchkeyError | null {
    if (source === undefined) return null;
    const network = clientNetwork(source);
    if ((this.#counts.get(network) ?? 0) < this.#perMinute) return null;
    const retryAfterSeconds = Math.max(1, Math.ceil(this.#counts.getRemainingTTL(network) / 1000));
    const message = `Too many unknown keys came from this source. Try again in ${retryAfterSeconds} s.`;
    return new LatchkeyError('RATE_LIMITED', message, { retryAfterSeconds });
  }
}
