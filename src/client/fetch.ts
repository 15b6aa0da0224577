/** Checks API keys in runtimes with the Fetch API, such as Bun, Deno, workers and Hono. Uses web standards only. */

import { createVerify, readStream } from './fetch-verify.ts';
import { createAuthenticate, type ReceivedBody } from './middleware/authenticate.ts';
import { type AuthenticationOptions, endpointOptions } from './middleware/options.ts';
import type { ProblemAnswer } from './middleware/problem-answer.ts';
import { rateLimitHeaders } from './middleware/rate-limit-headers.ts';
import { createScopeCheck, type RequireScopesOptions } from './middleware/scope-check.ts';
import type { AuthenticatedKey } from './verdict.ts';

export { createVerify, type VerifyOptions } from './fetch-verify.ts';
export { rateLimitHeaders } from './middleware/rate-limit-headers.ts';
export type { AuthenticatedKey, Verdict, VerifiedKey } from './verdict.ts';
export { VerifierRejectedError, VerifierUnavailableError } from './verdict.ts';
export type { ReceivedRequest, Verification, Verify } from './verification.ts';

export interface RequireApiKeyOptions extends AuthenticationOptions<Request> {
  /** Sends the verification if there is no `verifier`. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface RequestSource {
  /** The caller's IP address, which a `Request` does not have. Without it, keys with an allow-list are rejected. */
  readonly sourceIp?: string | undefined;
}

/** Resolves to the key of a request that passes, or to the response that rejects the request. */
export type Authenticator = (request: Request, source?: RequestSource) => Promise<AuthenticatedKey | Response>;

/**
 * Returns a function that checks the API key of a request. It resolves to the key if it is valid, otherwise to the
 * `Response` to send: problem+json (RFC 9457) with only the code, and status 401, 403, 413, 429, or 503
 * (no verdict).
 *
 * The key is read only from the `keyLocations`, by default `Authorization: Bearer …` (RFC 6750, section 2.1), and never
 * from the URL. The header is not removed from the request. For a signed request, the method, the
 * URL, the relevant header fields and the digest of the received bytes are verified too, even if the body is empty, so
 * that nobody can replace, add or remove a body. The body is read from a clone, so that it can be read again. Call the
 * function before the body is read, and once per request: a signature is valid for one verification.
 *
 * The URL of a `Request` is normalized (WHATWG URL). A signature for another form of the URL is rejected.
 *
 * @throws TypeError or RangeError for invalid options. As rejections: a TypeError if the body of a signed request was
 * already read, and errors from `onVerifierError`
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
    // The caller closed the connection, so this response reaches no client.
    if (outcome.kind === 'gone') return new Response(null, { status: 400 });
    return responseOf(outcome.answer);
  };
}

/** Returns the key if it has the scopes, and otherwise the response to send. Returns a given response unchanged. */
export type ScopeGuard = (authenticated: AuthenticatedKey | Response) => AuthenticatedKey | Response;

/**
 * Returns a guard for the result of `requireApiKey`: `guard(await authenticate(request))`. Only keys with all of
 * these scopes pass. Other keys get 403 INSUFFICIENT_SCOPE, as problem+json (RFC 9457) with the challenge of RFC 6750.
 * The guard verifies nothing, so that a signature is not used twice.
 *
 * @throws TypeError if `scopes` is not a list of scope tokens
 */
export function requireScopes(scopes: readonly string[], options: RequireScopesOptions = {}): ScopeGuard {
  const check = createScopeCheck(scopes, options);
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
