/** Middleware for Express 4 and 5. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { relevantFields } from '../domain/signature/signed-request.ts';
import { matchesContentDigest } from './content-digest.ts';
import { checkBodyLimit, createAuthenticate, defaultBodyLimit } from './middleware/authenticate.ts';
import { readBody, sendProblem } from './middleware/node-request.ts';
import { type AuthenticationOptions, endpointOptions } from './middleware/options.ts';
import { problemAnswer } from './middleware/problem-answer.ts';
import { rateLimitHeaders } from './middleware/rate-limit-headers.ts';
import { createScopeCheck } from './middleware/scope-check.ts';
import type { AuthenticatedKey } from './verdict.ts';
import { isSigned } from './verification.ts';
import { createVerifier } from './verify.ts';

export type { AuthenticatedKey, VerifiedKey } from './verdict.ts';
export { VerifierRejectedError, VerifierUnavailableError } from './verdict.ts';

declare global {
  namespace Express {
    interface Request {
      /** Set by `requireApiKey` on every request that passes. */
      apiKey?: AuthenticatedKey;
    }
  }
}

// Structural types, so that the middleware depends on neither version of Express.

/** What the middleware uses of a request of Express 4 or 5. */
export interface ExpressRequest extends IncomingMessage {
  readonly method: string;
  readonly originalUrl: string;
  readonly protocol: string;
  readonly ip?: string | undefined;
  apiKey?: AuthenticatedKey;
}

export type ExpressMiddleware = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

export interface RequireApiKeyOptions extends AuthenticationOptions<ExpressRequest> {
  /** The IP address of the caller. Default: `request.ip`, which follows the application's 'trust proxy'. */
  readonly sourceIp?: ((request: ExpressRequest) => string | undefined) | undefined;
}

/**
 * Middleware for Express 4 and 5 that lets only requests with a valid API key pass, and puts the key on
 * `request.apiKey`. It answers the others with problem+json (RFC 9457), which contains no more than the code: 400, 401, 403,
 * 413, 429, and 503 when there is no verdict.
 *
 * The key is read from `Authorization: Bearer …` (RFC 6750, section 2.1) only. For a signed request, method, URL and the
 * relevant header fields are verified too, with the digest of the bytes that arrived, also if there are none: a body can't
 * be replaced, added or removed.
 *
 * Put it before the body parsers: it reads the body of a signed request and makes it available to them again. Behind a
 * body parser it needs the bytes in `request.rawBody`, a Buffer (`express.json({ verify: (request, _, bytes) => {
 * request.rawBody = bytes } })`). A parser that decodes a content coding provides other bytes than the signed ones, so
 * such requests are rejected.
 *
 * The response to a request that passes has the RateLimit fields of a key with a rate limit; the application can
 * replace them.
 *
 * Use it once per request: a signature is valid for one verification, and each one counts for the rate limit. Routes that
 * need scopes have the guard `requireScopes`.
 *
 * @throws TypeError or RangeError for invalid options. Passed to `next`: a TypeError where the bytes of a signed body were
 * already read, and what `sourceIp` and `onVerifierError` throw
 */
export function requireApiKey(options: RequireApiKeyOptions = {}): ExpressMiddleware {
  const { sourceIp = (request) => request.ip, verifier = createVerifier(endpointOptions(options)) } = options;
  const authenticate = createAuthenticate(verifier, options);

  const handle = async (request: ExpressRequest, response: ServerResponse): Promise<boolean> => {
    const received = {
      method: request.method,
      origin: () => `${request.protocol}://${request.headers.host ?? ''}`,
      target: request.originalUrl,
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      sourceIp: sourceIp(request),
      readBody: (limitBytes: number) => readBody(request, limitBytes),
    };
    const outcome = await authenticate(received, request);
    if (outcome.kind === 'rejected') sendProblem(outcome.answer, request, response);
    if (outcome.kind !== 'authenticated') return false;
    request.apiKey = outcome.key;
    if (!response.headersSent) {
      for (const [name, value] of Object.entries(rateLimitHeaders(outcome.key))) response.setHeader(name, value);
    }
    return true;
  };

  return (request, response, next) => {
    // Express 4 ignores the promise that a middleware returns.
    handle(request, response).then((passes) => {
      if (passes) next();
    }, next);
  };
}

/**
 * Middleware for routes behind `requireApiKey` that lets only requests pass whose key has all of these scopes. It answers
 * the others with 403 INSUFFICIENT_SCOPE, as problem+json (RFC 9457) with the challenge of RFC 6750. It reads
 * `request.apiKey` and verifies nothing, so that a signature is not used a second time.
 *
 * @throws TypeError for anything but a list of scope tokens. The middleware throws a TypeError for a request without a key
 */
export function requireScopes(scopes: readonly string[]): ExpressMiddleware {
  const check = createScopeCheck(scopes);
  return (request, response, next) => {
    const rejection = check(request.apiKey);
    if (rejection === null) next();
    else sendProblem(rejection, request, response);
  };
}

export interface CheckContentDigestOptions {
  /** The maximum bytes of a body that has a Content-Digest or a signature; other bodies are not read. Default: 1048576. */
  readonly bodyLimit?: number | undefined;
}

/**
 * Middleware for Express 4 and 5 that lets only requests pass whose body `matchesContentDigest`. It answers the others
 * with 401 SIGNATURE_INVALID or 413, as problem+json (RFC 9457). Put it before the body parsers: it makes the body
 * available to them again. Behind one, it needs the bytes in `request.rawBody`, as `requireApiKey` does.
 *
 * Use it behind a gateway that calls `/v1/authorize`, which can't compare bodies. `requireApiKey` includes this check.
 *
 * @throws RangeError for an invalid limit. Passed to `next`: a TypeError where the bytes of the body were already read
 */
export function checkContentDigest({
  bodyLimit = defaultBodyLimit,
}: CheckContentDigestOptions = {}): ExpressMiddleware {
  checkBodyLimit(bodyLimit);
  return (request, response, next) => {
    const headers = request.headers;
    if (!isSigned(headers) && !relevantFields(headers).has('content-digest')) return next();
    const check = async () => {
      const body = await readBody(request, bodyLimit);
      if (body === 'gone' || body === 'PAYLOAD_TOO_LARGE') return body;
      return (await matchesContentDigest(headers, body)) ? 'VALID' : 'SIGNATURE_INVALID';
    };
    // Express 4 ignores the promise that a middleware returns.
    check().then((outcome) => {
      if (outcome === 'VALID') next();
      else if (outcome !== 'gone') sendProblem(problemAnswer(outcome), request, response);
    }, next);
  };
}
