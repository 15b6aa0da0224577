import type { AnsweredKey, Outcome, VerificationCall } from '../../../src/domain/verdict/verification-call.ts';
import type { Process } from './process.ts';

/** Where keys are verified: a verification process or an edge. */
export interface Port {
  readonly process: Process;
  readonly verify: (call: VerificationCall, answered: Answered) => void;
}

export interface Answered {
  readonly answer: (outcome: Outcome<AnsweredKey>) => void;
  readonly fail: (error: unknown) => void;
}
