/**
 * The strict promise: every verdict is based on a state of the store at least as new as the arrival of the request.
 *
 * Keys are cached. Before any verdict, one confirmation round asks the store whether the cache is current. A round
 * serves all requests that arrived before it *started* (as etcd's ReadIndex does), so they share its cost: on SQLite,
 * about a microsecond for all requests of one turn of the event loop. The proof does not depend on a time-to-live.
 *
 * With a lease (PostgreSQL, VERIFY_LEASE_MS), a round also serves requests that arrive within the lease after its
 * start. Every change waits that long between its commit and its answer, so these requests miss no change that was
 * already answered. The lease assumes that all clocks run at the same speed, so it is off by default.
 *
 * A round reads one consistent snapshot: the rows that changed since the last round, and the rows of requested keys
 * that are not cached. Rounds never overlap. A row from a round is therefore never older than the confirmed state of
 * the cache, and no round can restore a key that was revoked in the meantime.
 */

import type { KeyRing } from '../domain/secret/key-ring.ts';
import { ConfirmationCounters } from '../metrics/confirmation-counters.ts';
import type { ConfirmationReadings } from '../metrics/readings.ts';
import type { KeyFeed, Snapshot } from '../store/feed/key-feed.ts';
import { type CachedMatch, cachedKey } from './cached-key.ts';
import type { KeyCache } from './key-cache.ts';
import { MissingKeys } from './missing-keys.ts';
import type { RecentChanges } from './recent-changes.ts';

export interface Waiter {
  /** The presented key, and its SHA-256, which is its key in the cache; null when no key is requested. */
  readonly secret: string;
  readonly presented: string | null;
  /** Whether the question needs a new round, also during a lease: its answer grants the lease to an edge. */
  readonly fresh?: true;
  /** Called with the current match of the presented key; undefined when there is none. */
  readonly decide: (match: CachedMatch | undefined) => void;
  readonly fail: (error: unknown) => void;
}

export interface ConfirmationOptions {
  readonly feed: KeyFeed;
  readonly cache: KeyCache;
  readonly peppers: KeyRing;
  /** The minimum time between the starts of two rounds, which bounds the load on the store. */
  readonly pauseMs: number;
  /**
   * The maximum number of uncached keys that one round looks up; the others wait for the next one. A read of SQLite blocks
   * the event loop, so that without a limit, a flood of unknown keys would delay all verifications of its round.
   */
  readonly maxMissing?: number;
  /** The maximum time that a confirmed state is used without asking the store again. The store may grant less. */
  readonly leaseMs?: number;
  /** Receives the changes of each round. */
  readonly changes?: RecentChanges;
}

export class Confirmation {
  readonly #counters = new ConfirmationCounters();
  readonly #feed: KeyFeed;
  readonly #cache: KeyCache;
  readonly #peppers: KeyRing;
  /** Shared by all rounds in which no key is missing. Always empty. */
  readonly #noneMissing: MissingKeys;
  readonly #maxMissing: number;
  readonly #pauseMs: number;
  readonly #leaseMs: number;
  readonly #changes: RecentChanges | null;
  #waiting: Waiter[] = [];
  #scheduled = false;
  /** The cached keys are current up to this revision; null before the first round. */
  #confirmed: number | null = null;
  #imports = false;
  #lastStart = Number.NEGATIVE_INFINITY;
  #leasedUntil = Number.NEGATIVE_INFINITY;
  #grantedMs = 0;
  #needsRound = false;

  constructor({ feed, cache, peppers, pauseMs, maxMissing = Infinity, leaseMs = 0, changes }: ConfirmationOptions) {
    this.#feed = feed;
    this.#cache = cache;
    this.#peppers = peppers;
    this.#noneMissing = new MissingKeys(peppers);
    this.#maxMissing = maxMissing;
    this.#pauseMs = pauseMs;
    this.#leaseMs = leaseMs;
    this.#changes = changes ?? null;
  }

  /** Whether any key had been imported at the last confirmation. */
  get imports(): boolean {
    return this.#imports;
  }

  /** How long after the start of the last round its state can be relied on; 0 without a lease. */
  get grantedMs(): number {
    return this.#grantedMs;
  }

  get readings(): ConfirmationReadings {
    return this.#counters;
  }

  /** Calls back with the match in a state at least as new as this call. */
  ask(waiter: Waiter): void {
    this.#waiting.push(waiter);
    if (waiter.fresh === true) this.#needsRound = true;
    if (!this.#scheduled) this.#schedule();
  }

  #schedule(): void {
    this.#scheduled = true;
    const now = performance.now();
    const rest = now < this.#leasedUntil && !this.#needsRound ? 0 : this.#lastStart + this.#pauseMs - now;
    // Requests that arrive in the same turn of the event loop join the round.
    if (rest <= 0) setImmediate(this.#round);
    else setTimeout(this.#round, rest);
  }

  readonly #round = (): void => {
    const arrived = this.#waiting;
    this.#waiting = [];
    const isFresh = this.#needsRound;
    this.#needsRound = false;
    const missing = this.#missing(arrived);
    const waiters = this.#waiting.length === 0 ? arrived : without(arrived, new Set(this.#waiting));
    const now = performance.now();
    if (!isFresh && missing.size === 0 && now < this.#leasedUntil) {
      this.#counters.leased += waiters.length;
      this.#counters.ages.add(now - this.#lastStart, waiters.length);
      this.#serve(waiters, this.#cached(waiters));
      return;
    }
    this.#lastStart = now;
    let round: Snapshot | Promise<Snapshot>;
    try {
      round = this.#feed.read(this.#confirmed, missing.digests());
    } catch (error) {
      // Costs little: reads that fail at once are those of SQLite.
      this.#distrustCache();
      this.#fail(waiters, error);
      return;
    }
    if (round instanceof Promise) {
      round.then(
        (answer) => this.#settle(waiters, missing, answer),
        (error) => this.#fail(waiters, error),
      );
    } else {
      this.#settle(waiters, missing, round);
    }
  };

  /** Puts back the waiters that this round does not serve. */
  #missing(waiters: readonly Waiter[]): MissingKeys {
    let missing = this.#noneMissing;
    let lookedUp: Set<string> | null = null;
    for (const waiter of waiters) {
      const { secret, presented } = waiter;
      if (presented === null) continue;
      if (this.#cache.get(presented) !== undefined) {
        this.#counters.hits += 1;
        continue;
      }
      lookedUp ??= new Set();
      if (lookedUp.size >= this.#maxMissing && !lookedUp.has(presented)) {
        this.#waiting.push(waiter);
        continue;
      }
      lookedUp.add(presented);
      this.#counters.misses += 1;
      if (missing === this.#noneMissing) missing = new MissingKeys(this.#peppers);
      missing.add(secret, presented);
    }
    return missing;
  }

  #settle(waiters: readonly Waiter[], missing: MissingKeys, round: Snapshot): void {
    let served = waiters;
    let postponed: readonly Waiter[] = [];
    let matches: readonly (CachedMatch | undefined)[];
    try {
      if (this.#update(round, missing)) [served, postponed] = this.#separate(waiters, missing);
      const found = missing.found();
      matches = served.map(({ presented }) =>
        presented === null ? undefined : (found.get(presented)?.match ?? this.#cache.get(presented)),
      );
      // Only now: adding keys may evict a key that a waiter needs.
      for (const [presented, { match, dependencies }] of found) this.#cache.add(presented, match, dependencies);
      this.#cache.trim();
    } catch (error) {
      // The snapshot may have been applied only in part, so the cache can't be trusted.
      this.#distrustCache();
      this.#fail(waiters, error);
      return;
    }
    this.#changes?.add(this.#confirmed, round);
    this.#confirmed = round.revision;
    this.#imports = round.imports;
    this.#waiting.unshift(...postponed);
    this.#count(served.length);
    // From before the read: a change that the snapshot lacks was committed after that.
    this.#grantedMs = Math.min(this.#leaseMs, round.leaseMs);
    this.#leasedUntil = this.#lastStart + this.#grantedMs;
    this.#serve(served, matches);
  }

  #distrustCache(): void {
    this.#cache.clear();
    this.#confirmed = null;
    this.#leasedUntil = Number.NEGATIVE_INFINITY;
  }

  /** Updates the cache. Returns whether an entry was removed that a waiter may need. */
  #update({ overflow, keys }: Snapshot, missing: MissingKeys): boolean {
    let removed = overflow;
    if (overflow) this.#cache.clear();
    for (const key of keys) {
      const cached = cachedKey(key);
      if (this.#cache.update(cached, key.digest)) removed = true;
      missing.take(cached, key.digest);
    }
    return removed;
  }

  /** Separates the waiters that can be served from those whose entry was removed, which wait for the next round. */
  #separate(waiters: readonly Waiter[], missing: MissingKeys): [Waiter[], Waiter[]] {
    const [served, postponed]: [Waiter[], Waiter[]] = [[], []];
    const asked = missing.presented();
    for (const waiter of waiters) {
      const { presented } = waiter;
      const known = presented === null || asked.has(presented) || this.#cache.get(presented) !== undefined;
      (known ? served : postponed).push(waiter);
    }
    return [served, postponed];
  }

  #count(served: number): void {
    const tookMs = performance.now() - this.#lastStart;
    this.#counters.answered += 1;
    this.#counters.durations.add(tookMs);
    this.#counters.ages.add(tookMs, served);
    this.#counters.lastAt = performance.timeOrigin + this.#lastStart;
  }

  #serve(waiters: readonly Waiter[], matches: readonly (CachedMatch | undefined)[]): void {
    // Requests that arrived in the meantime need a round that starts after their arrival.
    this.#next();
    for (const [i, waiter] of waiters.entries()) decide(waiter, matches[i]);
  }

  #cached(waiters: readonly Waiter[]): (CachedMatch | undefined)[] {
    return waiters.map(({ presented }) => (presented === null ? undefined : this.#cache.get(presented)));
  }

  #fail(waiters: readonly Waiter[], error: unknown): void {
    this.#counters.failed += 1;
    this.#next();
    for (const waiter of waiters) waiter.fail(error);
  }

  #next(): void {
    if (this.#waiting.length > 0) this.#schedule();
    else this.#scheduled = false;
  }
}

function without(waiters: readonly Waiter[], postponed: ReadonlySet<Waiter>): readonly Waiter[] {
  return waiters.filter((waiter) => !postponed.has(waiter));
}

/** An error in one verification must not affect the others. */
function decide(waiter: Waiter, match: CachedMatch | undefined): void {
  try {
    waiter.decide(match);
  } catch (error) {
    waiter.fail(error);
  }
}
