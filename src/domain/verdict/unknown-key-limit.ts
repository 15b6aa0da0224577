import { LruMap } from '../../lib/lru-map.ts';
import { clientNetwork } from '../source/client-network.ts';
import type { IpAddress } from '../source/ip-address.ts';

const windowMs = 60_000;
/** The maximum number of counters. Those that were not used recently are dropped. */
const maxSources = 20_000;

interface Counter {
  readonly endsAt: number;
  count: number;
}

/**
 * Limits how many unknown keys one source may present per minute, because each costs a look-up, and imported keys may
 * be easy to guess, one after the other (the attack guessing). Does not count requests without a known source. Times
 * are milliseconds of any monotonic clock.
 */
export class UnknownKeyLimit {
  readonly #perMinute: number;
  readonly #counters = new LruMap<Counter>(maxSources);

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  count(source: IpAddress | undefined, now: number): void {
    if (source === undefined) return;
    const network = clientNetwork(source);
    const counter = this.#counters.get(network);
    if (counter !== undefined && now < counter.endsAt) counter.count += 1;
    else this.#counters.set(network, { endsAt: now + windowMs, count: 1 });
  }

  /** Returns in how many seconds the source may try again; null if the source is below its limit. */
  retryAfterSeconds(source: IpAddress | undefined, now: number): number | null {
    if (source === undefined || this.#counters.size === 0) return null;
    const counter = this.#counters.peek(clientNetwork(source));
    if (counter === undefined || counter.count < this.#perMinute || now >= counter.endsAt) return null;
    return Math.ceil((counter.endsAt - now) / 1000);
  }
}

export function tooManyUnknownKeys(retryAfterSeconds: number): string {
  return `Too many unknown keys came from this source. Try again in ${retryAfterSeconds} s.`;
}
