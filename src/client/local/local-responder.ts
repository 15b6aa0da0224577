import type { Outcome } from '../../domain/verdict/verification-call.ts';
import type { AnsweredKey } from './local-key.ts';

export type LocalOutcome = Outcome<AnsweredKey>;

/** Receives the result of a verification, at once or later. */
export interface LocalResponder {
  readonly answer: (outcome: LocalOutcome) => void;
  /** Called when there is no verdict: with a VerifierUnavailableError, or a VerifierRejectedError. */
  readonly fail: (error: unknown) => void;
  /** Called when the verification starts to wait for the service to decide. */
  readonly forwards?: () => void;
}
