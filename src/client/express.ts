/** Middleware for Express 4 and 5. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { relevantFields } from '../domain/signature/signed-request.ts';
import { matchesContentDigest } from './content-digest.ts';
import { checkBodyLimit, createAuthenticate, defaultBodyLimit } from './middleware/authenticate.ts';
import { keyLocationsOf } from './middleware/key-locations.ts';
import { readBody, sendProblem, withPlainAddresses } from './middleware/node-request.ts';
import { type AuthenticationOptions, endpointOptions } from './middleware/options.ts';
import { problemAnswer } from './middleware/problem-answer.ts';
import { rateLimitHeaders } from './middleware/rate-limit-headers.ts';
import { createScopeCheck, type RequireScopesOptions } from './middleware/scope-check.ts';
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

/** The parts of an Express 4 or 5 request that the middleware uses. */
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
  /**
   * The IP address of the caller. Default: `request.ip`, which follows the application's 'trust proxy'. A port, brackets
   * and a zone are left out; a text that is not an address counts as no address.
   */
  readonly sourceIp?: ((request: ExpressRequest) => string | undefined) | undefined;
}

/**
 * Middleware for Express 4 and 5 that lets only requests with a valid API key pass, and puts the key on
 * `request.apiKey`. Other requests get problem+json (RFC 9457) that contains only the code, with status 400, 401, 403,
 * 413, 429, or 503 if there is no verdict.
 *
 * The key is read only from the `keyLocations`, by default `Authorization: Bearer …` (RFC 6750, section 2.1), and never
 * from the URL. The header is not removed from the request. For a signed request, the method, the
 * URL, the relevant header fields and the digest of the received bytes are verified too, even if the body is empty, so
 * that nobody can replace, add or remove a body.
 *
 * Put it before the body parsers: it reads the body of a signed request, and the parsers can read the same body again.
 * Behind a body parser, it needs the bytes in `request.rawBody`, a Buffer (`express.json({ verify: (request, _, bytes)
 * => { request.rawBody = bytes } })`). If a parser decodes a content coding, the bytes differ from the signed bytes,
 * and the request is rejected.
 *
 * If the key of a request that passes has a rate limit, the response has RateLimit fields, which the application can
 * replace.
 *
 * Use it once per request: a signature is valid for one verification, and each verification counts for the rate limit.
 * For routes that need scopes, use `requireScopes`.
 *
 * @throws TypeError or RangeError for invalid options. Passed to `next`: a TypeError if the bytes of a signed body were
 * already read, and errors from `sourceIp` and `onVerifierError`
 */
export function requireApiKey(options: RequireApiKeyOptions = {}): ExpressMiddleware {
  const {
    sourceIp = (request) => withPlainAddresses(request).ip,
    verifier = createVerifier(endpointOptions(options)),
  } = options;
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
    // Express 4 ignores the promise of a middleware.
    handle(request, response).then((passes) => {
      if (passes) next();
    }, next);
  };
}

/**
 * Middleware for routes behind `requireApiKey` that passes only requests whose key has all of these scopes. Other
 * requests get 403 INSUFFICIENT_SCOPE, as problem+json (RFC 9457) with the challenge of RFC 6750. It reads
 * `request.apiKey` and verifies nothing, so that a signature is not used twice.
 *
 * @throws TypeError if `scopes` is not a list of scope tokens. The middleware throws a TypeError if there is no key
 */
export function requireScopes(scopes: readonly string[], options: RequireScopesOptions = {}): ExpressMiddleware {
  const check = createScopeCheck(scopes, options);
  return (request, response, next) => {
    const rejection = check(request.apiKey);
    if (rejection === null) next();
    else sendProblem(rejection, request, response);
  };
}

export interface CheckContentDigestOptions {
  /** The maximum bytes of a body with a Content-Digest or a signature. Other bodies are not read. Default: 1048576. */
  readonly bodyLimit?: number | undefined;
  /** As in `requireApiKey`, for the challenge of a rejected request. */
  readonly keyLocations?: RequireApiKeyOptions['keyLocations'];
}

/**
 * Middleware for Express 4 and 5 that passes only requests whose body `matchesContentDigest`. Other requests get 401
 * SIGNATURE_INVALID or 413, as problem+json (RFC 9457). Put it before the body parsers, which can still read the body.
 * Behind a body parser, it needs the bytes in `request.rawBody`, as `requireApiKey` does.
 *
 * Use it behind a gateway that calls `/v1/authorize`, which can't compare bodies. `requireApiKey` includes this check.
 *
 * @throws RangeError for an invalid limit. Passed to `next`: a TypeError if the bytes of the body were already read
 */
export function checkContentDigest({
  bodyLimit = defaultBodyLimit,
  ...options
}: CheckContentDigestOptions = {}): ExpressMiddleware {
  checkBodyLimit(bodyLimit);
  const keyLocations = keyLocationsOf(options.keyLocations);
  return (request, response, next) => {
    const headers = request.headers;
    if (!isSigned(headers) && !relevantFields(headers).has('content-digest')) return next();
    const check = async () => {
      const body = await readBody(request, bodyLimit);
      if (body === 'gone' || body === 'PAYLOAD_TOO_LARGE') return body;
      return (await matchesContentDigest(headers, body)) ? 'VALID' : 'SIGNATURE_INVALID';
    };
    // Express 4 ignores the promise of a middleware.
    check().then((outcome) => {
      if (outcome === 'VALID') next();
      else if (outcome !== 'gone') sendProblem(problemAnswer(outcome, { keyLocations }), request, response);
    }, next);
  };
}
