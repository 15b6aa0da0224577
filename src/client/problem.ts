/** The answers to rejected requests: problem+json (RFC 9457), the same in every framework. Uses web standards only. */

import { insufficientScopeChallenge } from '../domain/key/scope.ts';
import { type RateLimitState, rateLimitFields } from '../domain/verdict/rate-limit-state.ts';
import type { VerdictCode } from '../domain/verdict/verdict-code.ts';

export type ProblemCode =
  | Exclude<VerdictCode, 'VALID'>
  | 'BAD_USER_INPUT'
  | 'UNAUTHENTICATED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNAVAILABLE';

const problems: Readonly<
  Record<ProblemCode, { status: 400 | 401 | 403 | 413 | 429 | 503; title: string; detail: string }>
> = {
  BAD_USER_INPUT: {
    status: 400,
    title: 'The request is not valid',
    detail: 'Host and Authorization must be given once.',
  },
  UNAUTHENTICATED: unauthorized('An API key is needed', 'Send it as Authorization: Bearer <key>.'),
  MALFORMED: unauthorized('The API key is malformed', 'The text is not an API key: it may be cut off or mistyped.'),
  NOT_FOUND: unauthorized('The API key is not known', 'There is no such API key.'),
  REVOKED: unauthorized('The API key is revoked', 'The API key was revoked.'),
  ROTATED: unauthorized('The API key was rotated', 'The API key was replaced by a new one.'),
  DISABLED: unauthorized('The API key is disabled', 'The API key is disabled.'),
  EXPIRED: unauthorized('The API key has expired', 'The API key has expired.'),
  SIGNATURE_REQUIRED: unauthorized('A signature is needed', 'Requests with this API key must be signed.'),
  SIGNATURE_INVALID: unauthorized(
    'The signature is not valid',
    'The signature does not belong to this request and API key.',
  ),
  SIGNATURE_EXPIRED: unauthorized('The signature has expired', 'Sign the request again; check the clock.'),
  SIGNATURE_REPLAYED: unauthorized('The signature was used before', 'Sign every request anew, retries too.'),
  WRONG_ENVIRONMENT: forbidden('The API key is for another environment', 'Use a key of the environment called.'),
  SOURCE_NOT_ALLOWED: forbidden('The API key may not be used from here', 'The source is not among the allowed ones.'),
  INSUFFICIENT_SCOPE: forbidden('The API key lacks a scope', 'The API key does not have the scopes that this needs.'),
  RATE_LIMITED: { status: 429, title: 'Too many requests', detail: 'The API key has reached its rate limit.' },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'The body is too large',
    detail: 'The body of a signed request is limited.',
  },
  UNAVAILABLE: { status: 503, title: 'API keys cannot be verified right now', detail: 'Try again a little later.' },
};

function unauthorized(title: string, detail: string) {
  return { status: 401, title, detail } as const;
}

function forbidden(title: string, detail: string) {
  return { status: 403, title, detail } as const;
}

export interface ProblemAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface ProblemDetails {
  readonly retryAfterSeconds?: number;
  readonly rateLimit?: RateLimitState | null;
  readonly detail?: string;
}

/** Returns the answer for a code. It discloses no more than the code, and the rate limit that was reached. */
export function problemAnswer(
  code: ProblemCode,
  { retryAfterSeconds = 1, rateLimit = null, detail = problems[code].detail }: ProblemDetails = {},
): ProblemAnswer {
  const { status, title } = problems[code];
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(status === 503 ? { 'retry-after': String(retryAfterSeconds) } : {}),
      ...(status === 429 ? limitedHeaders(rateLimit) : {}),
    },
    body: JSON.stringify({ type: `urn:latchkey:problem:${code}`, title, status, detail, code }),
  };
}

function limitedHeaders(rateLimit: RateLimitState | null): Readonly<Record<string, string>> {
  return { 'retry-after': String(rateLimit?.resetSeconds ?? 1), ...rateLimitHeaders({ rateLimit }) };
}

/**
 * Returns the header fields that tell the caller the rate limit of its key (draft-ietf-httpapi-ratelimit-headers-10);
 * none for a key without one.
 */
export function rateLimitHeaders({
  rateLimit: state,
}: {
  readonly rateLimit: RateLimitState | null;
}): Readonly<Record<string, string>> {
  if (state === null) return {};
  const { policy, rateLimit } = rateLimitFields(state);
  return { 'ratelimit-policy': policy, ratelimit: rateLimit };
}

/** The answer for a key with an allow-list where the program gave no source. Otherwise, it looks for its mistake in the list. */
export const sourceNotGiven = problemAnswer('SOURCE_NOT_ALLOWED', {
  detail:
    'The API key has an allow-list, and the caller of the middleware gave no source to compare: it must pass sourceIp.',
});

/** The answer for INSUFFICIENT_SCOPE, which names the scopes that the request needs (RFC 6750, section 3.1). */
export function insufficientScope(required: readonly string[]): ProblemAnswer {
  const answer = problemAnswer('INSUFFICIENT_SCOPE');
  return { ...answer, headers: { ...answer.headers, 'www-authenticate': insufficientScopeChallenge(required) } };
}
