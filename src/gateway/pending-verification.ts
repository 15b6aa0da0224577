import type { ServerResponse } from 'node:http';
import type { LatchkeyError } from '../domain/errors.ts';
import type { Outcome, Responder } from '../verify/verification-call.ts';
import { countAnswer, type Exchange, sendError } from './exchange.ts';
import { CapacitySlot } from './request/capacity-slot.ts';
import { reportWithoutVerdict, storeUnavailable } from './without-verdict.ts';

type SendOutcome = (response: ServerResponse, outcome: Outcome) => void;

/** A verification in progress. */
export class PendingVerification extends CapacitySlot implements Responder {
  readonly #exchange: Exchange;
  readonly #send: SendOutcome;

  constructor(exchange: Exchange, send: SendOutcome) {
    super(exchange);
    this.#exchange = exchange;
    this.#send = send;
  }

  answer(outcome: Outcome): void {
    this.hold(false);
    this.#send(this.#exchange.response, outcome);
    countAnswer(this.#exchange, outcome.code);
  }

  /** Also called when writing the answer fails. */
  fail(error: unknown): void {
    this.hold(false);
    sendError(this.#exchange, storeUnavailable(this.#exchange, error));
  }

  reject(error: LatchkeyError): void {
    this.hold(false);
    reportWithoutVerdict(this.#exchange, error);
    sendError(this.#exchange, error);
  }

  waitsForDns(waits: boolean): void {
    this.hold(!waits);
  }
}
