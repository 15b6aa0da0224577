import { LruMap } from './lru-map.ts';

export interface WindowLimit {
  /** The maximum count of one holder in a window. */
  readonly limit: number;
  readonly windowSeconds: number;
}

interface Window {
  readonly endsAtMs: number;
  count: number;
}

/** About 5 MB. */
const maxHolders = 20_000;

/**
 * Counts events of holders (addresses, callers, teams) in fixed windows. A holder's window begins with the first event
 * after its previous window. Times are milliseconds of a monotonic clock: a wall clock can be set back, and a window would
 * then not end.
 *
 * Clients can choose holders, so the memory is limited, and no timer runs for a holder. With 20,000 holders, a new one
 * drops the window of one that was not used recently. This does not help a client to get rid of its own: it needs a new
 * address or account for each window that is dropped, which is rarely its own, and the new one may do as much as the
 * dropped one. It must have more than 20,000 of them in one window to exceed the sum of their limits.
 */
export class WindowCounts {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #windows = new LruMap<Window>(maxHolders);

  constructor({ limit, windowSeconds }: WindowLimit) {
    this.#limit = limit;
    this.#windowMs = windowSeconds * 1000;
  }

  /** Counts events, also above the limit. */
  count(holder: string, nowMs: number, events = 1): void {
    const window = this.#windows.get(holder);
    if (window !== undefined && nowMs < window.endsAtMs) window.count += events;
    else this.#windows.set(holder, { endsAtMs: nowMs + this.#windowMs, count: events });
  }

  /** Takes back an event that was counted. */
  takeBack(holder: string): void {
    const window = this.#windows.peek(holder);
    if (window !== undefined) window.count = Math.max(0, window.count - 1);
  }

  /** Returns in how many seconds the holder may try again; null if the limit allows the events now. */
  retryAfterSeconds(holder: string, nowMs: number, events = 1): number | null {
    const window = this.#windows.peek(holder);
    const isCurrent = window !== undefined && nowMs < window.endsAtMs;
    if ((isCurrent ? window.count : 0) + events <= this.#limit) return null;
    return Math.ceil((isCurrent ? window.endsAtMs - nowMs : this.#windowMs) / 1000);
  }

  /** Counts events if the limit allows them, and returns null. If not, counts none, and returns the seconds to wait. */
  take(holder: string, nowMs: number, events = 1): number | null {
    const seconds = this.retryAfterSeconds(holder, nowMs, events);
    if (seconds === null) this.count(holder, nowMs, events);
    return seconds;
  }
}
