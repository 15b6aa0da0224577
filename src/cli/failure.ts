/** Why a command did not do what it was asked, and what the process says of it when it ends. */

/** 0 is done. */
export const exitCodes = { failed: 1, usage: 2, notValid: 3 } as const;

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

interface FailureOptions {
  readonly exitCode?: number;
  readonly fields?: readonly FieldProblem[];
  readonly retryAfterSeconds?: number | undefined;
}

export class Failure extends Error {
  /** For programs: a code of the service, or one of our own. */
  readonly code: string;
  readonly exitCode: number;
  /** What is wrong with which field of the input. */
  readonly fields: readonly FieldProblem[];
  /** When the service would rather be asked again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, message: string, options: FailureOptions = {}) {
    super(message);
    this.code = code;
    this.exitCode = options.exitCode ?? exitCodes.failed;
    this.fields = options.fields ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** Whether the same call may well be answered later. */
  get isPassing(): boolean {
    return ['UNAVAILABLE', 'RATE_LIMITED', 'UNREACHABLE'].includes(this.code);
  }
}
