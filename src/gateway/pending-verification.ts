import type { LatchkeyError } from '../domain/errors.ts';
import type { Outcome, VerificationCall } from '../domain/verdict/verification-call.ts';
import type { Responder } from '../verify/verification.ts';
import type { StoreVerifier } from '../verify/verifier.ts';
import { CapacitySlot } from './capacity.ts';
import { sendError, withoutVerdict } from './errors.ts';
import { type CountedCall, countAnswer, type Exchange } from './exchange.ts';
import { sendVerdicts, verdictBody } from './verdict-answer.ts';

/** A verification whose answer goes to an exchange, over HTTP or gRPC. */
export class PendingVerification<Of extends CountedCall> extends CapacitySlot implements Responder {
  readonly #exchange: Of;
  readonly #onOutcome: (outcome: Outcome, exchange: Of) => void;
  readonly #onError: (exchange: Of, error: LatchkeyError) => void;

  constructor(
    exchange: Of,
    onOutcome: (outcome: Outcome, exchange: Of) => void,
    onError: (exchange: Of, error: LatchkeyError) => void,
  ) {
    super(exchange);
    this.#exchange = exchange;
    this.#onOutcome = onOutcome;
    this.#onError = onError;
  }

  answer(outcome: Outcome): void {
    this.release();
    this.#onOutcome(outcome, this.#exchange);
  }

  /** Also called when writing the answer fails. */
  fail(error: unknown): void {
    this.release();
    this.#onError(this.#exchange, withoutVerdict(this.#exchange, error));
  }

  reject(error: LatchkeyError): void {
    this.release();
    this.#exchange.report(error, 'verifications were rejected without a verdict');
    this.#onError(this.#exchange, error);
  }

  waitsForDns(waits: boolean): void {
    if (waits) this.release();
    else this.acquire();
  }
}

/** Answers a batch of verifications. They start together, so that they share one confirmation round. */
export function verifyBatch(
  verifier: Pick<StoreVerifier, 'verify'>,
  calls: readonly VerificationCall[],
  exchange: Exchange,
): void {
  const verdicts = Array<string>(calls.length).fill('');
  const revisions = new Set<string | undefined>();
  let missing = calls.length;
  let hasFailed = false;
  // The first error answers the whole batch.
  const fail = (_: Exchange, error: LatchkeyError) => {
    if (!hasFailed) sendError(exchange, error);
    hasFailed = true;
  };
  for (const [i, call] of calls.entries()) {
    const take = (outcome: Outcome) => {
      verdicts[i] = verdictBody(outcome);
      revisions.add(outcome.revision);
      missing -= 1;
      if (missing > 0 || hasFailed) return;
      sendVerdicts(exchange.response, verdicts, revisions.size === 1 ? outcome.revision : undefined);
      countAnswer(exchange);
    };
    verifier.verify(call, new PendingVerification(exchange, take, fail));
  }
}
