/** Problem documents (RFC 9457). Uses only web standards, because the package for other runtimes contains this file. */
import { type ErrorCode, type ErrorDetails, errorDetails, errorTable, type LatchkeyError } from './errors.ts';
import { type RejectionCode, rejections } from './verdict/checks.ts';
import { rateLimitPolicy } from './verdict/rate-limit-state.ts';

export const problemMediaType = 'application/problem+json';

export interface Problem<Code extends string = string> {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: Code;
}

/**
 * Returns the members of every problem document, in the order in which they are sent. `type` is the entry of the code
 * on the page `errorsUrl`. Without a page, `type` is a URN: a path would refer to the API that sends the document.
 */
export function problemOf<Code extends string>(
  code: Code,
  { title, status, detail }: Pick<Problem, 'title' | 'status' | 'detail'>,
  errorsUrl?: string,
): Problem<Code> {
  const type = errorsUrl === undefined ? `urn:latchkey:problem:${code}` : `${errorsUrl}#${code}`;
  return { type, title, status, detail, code };
}

interface RejectionProblem extends Problem<RejectionCode> {
  /** The names of the exceeded limits in `RateLimit-Policy`. */
  readonly 'violated-policies'?: readonly string[];
}

/**
 * Returns the problem document for a rejected verification. A reached rate limit has the registered problem type
 * (draft-ietf-httpapi-ratelimit-headers-11, section 5.1).
 */
export function rejectionProblem(
  code: RejectionCode,
  {
    errorsUrl,
    ...changed
  }: { readonly status?: number; readonly detail?: string; readonly errorsUrl?: string | undefined } = {},
): RejectionProblem {
  const problem = problemOf(code, { ...rejections[code], ...changed }, errorsUrl);
  return code === 'RATE_LIMITED'
    ? { ...problem, type: quotaExceeded, 'violated-policies': [rateLimitPolicy] }
    : problem;
}

const quotaExceeded = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

interface ErrorProblem extends Problem<ErrorCode>, ErrorDetails {
  /** The id of the request in the log. Absent if requests are not logged. */
  readonly requestId?: string;
}

export function problem(
  error: LatchkeyError,
  { errorsUrl, requestId }: { readonly errorsUrl?: string | undefined; readonly requestId?: string } = {},
): ErrorProblem {
  const { code, message: detail } = error;
  const id = requestId === undefined ? {} : { requestId };
  return { ...problemOf(code, { ...errorTable[code], detail }, errorsUrl), ...id, ...errorDetails(error) };
}
