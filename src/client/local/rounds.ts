/**
 * The strict promise at an edge: every verdict is based on an answer to a question that was *sent* after the
 * verification arrived, or, within a lease, on one that was sent at most `leaseMs` before.
 *
 * One question serves all verifications that wait for it. Questions never overlap, so that the cached rows are never
 * older than the cursor. docs/scaling.md has the proof.
 */
import { type FeedAnswer, type FeedMismatch, maxFeedKeys } from '../../domain/feed-messages.ts';
import { maxAnswerBytes, unavailable } from '../verdict.ts';
import { parseFeedAnswer } from './feed-answer.ts';
import type { LocalCache } from './local-cache.ts';
import { LocalKey } from './local-key.ts';
import type { Upstreams } from './upstreams.ts';

/** What a presented key matches. */
export type LocalMatch = LocalKey | FeedMismatch;

export interface Waiter {
  readonly secret: string;
  /** The SHA-256 of the secret, which is its name in the cache; null when no key is asked for. */
  readonly presented: string | null;
  /** Whether the secret has the format of the service. Others can only be imported keys. */
  readonly isOurs: boolean;
  /** When the verification arrived, on the clock of `performance`. */
  readonly arrivedAt: number;
  readonly decide: (match: LocalMatch) => void;
  readonly fail: (error: unknown) => void;
}

/** Receives what metrics count. Times are of `performance`. */
export interface RoundObserver {
  /** A question was answered, and this many verifications are decided on the answer. */
  readonly answered: (sentAt: number, served: number) => void;
  readonly failed: () => void;
  /** A verification is decided on an earlier answer, within the lease. */
  readonly leased: (confirmedAt: number) => void;
  /** Whether the key of a verification was cached. */
  readonly lookedUp: (isCached: boolean) => void;
}

export interface RoundsOptions {
  readonly upstreams: Upstreams;
  readonly cache: LocalCache;
  /** A UUID that names this edge. */
  readonly edge: string;
  /** Within this time of its arrival, a verification is decided or fails. */
  readonly timeoutMs: number;
  readonly observer?: RoundObserver | undefined;
}

const malformed: FeedMismatch = { code: 'MALFORMED' };
/** The pause after a failure, so that an upstream that is down is not asked in a loop. */
const retryPauseMs = 50;
/** For the state, and for 1,000 changed keys. */
const stateBytes = 64 * 1024;

/** A question and the verifications that it serves. */
interface Question {
  readonly waiters: readonly Waiter[];
  /** The index of each presented key that is asked for. */
  readonly indexes: ReadonlyMap<string, number>;
  readonly keys: readonly string[];
}

export class Rounds {
  readonly #options: RoundsOptions;
  /** In the order of their arrival. */
  #waiting: Waiter[] = [];
  #asked: readonly Waiter[] = [];
  #isScheduled = false;
  #cursor: string | null = null;
  #imports = false;
  #lastStart = Number.NEGATIVE_INFINITY;
  #pauseMs = 0;
  #leasedUntil = Number.NEGATIVE_INFINITY;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #expiry: NodeJS.Timeout | null = null;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  /** Whether any key was imported, in the state of the last answer. */
  get imports(): boolean {
    return this.#imports;
  }

  /** When the last question was sent that has been answered, on the clock of `performance`. */
  get confirmedAt(): number {
    return this.#confirmedAt;
  }

  /** Returns the match if the cached state can be relied on at this time without a question. */
  leased(presented: string, isOurs: boolean, now: number): LocalMatch | undefined {
    if (now >= this.#leasedUntil) return undefined;
    const match = this.#matchOf({ presented, isOurs }, undefined);
    if (match !== undefined) this.#options.observer?.leased(this.#confirmedAt);
    return match;
  }

  /** Calls back with the match in a state at least as new as this call. */
  ask(waiter: Waiter): void {
    if (this.#isClosed) {
      waiter.fail(closed());
      return;
    }
    this.#waiting.push(waiter);
    this.#expiry ??= this.#expireAt(waiter.arrivedAt);
    if (!this.#isScheduled) this.#schedule();
  }

  /** Resolves when an upstream answers a question that is sent after this call. */
  confirm(): Promise<void> {
    return new Promise((resolve, reject) => {
      const arrivedAt = performance.now();
      this.ask({ secret: '', presented: null, isOurs: false, arrivedAt, decide: () => resolve(), fail: reject });
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#leasedUntil = Number.NEGATIVE_INFINITY;
    const waiters = [...this.#asked, ...this.#waiting];
    this.#asked = [];
    this.#waiting = [];
    if (this.#expiry !== null) clearTimeout(this.#expiry);
    this.#expiry = null;
    failAll(waiters, closed());
  }

  #schedule(): void {
    this.#isScheduled = true;
    const rest = this.#lastStart + this.#pauseMs - performance.now();
    // Verifications that arrive in the same turn of the event loop join the question.
    if (rest <= 0) setImmediate(this.#round);
    else setTimeout(this.#round, rest);
  }

  readonly #round = (): void => {
    if (this.#waiting.length === 0) {
      this.#isScheduled = false;
      return;
    }
    const question = this.#take();
    this.#asked = question.waiters;
    const sentAt = performance.now();
    this.#lastStart = sentAt;
    this.#send(question)
      .then((answer) => this.#apply(question, answer, sentAt))
      .catch((error) => this.#fail(error));
  };

  /** Takes the verifications that wait, except those for whose keys there is no space in the question. */
  #take(): Question {
    const { cache, observer } = this.#options;
    const indexes = new Map<string, number>();
    const keys: string[] = [];
    const waiters: Waiter[] = [];
    const left: Waiter[] = [];
    for (const waiter of this.#waiting) {
      const { presented, isOurs, secret } = waiter;
      const isKnown =
        presented === null ||
        indexes.has(presented) ||
        cache.get(presented) !== undefined ||
        (!isOurs && !this.#imports);
      if (!isKnown && keys.length === maxFeedKeys) {
        left.push(waiter);
        continue;
      }
      observer?.lookedUp(isKnown);
      if (!isKnown) indexes.set(presented, keys.push(secret) - 1);
      waiters.push(waiter);
    }
    this.#waiting = left;
    return { waiters, indexes, keys };
  }

  async #send({ keys }: Question): Promise<FeedAnswer> {
    const { upstreams, edge } = this.#options;
    const answer = await upstreams.post({
      path: 'feed',
      body: { edge, cursor: this.#cursor, keys },
      secrets: keys,
      limitBytes: stateBytes + maxAnswerBytes * keys.length,
    });
    const parsed = parseFeedAnswer(answer, keys.length);
    if (parsed === null) throw unavailable('the upstream', 'its answer is not one of the feed');
    return parsed;
  }

  #apply({ indexes }: Question, answer: FeedAnswer, sentAt: number): void {
    if (this.#isClosed) return;
    const rows = answer.keys.map((row): LocalMatch => ('code' in row ? row : new LocalKey(row)));
    this.#update(answer, sentAt);
    const served: { readonly waiter: Waiter; readonly match: LocalMatch }[] = [];
    const postponed: Waiter[] = [];
    for (const waiter of this.#asked) {
      const match = this.#matchOf(waiter, rows[indexes.get(waiter.presented ?? '') ?? -1]);
      if (match === undefined) postponed.push(waiter);
      else served.push({ waiter, match });
    }
    // Only now: adding keys may evict a key that a waiter needs.
    for (const [presented, index] of indexes) {
      const row = rows[index];
      if (row instanceof LocalKey) this.#options.cache.add(presented, row);
    }
    this.#asked = [];
    this.#waiting = [...postponed, ...this.#waiting];
    this.#options.observer?.answered(sentAt, served.length);
    this.#schedule();
    for (const { waiter, match } of served) decide(waiter, match);
  }

  #update({ clear, changed, importsChanged, cursor, imports, pauseMs, leaseMs }: FeedAnswer, sentAt: number): void {
    const { cache } = this.#options;
    if (clear) cache.clear();
    cache.dropKeys(changed);
    if (importsChanged) cache.dropImported();
    this.#cursor = cursor;
    this.#imports = imports;
    this.#pauseMs = pauseMs;
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
    const waiters = this.#asked;
    this.#asked = [];
    this.#pauseMs = Math.max(this.#pauseMs, retryPauseMs);
    this.#options.observer?.failed();
    this.#schedule();
    failAll(waiters, error);
  }

  #expireAt(arrivedAt: number): NodeJS.Timeout {
    const rest = arrivedAt + this.#options.timeoutMs - performance.now();
    return setTimeout(() => this.#expire(), Math.max(0, rest));
  }

  /** Fails the verifications whose time is over, and waits for the next ones. */
  #expire(): void {
    const deadline = performance.now() - this.#options.timeoutMs;
    const isOver = ({ arrivedAt }: Waiter) => arrivedAt <= deadline;
    const over = [...this.#asked.filter(isOver), ...this.#waiting.filter(isOver)];
    this.#asked = this.#asked.filter((waiter) => !isOver(waiter));
    this.#waiting = this.#waiting.filter((waiter) => !isOver(waiter));
    const next = this.#asked[0] ?? this.#waiting[0];
    this.#expiry = next === undefined ? null : this.#expireAt(next.arrivedAt);
    const reason = `there was no answer in ${this.#options.timeoutMs} ms`;
    if (over.length > 0) failAll(over, unavailable('the upstream', reason));
  }
}

function closed(): Error {
  return unavailable('the upstream', 'this client was closed');
}

/** An error in one verification must not affect the others. */
function decide(waiter: Waiter, match: LocalMatch): void {
  try {
    waiter.decide(match);
  } catch (error) {
    waiter.fail(error);
  }
}

function failAll(waiters: readonly Waiter[], error: unknown): void {
  for (const waiter of waiters) waiter.fail(error);
}
