/** The report and the answer for a verification without a verdict. */
import { LatchkeyError } from '../domain/errors.ts';
import type { Exchange } from './exchange.ts';

export function storeUnavailable({ report }: Exchange, error: unknown): LatchkeyError {
  report(error, 'the store could not be asked about a key');
  return new LatchkeyError('UNAVAILABLE', 'The store does not answer; try again shortly.');
}

export function reportWithoutVerdict({ report }: Exchange, error: LatchkeyError): void {
  report(error, 'verifications were rejected without a verdict');
}
