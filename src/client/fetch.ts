/** For runtimes with the Fetch API, such as Bun, Deno, workers and Hono. Uses web standards only, no Node modules. */

import { createVerify, readStream } from './fetch-verify.ts';
import { createAuthenticate, type ReceivedBody } from './middleware/authenticate.ts';
import { type AuthenticationOptions, endpointOptions } from './middleware/options.ts';
import type { ProblemAnswer } from './middleware/problem-answer.ts';
import { rateLimitHeaders } from './middleware/rate-limit-headers.ts';
import { createScopeCheck } from './middleware/scope-check.ts';
import type { AuthenticatedKey } from './verdict.ts';

export { createVerify, type VerifyOptions } from './fetch-verify.ts';
export { rateLimitHeaders } from './middleware/rate-limit-headers.ts';
export type { AuthenticatedKey, Verdict, VerifiedKey } from './verdict.ts';
export { VerifierRejectedError, VerifierUnavailableError } from './verdict.ts';
export type { ReceivedRequest, Verification, Verify } from './verification.ts';

export interface RequireApiKeyOptions extends AuthenticationOptions<Request> {
  /** Sends the verification, without a `verifier`. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface RequestSource {
  /** The IP address of the caller, which a `Request` does not have. Keys with an allow-list are rejected without it. */
  readonly sourceIp?: string | undefined;
}

/** Resolves to the key of a request that passes, or to the answer for one that does not. */
export type Authenticator = (request: Request, source?: RequestSource) => Promise<AuthenticatedKey | Response>;

/**
 * Returns a function that checks the API key of a request. It resolves to the key if it is valid, and otherwise to the
 * `Response` to send: problem+json (RFC 9457) with only the code, and status 401, 403, 413, 429, or 503 if there is no
 * verdict.
 *
 * The key is read from `Authorization: Bearer …` (RFC 6750, section 2.1) only. For a signed request, method, URL and the
 * relevant header fields are verified too, with the digest of the bytes that arrived, also if there are none: a body can't
 * be replaced, added or removed. The body is read from a clone of the request, so that it can be read again. Call it before
 * the body is read, and once per request: a signature is valid for one verification.
 *
 * The URL of a `Request` is normalized (WHATWG URL). A request whose sender signed a URL in another form is rejected.
 *
 * @throws TypeError or RangeError for invalid options. As rejections: a TypeError where the body of a signed request was
 * already read, and what `onVerifierError` throws
 */
export function requireApiKey(options: RequireApiKeyOptions = {}): Authenticator {
  const { fetch, verifier = { verify: createVerify({ ...endpointOptions(options), fetch }) } } = options;
  const authenticate = createAuthenticate(verifier, options);
  return async (request, { sourceIp } = {}) => {
    const { origin, pathname, search } = new URL(request.url);
    const received = {
      method: request.method,
      origin: () => origin,
      target: `${pathname}${search}`,
      headers: Object.fromEntries(request.headers),
      sourceIp,
      readBody: (limitBytes: number) => readBody(request, limitBytes),
    };
    const outcome = await authenticate(received, request);
    if (outcome.kind === 'authenticated') return outcome.key;
    // 400: the caller closed the connection, so that this answer reaches no client.
    if (outcome.kind === 'gone') return new Response(null, { status: 400 });
    return responseOf(outcome.answer);
  };
}

/** Returns the key if it has the scopes, and otherwise the answer to send. An answer is returned as it is. */
export type ScopeGuard = (authenticated: AuthenticatedKey | Response) => AuthenticatedKey | Response;

/**
 * Returns a guard for what `requireApiKey` resolves to: `guard(await authenticate(request))`. It lets only keys pass that
 * have all of these scopes, and answers 403 INSUFFICIENT_SCOPE for the others, as problem+json (RFC 9457) with the
 * challenge of RFC 6750. It verifies nothing, so that a signature is not used a second time.
 *
 * @throws TypeError for anything but a list of scope tokens
 */
export function requireScopes(scopes: readonly string[]): ScopeGuard {
  const check = createScopeCheck(scopes);
  return (authenticated) => {
    if (authenticated instanceof Response) return authenticated;
    const rejection = check(authenticated);
    return rejection === null ? authenticated : responseOf(rejection, rateLimitHeaders(authenticated));
  };
}

function responseOf({ status, headers, body }: ProblemAnswer, others: Readonly<Record<string, string>> = {}): Response {
  return new Response(body, { status, headers: { ...headers, ...others } });
}

async function readBody(request: Request, limitBytes: number): Promise<ReceivedBody> {
  const { body } = request.clone();
  try {
    return (await readStream(body, limitBytes)) ?? 'PAYLOAD_TOO_LARGE';
  } catch {
    return 'gone';
  }
}
