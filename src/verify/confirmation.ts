/**
 * The strict promise: every verification is decided on a state at least as new as the moment it arrived.
 *
 * Rows are cached, and before any decision one round with the store confirms that the cache is current. A round serves
 * everyone who arrived before it *started* (as etcd's ReadIndex does), so that its cost is shared: on SQLite it is a
 * microsecond for all requests of one turn of the event loop. Nothing in the argument is a time-to-live.
 *
 * With a lease (PostgreSQL, VERIFY_LEASE_MS) a round also serves those who arrive within that time after it started:
 * every change is held back as long after its commit before it is answered, so that no change that they could know of
 * is missing. That does depend on clocks running equally fast, so it is off unless asked for.
 *
 * A round brings the rows that changed since the last one and those that somebody waits for and the cache lacks, all of
 * one moment. Rounds follow one another, so a row read in one is never older than what the cache has confirmed: none
 * can bring back what was revoked meanwhile.
 */

import type { KeyRing } from '../domain/key-ring.ts';
import { confirmationBounds, DurationTally } from '../metrics/duration-tally.ts';
import type { ConfirmationReadings } from '../metrics/readings.ts';
import type { KeyFeed, Round } from '../store/key-feed.ts';
import { type CachedMatch, cachedKey } from './cached-key.ts';
import type { KeyCache } from './key-cache.ts';
import { MissingKeys } from './missing-keys.ts';

export interface Waiter {
  /** The text that was presented, and its SHA-256, under which the cache has it; null where no key is asked for. */
  readonly secret: string;
  readonly presented: string | null;
  /** Called with what the presented key stands for now; undefined when there is no such key. */
  readonly decide: (match: CachedMatch | undefined) => void;
  readonly fail: (error: unknown) => void;
}

export interface ConfirmationOptions {
  readonly feed: KeyFeed;
  readonly cache: KeyCache;
  readonly peppers: KeyRing;
  /** At least this long between the starts of two rounds, so that the store's share of the cost is bounded. */
  readonly pauseMs: number;
  /** At most this long what was confirmed is relied on without asking again, as far as the store grants it. */
  readonly leaseMs?: number;
}

class ConfirmationTallies implements ConfirmationReadings {
  answered = 0;
  failed = 0;
  leased = 0;
  readonly durations = new DurationTally(confirmationBounds);
  readonly ages = new DurationTally(confirmationBounds);
  lastAt = 0;
  hits = 0;
  misses = 0;
}

export class Confirmation {
  readonly #tallies = new ConfirmationTallies();
  readonly #feed: KeyFeed;
  readonly #cache: KeyCache;
  readonly #peppers: KeyRing;
  /** Of most rounds; never added to. */
  readonly #noneMissing: MissingKeys;
  readonly #pauseMs: number;
  readonly #leaseMs: number;
  #waiting: Waiter[] = [];
  #scheduled = false;
  /** Everything up to this revision is in the cache, as far as the cache has the key; null: nothing is known. */
  #confirmed: number | null = null;
  #imports = false;
  #lastStart = Number.NEGATIVE_INFINITY;
  #leasedUntil = Number.NEGATIVE_INFINITY;

  constructor({ feed, cache, peppers, pauseMs, leaseMs = 0 }: ConfirmationOptions) {
    this.#feed = feed;
    this.#cache = cache;
    this.#peppers = peppers;
    this.#noneMissing = new MissingKeys(peppers);
    this.#pauseMs = pauseMs;
    this.#leaseMs = leaseMs;
  }

  /** Whether any key was imported, as of what was confirmed last. */
  get imports(): boolean {
    return this.#imports;
  }

  get readings(): ConfirmationReadings {
    return this.#tallies;
  }

  /** Calls back with the key of a state that is at least as new as this call. */
  ask(waiter: Waiter): void {
    this.#waiting.push(waiter);
    if (!this.#scheduled) this.#schedule();
  }

  #schedule(): void {
    this.#scheduled = true;
    const now = performance.now();
    const rest = now < this.#leasedUntil ? 0 : this.#lastStart + this.#pauseMs - now;
    // What else arrives in this turn of the event loop joins in.
    if (rest <= 0) setImmediate(this.#round);
    else setTimeout(this.#round, rest);
  }

  readonly #round = (): void => {
    const waiters = this.#waiting;
    this.#waiting = [];
    const missing = this.#missing(waiters);
    const now = performance.now();
    if (missing.size === 0 && now < this.#leasedUntil) {
      this.#tallies.leased += waiters.length;
      this.#tallies.ages.add(now - this.#lastStart, waiters.length);
      this.#serve(waiters, this.#cached(waiters));
      return;
    }
    this.#lastStart = now;
    let round: Round | Promise<Round>;
    try {
      round = this.#feed.read(this.#confirmed, missing.digests());
    } catch (error) {
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

  #missing(waiters: readonly Waiter[]): MissingKeys {
    let missing = this.#noneMissing;
    for (const { secret, presented } of waiters) {
      if (presented === null) continue;
      if (this.#cache.get(presented) !== undefined) {
        this.#tallies.hits += 1;
        continue;
      }
      this.#tallies.misses += 1;
      if (missing === this.#noneMissing) missing = new MissingKeys(this.#peppers);
      missing.add(secret, presented);
    }
    return missing;
  }

  #settle(waiters: readonly Waiter[], missing: MissingKeys, round: Round): void {
    let served = waiters;
    let postponed: readonly Waiter[] = [];
    let matches: readonly (CachedMatch | undefined)[];
    try {
      if (this.#update(round, missing)) [served, postponed] = this.#separate(waiters, missing);
      const found = missing.found();
      matches = served.map(({ presented }) =>
        presented === null ? undefined : (found.get(presented)?.match ?? this.#cache.get(presented)),
      );
      // Not before: they may push out a key that is waited for.
      for (const [presented, { match, traces }] of found) this.#cache.add(presented, match, traces);
      this.#cache.trim();
    } catch (error) {
      // Something of the round may be missing from the cache now: trust nothing of it.
      this.#cache.clear();
      this.#confirmed = null;
      this.#leasedUntil = Number.NEGATIVE_INFINITY;
      this.#fail(waiters, error);
      return;
    }
    this.#confirmed = round.revision;
    this.#imports = round.imports;
    this.#waiting.unshift(...postponed);
    this.#tally(served.length);
    // Counted from before the store was asked: the change that it did not tell of was committed after that.
    this.#leasedUntil = this.#lastStart + Math.min(this.#leaseMs, round.leaseMs);
    this.#serve(served, matches);
  }

  /** Brings the cache up to date. Returns whether any entry was removed that a waiter may have relied on. */
  #update({ overflow, keys }: Round, missing: MissingKeys): boolean {
    let removed = overflow;
    if (overflow) this.#cache.clear();
    for (const key of keys) {
      const cached = cachedKey(key);
      if (this.#cache.update(cached, key.digest)) removed = true;
      missing.take(cached, key.digest);
    }
    return removed;
  }

  /** Into those who can be answered, and those whose entry is gone, who are asked for in the next round. */
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

  #tally(served: number): void {
    const tookMs = performance.now() - this.#lastStart;
    this.#tallies.answered += 1;
    this.#tallies.durations.add(tookMs);
    this.#tallies.ages.add(tookMs, served);
    this.#tallies.lastAt = performance.timeOrigin + this.#lastStart;
  }

  #serve(waiters: readonly Waiter[], matches: readonly (CachedMatch | undefined)[]): void {
    // Those who came meanwhile need a round that starts after they came.
    this.#next();
    for (const [i, waiter] of waiters.entries()) decide(waiter, matches[i]);
  }

  #cached(waiters: readonly Waiter[]): (CachedMatch | undefined)[] {
    return waiters.map(({ presented }) => (presented === null ? undefined : this.#cache.get(presented)));
  }

  #fail(waiters: readonly Waiter[], error: unknown): void {
    this.#tallies.failed += 1;
    this.#next();
    for (const waiter of waiters) waiter.fail(error);
  }

  #next(): void {
    if (this.#waiting.length > 0) this.#schedule();
    else this.#scheduled = false;
  }
}

/** What goes wrong with one verification is that one's failure, and nobody else's. */
function decide(waiter: Waiter, match: CachedMatch | undefined): void {
  try {
    waiter.decide(match);
  } catch (error) {
    waiter.fail(error);
  }
}
