/**
 * Verifies keys near the caller, with the verdicts of the service. It caches keys, and asks the feed of an upstream
 * before each verdict, once for all verifications that arrived meanwhile.
 */
import { hash, randomUUID } from 'node:crypto';
import { hasScopes } from '../../domain/key/scope.ts';
import { classify } from '../../domain/secret/secret.ts';
import { looksLikeSessionToken } from '../../domain/secret/session-token-shape.ts';
import { matchesLiterally } from '../../domain/source/source-match.ts';
import { tooManyUnknownKeys, UnknownKeyLimit } from '../../domain/verdict/unknown-key-limit.ts';
import { verdict } from '../../domain/verdict/verdict.ts';
import type { VerdictCode } from '../../domain/verdict/verdict-code.ts';
import { countVerdict } from '../../usage/count-verdict.ts';
import { VerifierUnavailableError } from '../verdict.ts';
import { Forwards } from './forwards.ts';
import { LocalCache } from './local-cache.ts';
import type { LocalQuestion, LocalResponder } from './local-call.ts';
import { LocalKey } from './local-key.ts';
import { Reports } from './reports.ts';
import { type RoundObserver, Rounds } from './rounds.ts';
import { closed, Upstreams } from './upstreams.ts';
import type { LocalMatch, Waiter } from './waiters.ts';

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
  /** The minimum time between two questions. Default: 0. */
  readonly minPauseMs?: number | undefined;
  /** The clock in milliseconds, which never goes back. Default: that of `performance`. */
  readonly now?: (() => number) | undefined;
}

/** How long closing waits until the remaining counts are sent. */
const maxReportingMs = 3000;

/** One source has presented too many unknown keys. */
export class UnknownKeysError extends VerifierUnavailableError {
  declare readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(tooManyUnknownKeys(retryAfterSeconds), retryAfterSeconds, 429);
  }
}

/** Where to find a presented text. */
type Lookup = Pick<Waiter, 'presented' | 'isOurs' | 'match'>;

const malformed: Lookup = { presented: null, isOurs: false, match: { code: 'MALFORMED' } };

export class LocalEngine {
  readonly #upstreams: Upstreams;
  readonly #cache: LocalCache;
  readonly #rounds: Rounds;
  readonly #reports: Reports;
  readonly #forwards: Forwards;
  readonly #unknownKeys: UnknownKeyLimit;
  readonly #now: () => number;
  #isClosed = false;

  /** @throws TypeError or RangeError for invalid options */
  constructor(options: LocalEngineOptions) {
    const { urls, token, timeoutMs = 1000, onReportError = () => undefined, observer } = options;
    const {
      cacheKeys = 10_000,
      cacheMegabytes = 50,
      unknownKeyLimit = 120,
      minPauseMs = 0,
      now = () => performance.now(),
    } = options;
    if (!(cacheKeys >= 2)) throw new RangeError('cacheKeys must be at least 2');
    if (!(cacheMegabytes >= 1)) throw new RangeError('cacheMegabytes must be at least 1');
    if (!(unknownKeyLimit >= 1)) throw new RangeError('unknownKeyLimit must be at least 1');
    const edge = randomUUID();
    this.#cache = new LocalCache(cacheKeys, cacheMegabytes * 2 ** 20);
    const upstreams = new Upstreams({ urls, token, timeoutMs });
    this.#upstreams = upstreams;
    this.#rounds = new Rounds({ upstreams, cache: this.#cache, edge, timeoutMs, minPauseMs, observer, now });
    this.#reports = new Reports(this.#upstreams, edge, onReportError);
    this.#forwards = new Forwards(this.#upstreams, timeoutMs, now);
    this.#unknownKeys = new UnknownKeyLimit(unknownKeyLimit);
    this.#now = now;
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

  verify(question: LocalQuestion, respond: LocalResponder): void {
    if (this.#isClosed) {
      respond.fail(closed());
      return;
    }
    const arrivedAt = this.#now();
    const presented = hash('sha256', question.secret, 'base64url');
    const known = this.#cache.get(presented);
    // The service decides on a current state.
    if (known?.forwarded === true) {
      this.#forwards.start(question, known.teamId, arrivedAt, respond);
      return;
    }
    const lookup = known === undefined ? lookUp(question.secret, presented) : { presented, isOurs: !known.imported };
    if (known === undefined && this.#mayBeKey(lookup)) {
      const retryAfterSeconds = this.#unknownKeys.retryAfterSeconds(question.source, arrivedAt);
      if (retryAfterSeconds !== null) {
        respond.fail(new UnknownKeysError(retryAfterSeconds));
        return;
      }
    }
    this.#rounds.ask({
      ...lookup,
      secret: question.secret,
      arrivedAt,
      decide: (match) => {
        if (!(match instanceof LocalKey) && this.#mayBeKey(lookup))
          this.#unknownKeys.count(question.source, this.#now());
        this.#decide(question, match, arrivedAt, respond);
      },
      fail: (error) => respond.fail(error),
    });
  }

  /** Resolves when an upstream answers a question. */
  async ping(): Promise<void> {
    await this.#rounds.confirm();
  }

  /** Sends the remaining counts, for at most three seconds. Pending and later verifications fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#rounds.close();
    this.#upstreams.endVerifications();
    const timer = setTimeout(() => this.#upstreams.close(), maxReportingMs);
    await this.#reports.close();
    clearTimeout(timer);
    this.#upstreams.close();
  }

  /** Whether an upstream must look for the presented text. */
  #mayBeKey({ presented, isOurs }: Lookup): boolean {
    return presented !== null && (isOurs || this.#rounds.imports);
  }

  #decide(question: LocalQuestion, match: LocalMatch, arrivedAt: number, respond: LocalResponder): void {
    if (!(match instanceof LocalKey)) this.#answerMismatch(question.secret, match.code, respond);
    else if (match.forwarded) this.#forwards.start(question, match.teamId, arrivedAt, respond);
    else this.#judge(question, match, respond);
  }

  #judge({ env, scopes, source }: LocalQuestion, key: LocalKey, respond: LocalResponder): void {
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

  #answerMismatch(secret: string, code: VerdictCode, respond: LocalResponder): void {
    const isToken = code === 'MALFORMED' && looksLikeSessionToken(secret);
    const outcome = { code, key: null, rateLimit: null };
    respond.answer(isToken ? { ...outcome, looksLikeSessionToken: true } : outcome);
  }
}

/** Only texts that can be a key are asked for, and cached. */
function lookUp(secret: string, presented: string): Lookup {
  const format = classify(secret);
  return format === 'valid' || format === 'foreign' ? { presented, isOurs: format === 'valid' } : malformed;
}
