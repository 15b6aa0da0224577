/** Verifies keys near the caller: caches them, and confirms them with the feed of an upstream before each verdict. */
import { randomUUID } from 'node:crypto';
import { UnknownKeyLimit } from '../../domain/verdict/unknown-key-limit.ts';
import type { VerificationCall } from '../../domain/verdict/verification-call.ts';
import { ConfirmationRounds, type RoundObserver } from '../../engine/confirmation-rounds.ts';
import { KeyCache, shareOfKey } from '../../engine/key-cache.ts';
import { KeySearch } from '../../engine/key-search.ts';
import { systemScheduler } from '../../lib/scheduler.ts';
import { maxFeedKeys } from '../../wire/feed-messages.ts';
import { VerifierUnavailableError } from '../verdict.ts';
import { type FeedRounds, FeedSource, type LocalMatch, matchesInCache } from './feed-source.ts';
import { Forwards } from './forwards.ts';
import type { LocalResponder } from './local-key.ts';
import { type LocalParts, LocalVerification } from './local-verification.ts';
import { closed, Upstreams } from './upstreams.ts';
import { UsageReports } from './usage-reports.ts';

export interface LocalEngineOptions {
  /** The URLs of the verification ports, in order of preference. */
  readonly urls: readonly (string | URL)[];
  // The options below come from LocalVerifierOptions.
  readonly token?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly cacheKeys?: number | undefined;
  readonly cacheMegabytes?: number | undefined;
  readonly unknownKeyLimit?: number | undefined;
  readonly onReportError?: ((error: unknown) => void) | undefined;
  readonly observer?: RoundObserver | undefined;
  /** The minimum time between the starts of two requests to the feed. Default: 0. */
  readonly minPauseMs?: number | undefined;
  /** Returns the time in milliseconds of a clock that never goes back. Default: `performance.now`. */
  readonly now?: (() => number) | undefined;
}

/** The pause after a failure, so that an upstream that is down does not get requests in a loop. */
const retryPauseMs = 50;
/** The maximum time for which `close` sends the remaining counts. */
const maxReportingMs = 3000;

export class LocalEngine {
  readonly #upstreams: Upstreams;
  readonly cache: Pick<KeyCache<LocalMatch>, 'size' | 'bytes'>;
  readonly reports: UsageReports;
  readonly #rounds: FeedRounds;
  readonly #search: KeySearch<LocalMatch>;
  readonly #parts: LocalParts;
  #isClosed = false;

  /** @throws TypeError or RangeError for invalid options */
  constructor(options: LocalEngineOptions) {
    const { urls, token, timeoutMs = 1000, onReportError = () => undefined, observer } = options;
    const { cacheKeys = 10_000, cacheMegabytes = 50, unknownKeyLimit = 120, minPauseMs = 0 } = options;
    if (!(cacheKeys >= 2)) throw new RangeError('cacheKeys must be at least 2');
    if (!(cacheMegabytes >= 1)) throw new RangeError('cacheMegabytes must be at least 1');
    if (!(unknownKeyLimit >= 1)) throw new RangeError('unknownKeyLimit must be at least 1');
    const edge = randomUUID();
    const upstreams = new Upstreams({ urls, token, timeoutMs });
    this.#upstreams = upstreams;
    const scheduler = { ...systemScheduler, ...(options.now && { now: options.now }) };
    const maxBytes = cacheMegabytes * 2 ** 20;
    const cache = new KeyCache({
      ...matchesInCache,
      maxKeys: cacheKeys,
      maxBytes,
      ...shareOfKey(cacheKeys, maxBytes),
    });
    this.cache = cache;
    const source = new FeedSource({ upstreams, edge, timeoutMs, minPauseMs });
    this.#rounds = new ConfirmationRounds({
      source,
      cache,
      scheduler,
      observer,
      maxMissing: maxFeedKeys,
      retryPauseMs,
      timeout: {
        ms: timeoutMs,
        error: () => new VerifierUnavailableError(`There is no verdict: it took longer than ${timeoutMs} ms`),
      },
    });
    this.reports = new UsageReports(upstreams, edge, onReportError);
    const unknownKeys = new UnknownKeyLimit(unknownKeyLimit);
    this.#search = new KeySearch({ cache, rounds: this.#rounds, state: source, unknownKeys, now: scheduler.now });
    const forwards = new Forwards(upstreams, timeoutMs, scheduler.now);
    const isClosed = () => this.#isClosed;
    this.#parts = { search: this.#search, state: source, counters: this.reports, forwards, scheduler, isClosed };
  }

  verify(call: VerificationCall, respond: LocalResponder): void {
    if (this.#isClosed) respond.fail(closed());
    else this.#search.find(new LocalVerification(this.#parts, call, respond));
  }

  /** Resolves when an upstream answers a request that is sent after this call. */
  ping(): Promise<void> {
    return this.#rounds.ping();
  }

  /** Sends the remaining counts, for at most three seconds. Pending and later verifications fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#rounds.close(closed());
    this.#upstreams.endVerifications();
    const timer = setTimeout(() => this.#upstreams.close(), maxReportingMs);
    await this.reports.close();
    clearTimeout(timer);
    this.#upstreams.close();
  }
}
