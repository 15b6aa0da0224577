/**
 * Verifies keys near the caller, with the verdicts of the service. It caches keys, and confirms them with the feed of an
 * upstream before each verdict, in one request for all verifications that arrived in the meantime.
 */
import { hash, randomUUID } from 'node:crypto';
import { hasScopes } from '../../domain/key/scope.ts';
import { classify } from '../../domain/secret/secret.ts';
import { looksLikeSessionToken } from '../../domain/secret/session-token-shape.ts';
import { matchesLiterally } from '../../domain/source/source-match.ts';
import { tooManyUnknownKeys, UnknownKeyLimit } from '../../domain/verdict/unknown-key-limit.ts';
import { verdict } from '../../domain/verdict/verdict.ts';
import type { VerdictCode } from '../../domain/verdict/verdict-code.ts';
import { ConfirmationRounds, type RoundObserver } from '../../engine/confirmation-rounds.ts';
import { KeyCache } from '../../engine/key-cache.ts';
import { type Scheduler, systemScheduler } from '../../lib/scheduler.ts';
import { countVerdict } from '../../usage/count-verdict.ts';
import { maxFeedKeys } from '../../wire/feed-messages.ts';
import { VerifierUnavailableError } from '../verdict.ts';
import { type FeedRounds, FeedSource, type LocalMatch, matchesInCache } from './feed-source.ts';
import { Forwards } from './forwards.ts';
import type { LocalCall, LocalResponder } from './local-call.ts';
import { LocalKey } from './local-key.ts';
import { Reports } from './reports.ts';
import { closed, Upstreams } from './upstreams.ts';

export interface LocalEngineOptions {
  /** The verification ports, the preferred one first. */
  readonly urls: readonly (string | URL)[];
  /** One of the service's FEED_TOKENS. */
  readonly token?: string | undefined;
  /** Within this time of its arrival, a verification is decided or fails. Default: 1000. */
  readonly timeoutMs?: number | undefined;
  /** The maximum number of keys in memory. Default: 10000. */
  readonly cacheKeys?: number | undefined;
  /** The maximum memory of these keys, in megabytes. Default: 50. */
  readonly cacheMegabytes?: number | undefined;
  /** Called when counts could not be sent. They are kept and sent later, except those that the service rejects. */
  readonly onReportError?: ((error: unknown) => void) | undefined;
  readonly observer?: RoundObserver | undefined;
  /** How many unknown keys one source may present per minute. Default: 120. */
  readonly unknownKeyLimit?: number | undefined;
  /** The minimum time between the starts of two requests to the feed. Default: 0. */
  readonly minPauseMs?: number | undefined;
  /** The clock in milliseconds, which never goes back. Default: that of `performance`. */
  readonly now?: (() => number) | undefined;
}

/** The pause after a failure, so that an upstream that is down does not get requests in a loop. */
const retryPauseMs = 50;
/** How long closing waits until the remaining counts are sent. */
const maxReportingMs = 3000;

/** One source has presented too many unknown keys. */
export class UnknownKeysError extends VerifierUnavailableError {
  declare readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(tooManyUnknownKeys(retryAfterSeconds), retryAfterSeconds, 429);
  }
}

export class LocalEngine {
  readonly #upstreams: Upstreams;
  readonly #cache: KeyCache<LocalMatch>;
  readonly #source: FeedSource;
  readonly #rounds: FeedRounds;
  readonly #reports: Reports;
  readonly #forwards: Forwards;
  readonly #unknownKeys: UnknownKeyLimit;
  readonly #scheduler: Scheduler;
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
    this.#scheduler = { ...systemScheduler, ...(options.now && { now: options.now }) };
    this.#cache = new KeyCache({ ...matchesInCache, maxKeys: cacheKeys, maxBytes: cacheMegabytes * 2 ** 20 });
    this.#source = new FeedSource({ upstreams, edge, timeoutMs, minPauseMs });
    this.#rounds = new ConfirmationRounds({
      source: this.#source,
      cache: this.#cache,
      scheduler: this.#scheduler,
      observer,
      maxMissing: maxFeedKeys,
      retryPauseMs,
      timeout: {
        ms: timeoutMs,
        error: () => new VerifierUnavailableError(`There is no verdict: it took longer than ${timeoutMs} ms`),
      },
    });
    this.#reports = new Reports(upstreams, edge, onReportError);
    this.#forwards = new Forwards(upstreams, timeoutMs, this.#scheduler.now);
    this.#unknownKeys = new UnknownKeyLimit(unknownKeyLimit);
  }

  /** The number of cached keys. */
  get cachedKeys(): number {
    return this.#cache.size;
  }

  /** Their estimated memory. */
  get cachedBytes(): number {
    return this.#cache.bytes;
  }

  /** What was counted and not yet sent, and what was dropped. */
  get reports(): Reports {
    return this.#reports;
  }

  verify(call: LocalCall, respond: LocalResponder): void {
    if (this.#isClosed) respond.fail(closed());
    else this.#find(call, this.#scheduler.now(), respond);
  }

  /** Resolves when an upstream answers a request that is sent after this call. */
  async ping(): Promise<void> {
    await this.#rounds.ping();
  }

  /** Sends the remaining counts, for at most three seconds. Pending and later verifications fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#rounds.close(closed());
    this.#upstreams.endVerifications();
    const timer = setTimeout(() => this.#upstreams.close(), maxReportingMs);
    await this.#reports.close();
    clearTimeout(timer);
    this.#upstreams.close();
  }

  #find(call: LocalCall, arrivedAt: number, respond: LocalResponder): void {
    const { secret, source } = call;
    const cacheKey = hash('sha256', secret, 'base64url');
    const cached = this.#cache.get(cacheKey);
    if (cached instanceof LocalKey && cached.forwarded) {
      // The service decides on a current state.
      this.#forwards.start(call, cached.teamId, arrivedAt, respond);
      return;
    }
    if (cached === undefined) {
      const format = classify(secret);
      if (format !== 'valid' && format !== 'foreign') {
        this.#scheduler.endOfTurn(() => this.#answerMalformed(secret, respond));
        return;
      }
      if (format === 'foreign' && !this.#source.imports) {
        this.#lookForImports(call, arrivedAt, respond);
        return;
      }
      const retryAfterSeconds = this.#unknownKeys.retryAfterSeconds(source, this.#scheduler.now());
      if (retryAfterSeconds !== null) {
        respond.fail(new UnknownKeysError(retryAfterSeconds));
        return;
      }
    }
    this.#rounds.confirm({
      secret,
      cacheKey,
      arrivedAt,
      decide: (match) => this.#decide(call, match, arrivedAt, respond),
      fail: (error) => respond.fail(error),
    });
  }

  /** A text in a foreign format can be a key only if any key was imported, which the next confirmed state shows. */
  #lookForImports(call: LocalCall, arrivedAt: number, respond: LocalResponder): void {
    this.#rounds.confirm({
      secret: '',
      cacheKey: null,
      arrivedAt,
      decide: () => {
        if (this.#source.imports) this.#find(call, arrivedAt, respond);
        else this.#answerMalformed(call.secret, respond);
      },
      fail: (error) => respond.fail(error),
    });
  }

  #answerMalformed(secret: string, respond: LocalResponder): void {
    if (this.#isClosed) respond.fail(closed());
    else answerMismatch(secret, 'MALFORMED', respond);
  }

  #decide(call: LocalCall, match: LocalMatch | undefined, arrivedAt: number, respond: LocalResponder): void {
    if (match instanceof LocalKey) {
      if (match.forwarded) this.#forwards.start(call, match.teamId, arrivedAt, respond);
      else this.#judge(call, match, respond);
      return;
    }
    this.#unknownKeys.count(call.source, this.#scheduler.now());
    answerMismatch(call.secret, match?.code ?? 'NOT_FOUND', respond);
  }

  #judge({ env, scopes, source }: LocalCall, key: LocalKey, respond: LocalResponder): void {
    const decided = verdict(key, {
      now: Date.now(),
      env,
      sourceAllowed: () => !key.restricted || (source !== undefined && matchesLiterally(key.sources, source)),
      scopesGranted: () => scopes.length === 0 || hasScopes(key.fields.scopes, scopes),
      signature: () => 'valid',
    });
    const { code, rateLimit } = countVerdict(this.#reports, key, decided, source);
    respond.answer({ code, key, rateLimit });
  }
}

function answerMismatch(secret: string, code: VerdictCode, respond: LocalResponder): void {
  const isToken = code === 'MALFORMED' && looksLikeSessionToken(secret);
  const outcome = { code, key: null, rateLimit: null };
  respond.answer(isToken ? { ...outcome, looksLikeSessionToken: true } : outcome);
}
