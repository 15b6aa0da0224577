/**
 * The strict promise at an edge: every verdict is based on an answer to a question that was *sent* after the
 * verification arrived, or, within a lease, on one that was sent at most `leaseMs` before.
 *
 * One question serves all verifications that wait for it. Questions never overlap, so that the cached rows are never
 * older than the cursor. docs/scaling.md has the proof.
 *
 * Verifications that arrive in the same turn of the event loop are decided together at its end, also within a lease:
 * reading all requests first and then writing all answers takes less time than alternating.
 */
import type { FeedAnswer, FeedMismatch } from '../../wire/feed-messages.ts';
import { VerifierUnavailableError } from '../verdict.ts';
import { parseFeedAnswer } from './feed-answer.ts';
import type { LocalCache } from './local-cache.ts';
import { LocalKey } from './local-key.ts';
import { nextQuestion, type Question } from './question.ts';
import { closed, type Upstreams } from './upstreams.ts';
import { decide, fail, type LocalMatch, type Waiter, Waiters } from './waiters.ts';

/** Receives what metrics count. Times are of the clock of the rounds. */
export interface RoundObserver {
  /** A question was answered, and this many verifications are decided on the answer. */
  readonly answered: (sentAt: number, served: number) => void;
  readonly failed: () => void;
  /** This many verifications are decided on an earlier answer, within the lease. */
  readonly leased: (confirmedAt: number, served: number) => void;
  /** Whether the key of a verification was cached. */
  readonly lookedUp: (isCached: boolean) => void;
}

interface Served {
  readonly waiter: Waiter;
  readonly match: LocalMatch;
}

export interface RoundsOptions {
  readonly upstreams: Upstreams;
  readonly cache: LocalCache;
  /** A UUID that names this edge. */
  readonly edge: string;
  /** Within this time of its arrival, a verification is decided or fails. */
  readonly timeoutMs: number;
  /** The minimum time between the starts of two questions, also if the service sets none. */
  readonly minPauseMs: number;
  readonly observer?: RoundObserver | undefined;
  readonly now: () => number;
}

const malformed: FeedMismatch = { code: 'MALFORMED' };
/** The pause after a failure, so that an upstream that is down is not asked in a loop. */
const retryPauseMs = 50;
/** For the state, and for 1,000 ids of changed keys and as many names of imported ones. */
const stateBytes = 64 * 1024;
/**
 * For one row: 100 sources of 255 characters with escapes, scopes and metadata. An answer must never be too long, or the
 * keys of one team could keep an edge from answering others.
 */
const rowBytes = 128 * 1024;

export class Rounds {
  readonly #options: RoundsOptions;
  readonly #waiters: Waiters;
  /** The verifications that arrived in this turn of the event loop. */
  #arrived: Waiter[] = [];
  #endsTurn = false;
  /** Whether a question is under way, or waits for the pause to end. */
  #isAsking = false;
  #cursor: string | null = null;
  #imports = false;
  #lastStart = Number.NEGATIVE_INFINITY;
  #pauseMs: number;
  /** Whether the last question had no space for a key that waits. */
  #hasMore = false;
  #leasedUntil = Number.NEGATIVE_INFINITY;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: RoundsOptions) {
    this.#options = options;
    this.#pauseMs = options.minPauseMs;
    this.#waiters = new Waiters(options.timeoutMs, options.now);
  }

  /** Whether any key was imported, in the state of the last answer. */
  get imports(): boolean {
    return this.#imports;
  }

  /** Calls back with the match in a state at least as new as this call. */
  ask(waiter: Waiter): void {
    if (this.#isClosed) {
      fail(waiter, closed());
      return;
    }
    this.#arrived.push(waiter);
    this.#scheduleEndOfTurn();
  }

  /** Resolves when an upstream answers a question that is sent after this call. */
  confirm(): Promise<void> {
    return new Promise((resolve, reject) => {
      const arrivedAt = this.#options.now();
      this.ask({ secret: '', presented: null, isOurs: false, arrivedAt, decide: () => resolve(), fail: reject });
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#leasedUntil = Number.NEGATIVE_INFINITY;
    for (const waiter of this.#takeArrived()) this.#waiters.add(waiter);
    this.#waiters.failAll(closed());
  }

  #scheduleEndOfTurn(): void {
    if (this.#endsTurn) return;
    this.#endsTurn = true;
    setImmediate(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    this.#endsTurn = false;
    const now = this.#options.now();
    const served = this.#separate(this.#takeArrived(), now);
    // The question first: while it is under way, there is time to decide.
    if (!this.#isAsking && this.#waiters.wait) this.#startQuestion(now);
    for (const { waiter, match } of served) decide(waiter, match);
  };

  #takeArrived(): readonly Waiter[] {
    const arrived = this.#arrived;
    this.#arrived = [];
    return arrived;
  }

  /** Returns those that need no question at this time. The others wait for the next one. */
  #separate(waiters: readonly Waiter[], now: number): readonly Served[] {
    const isLeased = now < this.#leasedUntil;
    const served: Served[] = [];
    let leased = 0;
    for (const waiter of waiters) {
      const leasedMatch = isLeased && waiter.presented !== null ? this.#matchOf(waiter, undefined) : undefined;
      const match = waiter.match ?? leasedMatch;
      if (match === undefined) this.#waiters.add(waiter);
      else served.push({ waiter, match });
      if (leasedMatch !== undefined) leased += 1;
    }
    if (leased > 0) this.#options.observer?.leased(this.#confirmedAt, leased);
    return served;
  }

  #startQuestion(now: number): void {
    this.#isAsking = true;
    // Otherwise, a flood of unknown keys would make all others wait for many pauses.
    const rest = this.#hasMore ? 0 : this.#lastStart + this.#pauseMs - now;
    if (rest <= 0) this.#ask();
    else setTimeout(() => this.#ask(), rest);
  }

  #ask(): void {
    if (!this.#waiters.wait) {
      this.#isAsking = false;
      return;
    }
    const { cache, observer } = this.#options;
    const question = nextQuestion(this.#waiters, cache, this.#imports, (isCached) => observer?.lookedUp(isCached));
    this.#hasMore = this.#waiters.wait;
    const sentAt = this.#options.now();
    this.#lastStart = sentAt;
    this.#send(question)
      .then((answer) => this.#apply(question, answer, sentAt))
      .catch((error) => this.#fail(error));
  }

  /** Must run before the verifications of the last question are decided: what they add needs another question. */
  #endQuestion(): void {
    this.#isAsking = false;
    if (this.#waiters.wait) this.#scheduleEndOfTurn();
  }

  async #send({ keys }: Question): Promise<FeedAnswer> {
    const { upstreams, edge } = this.#options;
    return await upstreams.post({
      path: 'feed',
      body: { edge, cursor: this.#cursor, keys },
      secrets: keys,
      limitBytes: stateBytes + rowBytes * keys.length,
      parse: (value) => parseFeedAnswer(value, keys.length),
    });
  }

  #apply({ indexes }: Question, answer: FeedAnswer, sentAt: number): void {
    if (this.#isClosed) return;
    const rows = answer.keys.map((row): LocalMatch => ('code' in row ? row : new LocalKey(row)));
    this.#update(answer, sentAt);
    const served: Served[] = [];
    const postponed: Waiter[] = [];
    for (const waiter of this.#waiters.takeAsked()) {
      const match = this.#matchOf(waiter, rows[indexes.get(waiter.presented ?? '') ?? -1]);
      if (match === undefined) postponed.push(waiter);
      else served.push({ waiter, match });
    }
    // Only now: adding keys may evict a key that a waiter needs.
    for (const [presented, index] of indexes) {
      const row = rows[index];
      if (row instanceof LocalKey) this.#options.cache.add(presented, row);
    }
    this.#waiters.postpone(postponed);
    this.#options.observer?.answered(sentAt, served.length);
    // For those that arrived in the meantime, the new lease may be enough.
    const leased = this.#separate(this.#waiters.takeWaiting(), this.#options.now());
    this.#endQuestion();
    for (const { waiter, match } of [...served, ...leased]) decide(waiter, match);
  }

  #update(
    { clear, changed, importsChanged, namesImports, cursor, imports, pauseMs, leaseMs }: FeedAnswer,
    sentAt: number,
  ): void {
    const { cache, minPauseMs, timeoutMs } = this.#options;
    if (clear) cache.clear();
    cache.dropDependent(changed);
    if (importsChanged && namesImports !== true) cache.dropImported();
    this.#cursor = cursor;
    this.#imports = imports;
    // Longer pauses would let verifications fail that wait for the next question.
    this.#pauseMs = Math.max(minPauseMs, Math.min(pauseMs, timeoutMs / 4));
    this.#confirmedAt = sentAt;
    this.#leasedUntil = sentAt + leaseMs;
  }

  /** Undefined if the cached key was dropped, so that the next question must ask for it. */
  #matchOf(
    { presented, isOurs }: Pick<Waiter, 'presented' | 'isOurs'>,
    row: LocalMatch | undefined,
  ): LocalMatch | undefined {
    if (presented === null) return malformed;
    const match = row ?? this.#options.cache.get(presented);
    return match === undefined && !isOurs && !this.#imports ? malformed : match;
  }

  #fail(error: unknown): void {
    const waiters = this.#waiters.takeAsked();
    this.#hasMore = false;
    this.#pauseMs = Math.max(this.#pauseMs, retryPauseMs);
    this.#options.observer?.failed();
    // A busy upstream, such as one that many edges ask for all their keys after its restart: there is still time.
    const isBusy = error instanceof VerifierUnavailableError && error.status === 503 && !this.#isClosed;
    if (isBusy) this.#waiters.postpone(waiters);
    this.#endQuestion();
    if (!isBusy) for (const waiter of waiters) fail(waiter, error);
  }
}
