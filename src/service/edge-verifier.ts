/** Verification for the gateway of an edge, by the engine that `@latchkey/client` has for verification in the caller. */
import type { LocalEngine } from '../client/local/local-engine.ts';
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
    this.#engine.verify(presented, {
      answer: (outcome) => {
        this.verdicts[outcome.code] += 1;
        if (outcome.key === null && this.#mayBeKey(secret)) this.#unknownKeys.count(source);
        respond.answer(outcome);
      },
      fail: (error) => respond.reject(withoutVerdict(error)),
    });
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

/** The log gets the cause: which upstream failed, and why. */
function withoutVerdict(cause: unknown): LatchkeyError {
  return new LatchkeyError('UNAVAILABLE', 'No upstream answers; try again shortly.', { cause });
}
