/** A batch of verifications in progress. They start together, so that they join one confirmation round. */
import type { LatchkeyError } from '../../domain/errors.ts';
import type { Outcome, Presented, Responder } from '../../verify/verification-call.ts';
import type { Verifier } from '../../verify/verifier.ts';
import { countAnswer, type Exchange, sendError } from '../exchange.ts';
import { CapacitySlot } from '../request/capacity-slot.ts';
import { sendVerdicts, verdictBody } from '../verdict-answer.ts';
import { reportWithoutVerdict, storeUnavailable } from '../without-verdict.ts';

export function verifyBatch(
  verifier: Pick<Verifier, 'verify'>,
  questions: readonly Presented[],
  exchange: Exchange,
): void {
  const batch = new PendingBatch(exchange, questions.length);
  for (const [i, presented] of questions.entries()) verifier.verify(presented, new BatchedVerification(batch, i));
}

class PendingBatch {
  readonly exchange: Exchange;
  readonly #verdicts: string[];
  #missing: number;
  #hasFailed = false;

  constructor(exchange: Exchange, size: number) {
    this.exchange = exchange;
    this.#verdicts = Array(size).fill('');
    this.#missing = size;
  }

  take(index: number, outcome: Outcome): void {
    this.#verdicts[index] = verdictBody(outcome);
    this.#missing -= 1;
    if (this.#missing > 0 || this.#hasFailed) return;
    sendVerdicts(this.exchange.response, this.#verdicts);
    countAnswer(this.exchange);
  }

  /** The first error is the answer to all questions. */
  fail(error: LatchkeyError): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    sendError(this.exchange, error);
  }
}

class BatchedVerification extends CapacitySlot implements Responder {
  readonly #batch: PendingBatch;
  readonly #index: number;

  constructor(batch: PendingBatch, index: number) {
    super(batch.exchange);
    this.#batch = batch;
    this.#index = index;
  }

  answer(outcome: Outcome): void {
    this.hold(false);
    this.#batch.take(this.#index, outcome);
  }

  fail(error: unknown): void {
    this.hold(false);
    this.#batch.fail(storeUnavailable(this.#batch.exchange, error));
  }

  reject(error: LatchkeyError): void {
    this.hold(false);
    reportWithoutVerdict(this.#batch.exchange, error);
    this.#batch.fail(error);
  }

  waitsForDns(waits: boolean): void {
    this.hold(!waits);
  }
}
