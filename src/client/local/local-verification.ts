/** Verifies one key near the caller, from the presented key to the answer. */
import { hasScopes } from '../../domain/key/scope.ts';
import { matchesLiterally } from '../../domain/source/source-match.ts';
import { verdict } from '../../domain/verdict/checks.ts';
import { tooManyUnknownKeys } from '../../domain/verdict/unknown-key-limit.ts';
import type { VerdictCode } from '../../domain/verdict/verdict-code.ts';
import { outcomeWithoutKey, type VerificationCall } from '../../domain/verdict/verification-call.ts';
import type { KeyLookup, KeySearch } from '../../engine/key-search.ts';
import type { Scheduler } from '../../lib/scheduler.ts';
import { countVerdict, type VerdictCounters } from '../../usage/count-verdict.ts';
import { VerifierUnavailableError } from '../verdict.ts';
import type { LocalMatch } from './feed-source.ts';
import type { Forwards } from './forwards.ts';
import { LocalKey, type LocalResponder } from './local-key.ts';
import { closed } from './upstreams.ts';

export interface LocalParts {
  readonly search: KeySearch<LocalMatch>;
  readonly state: { readonly revision: string | undefined };
  readonly counters: VerdictCounters;
  readonly forwards: Pick<Forwards, 'start'>;
  readonly scheduler: Scheduler;
  readonly isClosed: () => boolean;
}

/** The error for a source that has presented too many unknown keys. */
export class UnknownKeysError extends VerifierUnavailableError {
  declare readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(tooManyUnknownKeys(retryAfterSeconds), retryAfterSeconds, 429);
  }
}

export class LocalVerification implements KeyLookup<LocalMatch> {
  readonly secret: string;
  readonly source: VerificationCall['source'];
  readonly arrivedAt: number;
  cacheKey: string | null = null;
  readonly #parts: LocalParts;
  readonly #call: VerificationCall;
  readonly #respond: LocalResponder;

  constructor(parts: LocalParts, call: VerificationCall, respond: LocalResponder) {
    this.secret = call.secret;
    this.source = call.source;
    this.arrivedAt = parts.scheduler.now();
    this.#parts = parts;
    this.#call = call;
    this.#respond = respond;
  }

  malformed(): void {
    const { scheduler, isClosed } = this.#parts;
    scheduler.endOfTurn(() => (isClosed() ? this.fail(closed()) : this.#answerWithoutKey('MALFORMED')));
  }

  limited(retryAfterSeconds: number): void {
    this.fail(new UnknownKeysError(retryAfterSeconds));
  }

  fail(error: unknown): void {
    this.#respond.fail(error);
  }

  /** Forwards a key that only the service can decide on. Confirms nothing: the service has the current state. */
  takesCached(match: LocalMatch): boolean {
    if (!(match instanceof LocalKey && match.forwarded)) return false;
    this.#parts.forwards.start(this.#call, match.teamId, this.arrivedAt, this.#respond);
    return true;
  }

  decide(match: LocalMatch | undefined): void {
    if (match instanceof LocalKey) {
      if (!this.takesCached(match)) this.#judge(match);
      return;
    }
    this.#parts.search.countUnknown(this);
    this.#answerWithoutKey(match?.code ?? 'NOT_FOUND', this.#parts.state.revision);
  }

  #answerWithoutKey(code: VerdictCode, revision?: string): void {
    this.#respond.answer({ ...outcomeWithoutKey(code, this.secret), revision });
  }

  #judge(key: LocalKey): void {
    const { env, scopes, source } = this.#call;
    const now = this.#parts.scheduler.date();
    const decided = verdict(key, {
      now,
      env,
      sourceAllowed: () => !key.restricted || (source !== undefined && matchesLiterally(key.sources, source)),
      scopesGranted: () => scopes.length === 0 || hasScopes(key.fields.scopes, scopes),
      signature: () => 'valid',
    });
    const { code, rateLimit } = countVerdict(this.#parts.counters, key, decided, source, now);
    this.#respond.answer({ code, key, rateLimit, revision: this.#parts.state.revision });
  }
}
