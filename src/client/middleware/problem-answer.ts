/** The answers to rejected requests: problem documents, the same in every framework. Uses web standards only. */

import {
  defaultKeyLocations,
  insufficientScopeChallenge,
  type KeyLocations,
  noKeyProblem,
} from '../../domain/key-location.ts';
import { problemMediaType, problemOf, rejectionProblem } from '../../domain/problem.ts';
import { type RejectionCode, rejections } from '../../domain/verdict/checks.ts';
import type { RateLimitState } from '../../domain/verdict/rate-limit-state.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';

const problems = {
  ...rejections,
  BAD_USER_INPUT: {
    status: 400,
    title: 'The request is not valid',
    detail: 'Host and Authorization must be given once.',
  },
  UNAUTHENTICATED: noKeyProblem({ kind: 'missing' }, defaultKeyLocations),
  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'The body is too large',
    detail: 'The body of a signed request is limited.',
  },
  UNAVAILABLE: { status: 503, title: 'API keys cannot be verified right now', detail: 'Try again a little later.' },
} as const;

export interface ProblemAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface ProblemDetails {
  readonly retryAfterSeconds?: number;
  readonly rateLimit?: RateLimitState | null;
  /** For INSUFFICIENT_SCOPE: the scopes that are needed. */
  readonly requiredScopes?: readonly string[] | undefined;
  readonly detail?: string;
  /** Where the API expects keys. */
  readonly keyLocations?: KeyLocations;
  readonly errorsUrl?: string | undefined;
}

/** Returns the answer for a code. Discloses nothing about the key except the code and the reached rate limit. */
export function problemAnswer(
  code: keyof typeof problems,
  {
    retryAfterSeconds = 1,
    rateLimit = null,
    requiredScopes = [],
    detail = problems[code].detail,
    keyLocations = defaultKeyLocations,
    errorsUrl,
  }: ProblemDetails = {},
): ProblemAnswer {
  const { status, title } = problems[code];
  const problem = isRejection(code)
    ? rejectionProblem(code, { detail, errorsUrl })
    : problemOf(code, { title, status, detail }, errorsUrl);
  const challenge =
    code === 'INSUFFICIENT_SCOPE' ? insufficientScopeChallenge(keyLocations, requiredScopes) : keyLocations.challenge;
  return {
    status,
    headers: {
      'content-type': problemMediaType,
      'cache-control': 'no-store',
      ...(status === 401 || code === 'INSUFFICIENT_SCOPE' ? { 'www-authenticate': challenge } : {}),
      ...(status === 503 ? { 'retry-after': String(retryAfterSeconds) } : {}),
      ...(status === 429
        ? { 'retry-after': String(rateLimit?.resetSeconds ?? 1), ...rateLimitHeaders({ rateLimit }) }
        : {}),
    },
    body: JSON.stringify(problem),
  };
}

function isRejection(code: keyof typeof problems): code is RejectionCode {
  return code in rejections;
}
