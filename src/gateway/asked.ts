import { LatchkeyError } from '../domain/errors.ts';
import type { Outcome, Respond } from '../verify/verifier.ts';
import { type Exchange, refuse, tally } from './exchange.ts';
import type { sendVerdict } from './verdict-answer.ts';

/** A verification that is under way: takes a place of the port, but for as long as it waits for DNS. */
export class Asked implements Respond {
  readonly #exchange: Exchange;
  readonly #send: typeof sendVerdict;
  #holdsPlace = false;

  constructor(exchange: Exchange, send: typeof sendVerdict) {
    this.#exchange = exchange;
    this.#send = send;
    this.#hold(true);
  }

  answer(outcome: Outcome): void {
    this.#hold(false);
    this.#send(this.#exchange.response, outcome);
    tally(this.#exchange, outcome.code);
  }

  /** Also where an answer can't be written. */
  fail(error: unknown): void {
    this.#hold(false);
    this.#exchange.report(error, 'the store could not be asked about a key');
    refuse(this.#exchange, new LatchkeyError('UNAVAILABLE', 'The store does not answer; try again shortly.'));
  }

  reject(error: LatchkeyError): void {
    this.#hold(false);
    this.#exchange.report(error, 'verifications were rejected without a verdict');
    refuse(this.#exchange, error);
  }

  waitsForDns(waits: boolean): void {
    this.#hold(!waits);
  }

  #hold(holds: boolean): void {
    if (holds === this.#holdsPlace) return;
    this.#holdsPlace = holds;
    this.#exchange.requests.underWay += holds ? 1 : -1;
  }
}
