/** Verifies for the gateway of an edge, with the local engine of `@latchkey/client`. */

import type { LocalEngine } from '../../client/local/local-engine.ts';
import type { LocalOutcome, LocalResponder } from '../../client/local/local-key.ts';
import { UnknownKeysError } from '../../client/local/local-verification.ts';
import { VerifierRejectedError, VerifierUnavailableError } from '../../client/verdict.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import { type VerdictCode, verdictCodes } from '../../domain/verdict/verdict-code.ts';
import type { VerificationCall } from '../../domain/verdict/verification-call.ts';
import type { Responder } from '../../verify/verification.ts';

/** Returns `verify`, and `verdicts`: how often each verdict was given. */
export function edgeVerifier(engine: LocalEngine) {
  const verdicts = Object.fromEntries(verdictCodes.map((code) => [code, 0])) as Verdicts;
  const verify = (call: VerificationCall, respond: Responder) => engine.verify(call, new EdgeCall(verdicts, respond));
  return { verdicts, verify };
}

type Verdicts = Record<VerdictCode, number>;

class EdgeCall implements LocalResponder {
  readonly #verdicts: Verdicts;
  readonly #respond: Responder;

  constructor(verdicts: Verdicts, respond: Responder) {
    this.#verdicts = verdicts;
    this.#respond = respond;
  }

  answer(outcome: LocalOutcome): void {
    this.#verdicts[outcome.code] += 1;
    this.#respond.answer(outcome);
  }

  fail(error: unknown): void {
    this.#respond.reject(withoutVerdict(error));
  }

  /** Frees the slot of the port, as for a DNS wait: the upstream may wait for DNS, or the network may be slow. */
  forwards(): void {
    this.#respond.waitsForDns(true);
  }
}

/** Returns the error for the caller. Its `cause` is for the log: which upstream failed, and why. */
function withoutVerdict(cause: unknown): LatchkeyError {
  if (cause instanceof UnknownKeysError) {
    const { message, retryAfterSeconds } = cause;
    return new LatchkeyError('RATE_LIMITED', message, { retryAfterSeconds });
  }
  if (cause instanceof VerifierUnavailableError && cause.retryAfterSeconds !== null) {
    const { status, retryAfterSeconds } = cause;
    const code = status === 429 ? 'RATE_LIMITED' : 'UNAVAILABLE';
    return new LatchkeyError(code, 'An upstream gave no verdict; try again later.', { cause, retryAfterSeconds });
  }
  const message =
    cause instanceof VerifierRejectedError
      ? 'An upstream rejected the call of this edge.'
      : 'No upstream answers; try again shortly.';
  return new LatchkeyError('UNAVAILABLE', message, { cause });
}
