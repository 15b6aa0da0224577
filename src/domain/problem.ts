import { type ErrorCode, errorTable, type LatchkeyError } from './errors.ts';

/** RFC 9457. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  /** Where requests are logged under an id. */
  readonly requestId?: string;
  readonly errors?: LatchkeyError['fields'];
  readonly keyId?: string;
}

export function problem({ code, message, fields, keyId }: LatchkeyError, requestId?: string): Problem {
  const { status, title } = errorTable[code];
  return {
    type: `urn:latchkey:problem:${code}`,
    title,
    status,
    detail: message,
    code,
    ...(requestId === undefined ? {} : { requestId }),
    ...(fields.length === 0 ? {} : { errors: fields }),
    ...(keyId === undefined ? {} : { keyId }),
  };
}
