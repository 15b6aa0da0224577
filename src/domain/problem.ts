import { type ErrorCode, type ErrorDetails, errorDetails, errorTable, type LatchkeyError } from './errors.ts';

/** RFC 9457. */
export interface Problem extends ErrorDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  /** The id of the request in the log. Absent where requests are not logged. */
  readonly requestId?: string;
}

export function problem(error: LatchkeyError, requestId?: string): Problem {
  const { code, message } = error;
  const { status, title } = errorTable[code];
  return {
    type: `urn:latchkey:problem:${code}`,
    title,
    status,
    detail: message,
    code,
    ...(requestId === undefined ? {} : { requestId }),
    ...errorDetails(error),
  };
}
