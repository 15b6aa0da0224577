import { LatchkeyError } from '../domain/errors.ts';

/** Returns the error for a store without an answer. A change may still have been applied: the answer may be lost. */
export function storeDoesNotAnswer(cause?: unknown): LatchkeyError {
  return new LatchkeyError('UNAVAILABLE', 'The store does not answer; try again shortly.', { cause });
}
