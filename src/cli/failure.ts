/** Errors of commands, and their exit codes. */
import type { FieldError } from '../domain/errors.ts';

/** The exit codes of failed commands. 0 means success. */
export const exitCodes = { failed: 1, usage: 2, notValid: 3 } as const;

interface FailureOptions {
  readonly exitCode?: number;
  readonly fields?: readonly FieldError[];
  readonly retryAfterSeconds?: number | undefined;
}

export class Failure extends Error {
  /** A code of the service or of the command, for programs that read the error. */
  readonly code: string;
  readonly exitCode: number;
  readonly fields: readonly FieldError[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, message: string, options: FailureOptions = {}) {
    super(message);
    this.code = code;
    this.exitCode = options.exitCode ?? exitCodes.failed;
    this.fields = options.fields ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get isTemporary(): boolean {
    return ['UNAVAILABLE', 'RATE_LIMITED', 'UNREACHABLE'].includes(this.code);
  }
}

/** Returns the failure of a command that was used in a wrong way. */
export function usageFailure(code: string, message: string): Failure {
  return new Failure(code, message, { exitCode: exitCodes.usage });
}
