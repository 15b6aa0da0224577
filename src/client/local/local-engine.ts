/**
 * Verifies keys near the caller, with the verdicts of the service. It caches keys, and asks the feed of an upstream
 * before each verdict, once for all verifications that arrived meanwhile.
 */
import { hash, randomUUID } from 'node:crypto';
import { hasScopes } from '../../domain/scope.ts';
import { classify } from '../../domain/secret.ts';
import { looksLikeSessionToken } from '../../domain/session-token-shape.ts';
import { matchesLiterally } from '../../domain/source-match.ts';
import { verdict } from '../../domain/verdict.ts';
import { type VerdictCode, verdictCodes } from '../../domain/verdict-code.ts';
import { unavailable } from '../verdict.ts';
import { forward } from './forward.ts';
import { LocalCache } from './local-cache.ts';
import type { LocalQuestion, LocalResponder } from './local-call.ts';
import { LocalKey } from './local-key.ts';
import { Reports } from './reports.ts';
import { type RoundObserver, Rounds } from './rounds.ts';
import { Upstreams } from './upstreams.ts';
import type { LocalMatch } from './waiters.ts';

export interface LocalEngineOptions {
  /** The verification ports, the preferred one first. */
  readonly urls: readonly (string | URL)[];
  /** One of the service's FEED_TOKENS. */
  readonly token?: string | undefined;
  /** Within this time of its arrival, a verification is decided or fails. Default: 1000. */
  readonly timeoutMs?: number | undefined;
  /** The maximum number of keys in memory. Default: 10000. */
  readonly cacheKeys?: number | undefined;
  /** Called when counts could not be sent. They are kept, and sent later. */
  readonly onReportError?: ((error: unknown) => void) | undefined;
  readonly observer?: RoundObserver | undefined;
}

/** A presented text that can be a key. */
interface Lookup {
  readonly secret: string;
  /** Its SHA-256, which is its name in the cache. */
  readonly presented: string;
  readonly known: LocalKey | undefined;
  /** Whether it has the format of the service. */
  readonly isOurs: boolean;
}

export class LocalEngine {
  /** How often each verdict was given, except by the service. */
  readonly verdicts: Readonly<Record<VerdictCode, number>>;
  readonly #verdicts: Record<VerdictCode, number>;
  readonly #upstreams: Upstreams;
  readonly #cache: LocalCache;
  readonly #rounds: Rounds;
  readonly #reports: Reports;
  readonly #timeoutMs: number;

  /** @throws TypeError or RangeError for invalid options */
  constructor(options: LocalEngineOptions) {
    const { urls, token, timeoutMs = 1000, cacheKeys = 10_000, onReportError = () => undefined, observer } = options;
    if (!(cacheKeys >= 2)) throw new RangeError('cacheKeys must be at least 2');
    this.#timeoutMs = timeoutMs;
    const edge = randomUUID();
    this.#verdicts = Object.fromEntries(verdictCodes.map((code) => [code, 0])) as Record<VerdictCode, number>;
    this.verdicts = this.#verdicts;
    this.#upstreams = new Upstreams({ urls, token, timeoutMs });
    this.#cache = new LocalCache(cacheKeys);
    this.#rounds = new Rounds({ upstreams: this.#upstreams, cache: this.#cache, edge, timeoutMs, observer });
    this.#reports = new Reports(this.#upstreams, edge, onReportError);
  }

  /** Whether any key was imported, in the state of the last answer. */
  get imports(): boolean {
    return this.#rounds.imports;
  }

  /** Whether a presented key is cached. It may have changed. */
  isCached(secret: string): boolean {
    return this.#cache.get(hash('sha256', secret, 'base64url')) !== undefined;
  }

  /** The number of cached keys. */
  get cachedKeys(): number {
    return this.#cache.size;
  }

  /** When the cached keys were known to be current, on the clock of `performance`. */
  get confirmedAt(): number {
    return this.#rounds.confirmedAt;
  }

  /** What was counted and not yet sent, and what was dropped. */
  get reports(): Reports {
    return this.#reports;
  }

  verify(question: LocalQuestion, respond: LocalResponder): void {
    const { secret } = question;
    const arrivedAt = performance.now();
    const lookup = this.#lookUp(secret);
    if (lookup === null) this.#answerMismatch(secret, 'MALFORMED', respond);
    // The service decides on a current state.
    else if (lookup.known?.forwarded === true) this.#forward(question, arrivedAt, respond);
    else this.#confirm(lookup, (match) => this.#decide(question, match, arrivedAt, respond), respond.fail);
  }

  /** Finds what a secret matches, without a verdict and without counting a use; undefined if there is no key. */
  find(secret: string): Promise<LocalKey | undefined> {
    const lookup = this.#lookUp(secret);
    if (lookup === null) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#confirm(lookup, (match) => resolve(match instanceof LocalKey ? match : undefined), reject);
    });
  }

  /** Resolves when an upstream answers a question. */
  async ping(): Promise<void> {
    await this.#rounds.confirm();
  }

  /** Sends the remaining counts. Pending and later verifications fail. */
  async close(): Promise<void> {
    this.#rounds.close();
    await this.#reports.close();
    this.#upstreams.close();
  }

  /** Returns null for a text that can't be a key. Only texts that can be one are cached. */
  #lookUp(secret: string): Lookup | null {
    const presented = hash('sha256', secret, 'base64url');
    const known = this.#cache.get(presented);
    if (known !== undefined) return { secret, presented, known, isOurs: !known.imported };
    const format = classify(secret);
    const isKey = format === 'good' || format === 'foreign';
    return isKey ? { secret, presented, known, isOurs: format === 'good' } : null;
  }

  #confirm(lookup: Lookup, decide: (match: LocalMatch) => void, fail: (error: unknown) => void): void {
    const { secret, presented, isOurs } = lookup;
    const arrivedAt = performance.now();
    const leased = this.#rounds.leased(presented, isOurs, arrivedAt);
    if (leased !== undefined) decide(leased);
    else this.#rounds.ask({ secret, presented, isOurs, arrivedAt, decide, fail });
  }

  #decide(question: LocalQuestion, match: LocalMatch, arrivedAt: number, respond: LocalResponder): void {
    if (!(match instanceof LocalKey)) this.#answerMismatch(question.secret, match.code, respond);
    else if (match.forwarded) this.#forward(question, arrivedAt, respond);
    else this.#judge(question, match, respond);
  }

  /** In the order of the service. The rate limit comes last: only a request that is valid otherwise is counted. */
  #judge({ env, scopes, source }: LocalQuestion, key: LocalKey, respond: LocalResponder): void {
    const now = Date.now();
    const { rateLimits, usage, sources } = this.#reports;
    const decided = verdict(key, {
      now,
      env,
      sourceAllowed: () => !key.restricted || (source !== undefined && matchesLiterally(key.sources, source)),
      scopesGranted: () => scopes.length === 0 || hasScopes(key.fields.scopes, scopes),
      signature: () => 'valid',
    });
    const { rateLimit: limit } = key;
    const isLimited = limit !== null && decided === 'VALID' && !rateLimits.accept(key.id, limit, now);
    const code = isLimited ? 'RATE_LIMITED' : decided;
    this.#verdicts[code] += 1;
    usage.record(key, code, now);
    if (source !== undefined) sources.record(key, source, code, now);
    const rateLimit = limit === null ? null : rateLimits.stateOf(key.id, limit, now);
    respond.answer({ code, key, rateLimit });
  }

  #answerMismatch(secret: string, code: VerdictCode, respond: LocalResponder): void {
    this.#verdicts[code] += 1;
    const isToken = code === 'MALFORMED' && looksLikeSessionToken(secret);
    const outcome = { code, key: null, rateLimit: null };
    respond.answer(isToken ? { ...outcome, looksLikeSessionToken: true } : outcome);
  }

  /** The time that finding the key has taken is part of the timeout. */
  #forward(question: LocalQuestion, arrivedAt: number, respond: LocalResponder): void {
    const reason = `there was no answer in ${this.#timeoutMs} ms`;
    const rest = Math.max(0, arrivedAt + this.#timeoutMs - performance.now());
    let isSettled = false;
    const settle = (how: () => void) => {
      clearTimeout(timer);
      if (!isSettled) how();
      isSettled = true;
    };
    const timer = setTimeout(() => settle(() => respond.fail(unavailable('the upstream', reason))), rest);
    forward(this.#upstreams, question)
      .then((outcome) => settle(() => respond.answer(outcome)))
      .catch((error) => settle(() => respond.fail(error)));
  }
}
