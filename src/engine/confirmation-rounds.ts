/**
 * The strict promise: every verdict is based on a state of the store at least as new as the arrival of its request.
 * Therefore, once a change is answered, such as the revocation of a key, no verdict contradicts the change.
 *
 * Only this file implements the promise. The service reads the state from the store. Edges and local verifiers read it
 * from the feed of an instance, which answers from a confirmation round that starts after the request has arrived.
 *
 * Keys are cached. Before any verdict, one **confirmation round** reads what changed since the last round, and the
 * requested keys that are not cached.
 *
 * 1. A round serves only requests that arrived before it *started*, as etcd's ReadIndex does. If a change was answered
 *    before a request arrived, the change was committed before the round read, so this round or an earlier one read it.
 * 2. Rounds never overlap, and each round starts from the state that the last one confirmed. A cached row is therefore
 *    never older than the confirmed state, and no late answer can restore a key that was revoked in the meantime.
 * 3. A snapshot is applied to the cache before any request is decided on it. Its changes replace or remove rows. A
 *    request whose row was removed waits for the next round, which reads the row again.
 * 4. The requests of a failed round get an error, or wait for the next round if the source is busy. The next one starts
 *    from the same state, so that no change is lost. If a snapshot can't be applied completely, the cache is discarded.
 *
 * With a **lease**, a round also serves requests that arrive within the lease after its *start*, if their key is cached.
 * Every change waits for the length of a lease between its commit and its answer. A change that was committed after the
 * start of a round is therefore answered after the lease. Leases require that all clocks run at the same speed.
 *
 * A lease that served a request is **renewed ahead**: the next round starts so early that its answer should arrive before
 * the lease ends, and requests wait for no round trip. Its lease counts from its own start, so the promise does not
 * depend on when it starts. If it fails or is late, the lease ends as it would have, and requests wait.
 */
import type { IpAddress } from '../domain/source/ip-address.ts';
import type { Scheduler } from '../lib/scheduler.ts';
import type { KeyCache } from './key-cache.ts';
import type { MissingKey, MissingKeys, Snapshot, StateSource } from './state-source.ts';

export interface Waiter<Match> {
  /** The presented key, and the SHA-256 that it is cached by; null if no key is requested. */
  readonly secret: string;
  readonly cacheKey: string | null;
  /** The address that the request came from, which the source is told about a key that is not cached. */
  readonly source?: IpAddress | undefined;
  /** Whether the request needs a new round even during a lease. */
  readonly fresh?: true;
  /** When the request arrived, on the clock of the scheduler; undefined for no timeout. */
  readonly arrivedAt?: number;
  /** Called with the current match of the presented key; undefined if no key matches. */
  readonly decide: (match: Match | undefined) => void;
  readonly fail: (error: unknown) => void;
}

/** Receives events for metrics. Must not throw. Times are on the scheduler's clock. */
export interface RoundObserver {
  /** Called when a round starts, with its numbers of requests for cached keys (hits) and uncached keys (misses). */
  readonly roundStarted: (hits: number, misses: number) => void;
  /** Called when the source has answered, with the number of requests that the round serves. */
  readonly roundConfirmed: (startedAt: number, served: number) => void;
  readonly roundFailed: () => void;
  /** Called when the lease of an earlier round serves requests, with their number. */
  readonly leaseUsed: (startedAt: number, served: number) => void;
}

export interface ConfirmationRoundsOptions<Cursor, Match, Answer> {
  readonly source: StateSource<Cursor, Match, Answer>;
  readonly cache: KeyCache<Match>;
  readonly scheduler: Scheduler;
  readonly observer?: RoundObserver | undefined;
  /** The maximum number of uncached keys that one round looks up. Further keys wait for the next round. */
  readonly maxMissing: number;
  /** The minimum time from the start of a failed round to the start of the next one. */
  readonly retryPauseMs?: number;
  /** The time after which a waiting request fails, and the error. */
  readonly timeout?: { readonly ms: number; readonly error: () => unknown };
}

const noneMissing: MissingKeys = new Map();

/** How many of the last rounds say how long the next one takes. */
const roundsRemembered = 16;
/** How much earlier than needed a lease is renewed, for timers that fire late and a turn of the event loop that is long. */
const renewalMarginMs = 5;

export class ConfirmationRounds<Cursor, Match, Answer> {
  readonly #options: ConfirmationRoundsOptions<Cursor, Match, Answer>;
  /** Requests that arrived in this turn of the event loop, or during the round under way. */
  #arrived: Waiter<Match>[] = [];
  /** Requests that need the next round, which takes them before all requests in `#arrived`. */
  #waiting: Waiter<Match>[] = [];
  /** Requests that the round under way serves. */
  #confirming: Waiter<Match>[] = [];
  /** Requests that arrived before the round under way but need the next round, which takes them first. */
  #deferred: Waiter<Match>[] = [];
  #isTurnEnding = false;
  /** Whether a round is under way, or scheduled after a pause. */
  #isConfirming = false;
  /** The cache is current up to this state; null before the first round. */
  #cursor: Cursor | null = null;
  #startedAt = Number.NEGATIVE_INFINITY;
  #pauseMs = 0;
  /** Whether the last round was full: it left keys beyond `maxMissing` for the next round. */
  #hasMore = false;
  /** The start of the last confirmed round, and the end of its lease. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #leasedUntil = Number.NEGATIVE_INFINITY;
  /** How long the last rounds took. */
  readonly #roundsMs: number[] = [];
  /** The start of the round whose lease is renewed ahead, or was tried to be: once. */
  #renewed = Number.NEGATIVE_INFINITY;
  /** Whether the next round starts even if no request waits for it. */
  #isRenewing = false;
  #isExpiryScheduled = false;
  #closedBy: { readonly error: unknown } | null = null;

  constructor(options: ConfirmationRoundsOptions<Cursor, Match, Answer>) {
    this.#options = options;
  }

  /** Calls `decide` with the key's match in a state at least as new as this call. */
  confirm(waiter: Waiter<Match>): void {
    if (this.#closedBy !== null) {
      fail(waiter, this.#closedBy.error);
      return;
    }
    this.#arrived.push(waiter);
    if (waiter.arrivedAt !== undefined) this.#scheduleExpiry(waiter.arrivedAt);
    // Without a lease, requests that arrive during a round can only wait for its end.
    if (!this.#isConfirming || this.#leasedUntil > this.#confirmedAt) this.#awaitEndOfTurn();
  }

  /** The start of the last confirmed round, on the scheduler's clock; -Infinity before the first. */
  get confirmedAt(): number {
    return this.#confirmedAt;
  }

  /** Resolves when the source answers a round that starts after this call. */
  ping(): Promise<void> {
    return new Promise((resolve, reject) => {
      const arrivedAt = this.#options.scheduler.now();
      this.confirm({ secret: '', cacheKey: null, fresh: true, arrivedAt, decide: () => resolve(), fail: reject });
    });
  }

  /** Fails all waiting and all later requests with this error. */
  close(error: unknown): void {
    this.#closedBy = { error };
    const waiters = [...this.#confirming, ...this.#deferred, ...this.#waiting, ...this.#arrived];
    this.#confirming = [];
    this.#deferred = [];
    this.#waiting = [];
    this.#arrived = [];
    for (const waiter of waiters) fail(waiter, error);
  }

  /** Lets all requests of this turn share a round. Receiving all of them before any answer also takes less time. */
  #awaitEndOfTurn(): void {
    if (this.#isTurnEnding) return;
    this.#isTurnEnding = true;
    this.#options.scheduler.endOfTurn(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    this.#isTurnEnding = false;
    const now = this.#options.scheduler.now();
    const leased = new Decisions<Match>();
    if (now < this.#leasedUntil) this.#takeLeased(leased);
    // Starts the round first, so that the leased requests are decided while the source reads.
    if (!this.#isConfirming && this.#arrived.length + this.#waiting.length > 0) this.#scheduleRound(now);
    leased.run();
  };

  /** Takes the requests that the lease serves, and moves all others to `#waiting`. */
  #takeLeased(leased: Decisions<Match>): void {
    const { cache, observer } = this.#options;
    const arrived = this.#arrived;
    this.#arrived = [];
    for (const waiter of arrived) {
      const match = waiter.cacheKey === null ? undefined : cache.get(waiter.cacheKey);
      const isLeased = waiter.fresh !== true && (waiter.cacheKey === null || match !== undefined);
      if (isLeased) leased.add(waiter, match);
      else this.#waiting.push(waiter);
    }
    if (leased.size === 0) return;
    observer?.leaseUsed(this.#confirmedAt, leased.size);
    if (this.#renewed !== this.#confirmedAt) this.#scheduleRenewal();
  }

  /**
   * Only for a lease that serves requests, so that idle processes ask nothing, and only if it is longer than two rounds. That
   * is judged by the quickest round: a single slow one, such as one that waited at the instance for another round, must not
   * end renewals. After it, the next round starts at once.
   */
  #scheduleRenewal(): void {
    const { scheduler } = this.#options;
    const lease = this.#confirmedAt;
    this.#renewed = lease;
    if (this.#leasedUntil - lease <= 2 * Math.min(...this.#roundsMs) + renewalMarginMs) return;
    const startAt = this.#leasedUntil - Math.max(...this.#roundsMs) - renewalMarginMs;
    scheduler.afterIfAlive(Math.max(0, startAt - scheduler.now()), () => {
      // A round that has started since then renews the lease, too.
      if (this.#isConfirming || this.#confirmedAt !== lease || this.#closedBy !== null) return;
      this.#isRenewing = true;
      this.#scheduleRound(scheduler.now());
    });
  }

  #scheduleRound(now: number): void {
    this.#isConfirming = true;
    // No pause after a full round, so that a flood of unknown keys does not delay other keys by many pauses.
    const restMs = this.#hasMore ? 0 : this.#startedAt + this.#pauseMs - now;
    if (restMs <= 0) this.#startRound();
    else this.#options.scheduler.after(restMs, this.#startRound);
  }

  readonly #startRound = (): void => {
    const missing = this.#takeWaiting();
    const isNeeded = this.#confirming.length > 0 || this.#isRenewing;
    this.#isRenewing = false;
    if (!isNeeded) {
      this.#isConfirming = false;
      return;
    }
    const { source, scheduler } = this.#options;
    this.#startedAt = scheduler.now();
    let answer: Answer | Promise<Answer>;
    try {
      answer = source.read(this.#cursor, missing);
    } catch (error) {
      // Only SQLite fails synchronously. Loading rows from it again is cheap.
      this.#discardCache();
      this.#failRound(error);
      return;
    }
    if (answer instanceof Promise) {
      answer.then(
        (read) => this.#settle(read, missing),
        (error) => this.#failRound(error),
      );
    } else {
      this.#settle(answer, missing);
    }
  };

  /** Takes all requests for the round, except those for uncached keys beyond `maxMissing`. */
  #takeWaiting(): MissingKeys {
    const { cache, maxMissing, observer } = this.#options;
    const waiters = this.#waiting.length === 0 ? this.#arrived : [...this.#waiting, ...this.#arrived];
    this.#arrived = [];
    this.#waiting = [];
    let missing: Map<string, MissingKey> | null = null;
    let misses = 0;
    let keyless = 0;
    for (const waiter of waiters) {
      const { cacheKey, secret, source } = waiter;
      if (cacheKey === null) keyless += 1;
      else if (cache.get(cacheKey) === undefined) {
        missing ??= new Map();
        if (missing.size >= maxMissing && !missing.has(cacheKey)) {
          this.#deferred.push(waiter);
          continue;
        }
        missing.set(cacheKey, { secret, source });
        misses += 1;
      }
      this.#confirming.push(waiter);
    }
    this.#hasMore = this.#deferred.length > 0;
    observer?.roundStarted(this.#confirming.length - keyless - misses, misses);
    return missing ?? noneMissing;
  }

  #settle(answer: Answer, missing: MissingKeys): void {
    const { source, cache, observer } = this.#options;
    const decisions = new Decisions<Match>();
    const postponed: Waiter<Match>[] = [];
    let snapshot: Snapshot<Cursor, Match>;
    try {
      snapshot = source.snapshotOf(answer, this.#cursor, missing);
      if (snapshot.clear) cache.clear();
      for (const change of snapshot.changes) cache.apply(change);
      for (const waiter of this.#confirming) {
        const { cacheKey } = waiter;
        const isRequested = cacheKey !== null && missing.has(cacheKey);
        const match =
          cacheKey === null ? undefined : isRequested ? snapshot.rows.get(cacheKey)?.match : cache.get(cacheKey);
        if (match === undefined && cacheKey !== null && !isRequested) postponed.push(waiter);
        else decisions.add(waiter, match);
      }
      // After the loop, because adding keys may evict a key that a waiter needs.
      for (const [cacheKey, row] of snapshot.rows) cache.add(cacheKey, row);
      cache.trim();
    } catch (error) {
      // The snapshot may be applied only in part.
      this.#discardCache();
      this.#failRound(error);
      return;
    }
    this.#confirming = [];
    this.#deferred.push(...postponed);
    this.#cursor = snapshot.cursor;
    this.#pauseMs = snapshot.pauseMs;
    this.#roundsMs.push(this.#options.scheduler.now() - this.#startedAt);
    if (this.#roundsMs.length > roundsRemembered) this.#roundsMs.shift();
    // The lease counts from the start of the read, because any change that the snapshot lacks was committed later.
    this.#confirmedAt = this.#startedAt;
    this.#leasedUntil = this.#startedAt + snapshot.leaseMs;
    observer?.roundConfirmed(this.#startedAt, decisions.size);
    this.#endRound();
    decisions.run();
  }

  #discardCache(): void {
    this.#options.cache.clear();
    this.#cursor = null;
    this.#leasedUntil = Number.NEGATIVE_INFINITY;
  }

  #failRound(error: unknown): void {
    const { source, retryPauseMs = 0, observer } = this.#options;
    const isBusy = source.isBusy?.(error) === true;
    const waiters = this.#confirming;
    this.#confirming = [];
    if (isBusy) this.#deferred = [...waiters, ...this.#deferred];
    this.#hasMore = false;
    this.#pauseMs = Math.max(this.#pauseMs, retryPauseMs);
    observer?.roundFailed();
    this.#endRound();
    if (!isBusy) for (const waiter of waiters) fail(waiter, error);
  }

  /** Must run before any request of this round is decided, because requests from callbacks need another round. */
  #endRound(): void {
    // The new lease may serve the requests that arrived during the round.
    if (this.#deferred.length + this.#waiting.length > 0) {
      this.#arrived = [...this.#deferred, ...this.#waiting, ...this.#arrived];
      this.#deferred = [];
      this.#waiting = [];
    }
    this.#isConfirming = false;
    if (this.#arrived.length > 0) this.#awaitEndOfTurn();
  }

  #scheduleExpiry(arrivedAt: number): void {
    const { timeout, scheduler } = this.#options;
    if (timeout === undefined || this.#isExpiryScheduled) return;
    this.#isExpiryScheduled = true;
    scheduler.afterIfAlive(Math.max(0, arrivedAt + timeout.ms - scheduler.now()), this.#expire);
  }

  readonly #expire = (): void => {
    const { timeout, scheduler } = this.#options;
    if (timeout === undefined) return;
    const deadline = scheduler.now() - timeout.ms;
    const expired: Waiter<Match>[] = [];
    let earliest = Infinity;
    const withoutExpired = (waiters: readonly Waiter<Match>[]) =>
      waiters.filter((waiter) => {
        const { arrivedAt = Infinity } = waiter;
        const isExpired = arrivedAt <= deadline;
        // Checks every request, because they are not in the order of arrival.
        if (isExpired) expired.push(waiter);
        else earliest = Math.min(earliest, arrivedAt);
        return !isExpired;
      });
    this.#confirming = withoutExpired(this.#confirming);
    this.#deferred = withoutExpired(this.#deferred);
    this.#waiting = withoutExpired(this.#waiting);
    this.#arrived = withoutExpired(this.#arrived);
    this.#isExpiryScheduled = false;
    if (earliest < Infinity) this.#scheduleExpiry(earliest);
    for (const waiter of expired) fail(waiter, timeout.error());
  };
}

/** Requests that are decided together, with the matches of their keys. */
class Decisions<Match> {
  readonly #waiters: Waiter<Match>[] = [];
  readonly #matches: (Match | undefined)[] = [];

  get size(): number {
    return this.#waiters.length;
  }

  add(waiter: Waiter<Match>, match: Match | undefined): void {
    this.#waiters.push(waiter);
    this.#matches.push(match);
  }

  run(): void {
    for (const [i, waiter] of this.#waiters.entries()) decide(waiter, this.#matches[i]);
  }
}

/** Calls one callback, so that an error in it does not affect other requests. */
function decide<Match>(waiter: Waiter<Match>, match: Match | undefined): void {
  try {
    waiter.decide(match);
  } catch (error) {
    fail(waiter, error);
  }
}

function fail<Match>(waiter: Waiter<Match>, error: unknown): void {
  try {
    waiter.fail(error);
  } catch {
    // Ignored: the error must not stop the rounds, and nothing else could handle it.
  }
}
