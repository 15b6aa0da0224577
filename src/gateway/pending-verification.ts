import type { ServerResponse } from 'node:http';
import { LatchkeyError } from '../domain/errors.ts';
import type { Outcome, Responder } from '../verify/verification-call.ts';
import { countAnswer, type Exchange, sendError } from './exchange.ts';

type SendOutcome = (response: ServerResponse, outcome: Outcome) => void;

/** A verification in progress. It counts against the capacity of the port, except while it waits for DNS. */
export class PendingVerification implements Responder {
  readonly #exchange: Exchange;
  readonly #send: SendOutcome;
  #holdsSlot = false;

  constructor(exchange: Exchange, send: SendOutcome) {
    this.#exchange = exchange;
    this.#send = send;
    this.#hold(true);
  }

  answer(outcome: Outcome): void {
    this.#hold(false);
    this.#send(this.#exchange.response, outcome);
    countAnswer(this.#exchange, outcome.code);
  }

  /** Also called when writing the answer fails. */
  fail(error: unknown): void {
    this.#hold(false);
    this.#exchange.report(error, 'the store could not be asked about a key');
    sendError(this.#exchange, new LatchkeyError('UNAVAILABLE', 'The store does not answer; try again shortly.'));
  }

  reject(error: LatchkeyError): void {
    this.#hold(false);
    this.#exchange.report(error, 'verifications were rejected without a verdict');
    sendError(this.#exchange, error);
  }

  waitsForDns(waits: boolean): void {
    this.#hold(!waits);
  }

  #hold(holds: boolean): void {
    if (holds === this.#holdsSlot) return;
    this.#holdsSlot = holds;
    this.#exchange.requests.underWay += holds ? 1 : -1;
  }
}
