/** Problem documents (RFC 9457). Uses only web standards, because the package for other runtimes contains this file. */
import { type ErrorCode, type ErrorDetails, errorDetails, errorTable, type LatchkeyError } from './errors.ts';

export const problemMediaType = 'application/problem+json';

export interface Problem<Code extends string = string> {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: Code;
}

/** Returns the members of every problem document, in the order in which they are sent. */
export function problemOf<Code extends string>(
  code: Code,
  { title, status, detail }: Pick<Problem, 'title' | 'status' | 'detail'>,
): Problem<Code> {
  return { type: `urn:latchkey:problem:${code}`, title, status, detail, code };
}

interface ErrorProblem extends Problem<ErrorCode>, ErrorDetails {
  /** The id of the request in the log. Absent if requests are not logged. */
  readonly requestId?: string;
}

export function problem(error: LatchkeyError, requestId?: string): ErrorProblem {
  const { code, message: detail } = error;
  const id = requestId === undefined ? {} : { requestId };
  return { ...problemOf(code, { ...errorTable[code], detail }), ...id, ...errorDetails(error) };
}
