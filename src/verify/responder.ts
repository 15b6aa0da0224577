import type { LatchkeyError } from '../domain/errors.ts';
import type { Outcome } from '../domain/verdict/verification-call.ts';

/** Receives the result of a verification. Callbacks instead of promises, for speed on the hot path. */
export interface Responder {
  readonly answer: (outcome: Outcome) => void;
  /** Called when the store does not answer. The request then gets an error, never VALID. */
  readonly fail: (error: unknown) => void;
  /** Called when the request gets no verdict: RATE_LIMITED, or UNAVAILABLE when too many requests wait for DNS. */
  readonly reject: (error: LatchkeyError) => void;
  /** Called when the verification starts or stops waiting for DNS. */
  readonly waitsForDns: (waits: boolean) => void;
}
