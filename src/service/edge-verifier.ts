/** Verification for the gateway of an edge, by the engine that `@latchkey/client` has for verification in the caller. */
import type { LocalOutcome, LocalResponder } from '../client/local/local-call.ts';
import type { LocalEngine } from '../client/local/local-engine.ts';
import { VerifierRejectedError, VerifierUnavailableError } from '../client/verdict.ts';
import { LatchkeyError } from '../domain/errors.ts';
import { classify } from '../domain/secret.ts';
import { type VerdictCode, verdictCodes } from '../domain/verdict-code.ts';
import type { UnknownKeyLimit } from '../verify/unknown-key-limit.ts';
import type { Presented, Responder } from '../verify/verification-call.ts';

export class EdgeVerifier {
  /** How often each verdict was given. */
  readonly verdicts: Record<VerdictCode, number>;
  readonly #engine: LocalEngine;
  readonly #unknownKeys: UnknownKeyLimit;

  constructor(engine: LocalEngine, unknownKeys: UnknownKeyLimit) {
    this.#engine = engine;
    this.#unknownKeys = unknownKeys;
    this.verdicts = Object.fromEntries(verdictCodes.map((code) => [code, 0])) as Record<VerdictCode, number>;
  }

  verify(presented: Presented, respond: Responder): void {
    const { secret, source } = presented;
    const exceeded = this.#unknownKeys.exceeded(source);
    if (exceeded !== null && this.#mustAsk(secret)) {
      respond.reject(exceeded);
      return;
    }
    this.#engine.verify(presented, new EdgeCall(this, presented, respond));
  }

  count({ secret, source }: Presented, outcome: LocalOutcome): void {
    this.verdicts[outcome.code] += 1;
    if (outcome.key === null && this.#mayBeKey(secret)) this.#unknownKeys.count(source);
  }

  /** Whether an upstream must look the key up, which the limit on unknown keys restricts. */
  #mustAsk(secret: string): boolean {
    return this.#mayBeKey(secret) && !this.#engine.isCached(secret);
  }

  #mayBeKey(secret: string): boolean {
    const format = classify(secret);
    return format === 'good' || (format === 'foreign' && this.#engine.imports);
  }
}

class EdgeCall implements LocalResponder {
  readonly #verifier: EdgeVerifier;
  readonly #presented: Presented;
  readonly #respond: Responder;

  constructor(verifier: EdgeVerifier, presented: Presented, respond: Responder) {
    this.#verifier = verifier;
    this.#presented = presented;
    this.#respond = respond;
  }

  answer(outcome: LocalOutcome): void {
    this.#verifier.count(this.#presented, outcome);
    this.#respond.answer(outcome);
  }

  fail(error: unknown): void {
    this.#respond.reject(withoutVerdict(error));
  }

  /** An instance waits for DNS, or the network is slow: as there, it holds no place of the port. */
  forwards(): void {
    this.#respond.waitsForDns(true);
  }
}

/** The log gets the cause: which upstream failed, and why. */
function withoutVerdict(cause: unknown): LatchkeyError {
  if (cause instanceof VerifierUnavailableError && cause.retryAfterSeconds !== null) {
    const { status, retryAfterSeconds } = cause;
    const code = status === 429 ? 'RATE_LIMITED' : 'UNAVAILABLE';
    return new LatchkeyError(code, 'An upstream gave no verdict; try again later.', { cause, retryAfterSeconds });
  }
  const isRejected = cause instanceof VerifierRejectedError;
  const message = isRejected
    ? 'An upstream rejected the call of this edge.'
    : 'No upstream answers; try again shortly.';
  return new LatchkeyError('UNAVAILABLE', message, { cause });
}
