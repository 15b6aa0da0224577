import { WindowCounts } from '../../lib/window-counts.ts';
import { clientNetwork } from '../source/client-network.ts';
import type { IpAddress } from '../source/ip-address.ts';

/**
 * Limits how many unknown keys one source may present per minute, because each costs a look-up, and imported keys may
 * be easy to guess, one after the other (the attack guessing). Does not count requests without a known source. Times
 * are milliseconds of any monotonic clock.
 */
export class UnknownKeyLimit {
  readonly #counts: WindowCounts;

  constructor(perMinute: number) {
    this.#counts = new WindowCounts({ limit: perMinute, windowSeconds: 60 });
  }

  count(source: IpAddress | undefined, nowMs: number): void {
    if (source !== undefined) this.#counts.count(clientNetwork(source), nowMs);
  }

  /** Returns in how many seconds the source may try again; null if the source is below its limit. */
  retryAfterSeconds(source: IpAddress | undefined, nowMs: number): number | null {
    return source === undefined ? null : this.#counts.retryAfterSeconds(clientNetwork(source), nowMs);
  }
}

export function tooManyUnknownKeys(retryAfterSeconds: number): string {
  return `Too many unknown keys came from this source. Try again in ${retryAfterSeconds} s.`;
}
