/** Why a command did not do what it was asked, and what the process says of it when it ends. */

/** 0 is done. */
export const exitCodes = { failed: 1, usage: 2, notValid: 3 } as const;

export class Failure extends Error {
  /** For programs: a code of the service, or one of our own. */
  readonly code: string;
  readonly exitCode: number;

  constructor(code: string, message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.code = code;
    this.exitCode = exitCode;
  }
}
