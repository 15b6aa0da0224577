/** The decision that the middleware of every framework shares. Uses web standards only. */

import type { KeyEnv } from '../../domain/key/key-env.ts';
import { repeatedHeader } from '../../domain/repeated-header.ts';
import { type HeaderFields, relevantFields } from '../../domain/signature/signed-request.ts';
import { bearerToken } from '../../lib/bearer-token.ts';
import type { EndpointOptions } from '../endpoint.ts';
import {
  type AuthenticatedKey,
  isVerifierError,
  type VerifierRejectedError,
  type VerifierUnavailableError,
} from '../verdict.ts';
import { isSigned, type ReceivedRequest, type Verify } from '../verification.ts';
import { type ProblemAnswer, problemAnswer } from './problem-answer.ts';
import { checkScopes } from './scope-check.ts';
import { logVerifierErrors } from './verifier-error-log.ts';

/** The options that the middleware of every framework has. */
export interface AuthenticationOptions<Request> {
  /** The verification port. Default: `http://127.0.0.1:4001`. */
  readonly verifyUrl?: string | URL | undefined;
  /** One of the service's VERIFIER_TOKENS. */
  readonly verifierToken?: string | undefined;
  /** Reject keys of the other environment. */
  readonly env?: KeyEnv | undefined;
  /** Reject keys that lack one of these scopes. */
  readonly requireScopes?: readonly string[] | undefined;
  /** Timeout of the whole verification in milliseconds. Default: 1000. */
  readonly timeoutMs?: number | undefined;
  /** Used in place of `verifyUrl`, `verifierToken` and `timeoutMs`, such as a local verifier. The caller closes it. */
  readonly verifier?: { readonly verify: Verify } | undefined;
  /**
   * What callers put before the path, such as `https://api.example.com`. Default: the protocol of the request and its
   * Host. Set it where a proxy changes Host, and where several services share one Latchkey: then a request that was signed
   * for one of them is never valid at another, whatever Host its sender writes.
   */
  readonly origin?: string | undefined;
  /** The maximum size of the body of a signed request in bytes; other bodies are not read. Default: 1048576. */
  readonly bodyLimit?: number | undefined;
  /**
   * Called for every request that is answered 503. The error contains no secret, but the service's explanation. Default: a
   * line on the console for the first one, and then at most one per minute.
   */
  readonly onVerifierError?:
    | ((error: VerifierUnavailableError | VerifierRejectedError, request: Request) => void)
    | undefined;
}

/** 'gone': the body ended with an error, in general because the caller closed the connection. */
export type ReceivedBody = Uint8Array | 'PAYLOAD_TOO_LARGE' | 'gone';

/** A request as a framework presents it. */
export interface IncomingRequest {
  readonly method: string;
  /** Returns scheme and authority, as the caller addressed them. Called only for signed requests. */
  readonly origin: () => string;
  /** The target of the request line: path and query, or absolute (RFC 9112, section 3.2.2). */
  readonly target: string;
  readonly headers: HeaderFields;
  /** Names and values in turn, as `node:http` provides them. Absent if the framework joins repeated fields. */
  readonly rawHeaders?: readonly string[];
  readonly sourceIp: string | undefined;
  /** Called at most once, and only for signed requests. */
  readonly readBody: (limitBytes: number) => Promise<ReceivedBody>;
}

export type Outcome =
  | { readonly kind: 'authenticated'; readonly key: AuthenticatedKey }
  | { readonly kind: 'rejected'; readonly answer: ProblemAnswer }
  /** There is in general no caller left to answer. */
  | { readonly kind: 'gone' };

/**
 * Decides whether a request passes. `original` is the request of the framework, for `onVerifierError`. Rejects with what
 * reading the body and `onVerifierError` throw.
 */
export type Authenticate<Request> = (request: IncomingRequest, original: Request) => Promise<Outcome>;

/** Returns the options of a verifier that the middleware makes itself. */
export function endpointOptions<Request>(options: AuthenticationOptions<Request>): EndpointOptions {
  return { url: options.verifyUrl, token: options.verifierToken, timeoutMs: options.timeoutMs };
}

/** @throws TypeError or RangeError for invalid options */
export function createAuthenticate<Request>(
  verifier: { readonly verify: Verify },
  options: AuthenticationOptions<Request>,
): Authenticate<Request> {
  const { env, requireScopes: scopes, bodyLimit = defaultBodyLimit, onVerifierError = logVerifierErrors() } = options;
  checkBodyLimit(bodyLimit);
  if (scopes !== undefined) checkScopes(scopes);
  const origin = options.origin === undefined ? undefined : parseOrigin(options.origin);
  return async (request, original) => {
    const { headers, sourceIp } = request;
    if (repeatedHeader(request.rawHeaders ?? []) !== null) return rejected(problemAnswer('BAD_USER_INPUT'));
    // The key is read from this header only, not from the body or the URL (RFC 6750, sections 2.2 and 2.3).
    const { authorization } = headers;
    const key = typeof authorization === 'string' ? bearerToken(authorization) : undefined;
    if (key === undefined) return rejected(problemAnswer('UNAUTHENTICATED'));
    const body = isSigned(headers) ? await request.readBody(bodyLimit) : null;
    if (body === 'gone') return { kind: 'gone' };
    if (body === 'PAYLOAD_TOO_LARGE') return rejected(problemAnswer(body));
    const received = body === null ? undefined : await receivedRequest(request, origin ?? request.origin(), body);
    try {
      const verdict = await verifier.verify({ key, env, sourceIp, scopes, request: received });
      if (verdict.valid) {
        const { valid, code, ...verified } = verdict;
        return { kind: 'authenticated', key: verified };
      }
      const { code, rateLimit } = verdict;
      const isSourceMissing = code === 'SOURCE_NOT_ALLOWED' && sourceIp === undefined;
      const details = { rateLimit, requiredScopes: scopes, ...(isSourceMissing ? { detail: sourceMissing } : {}) };
      return rejected(problemAnswer(code, details));
    } catch (error) {
      if (!isVerifierError(error)) throw error;
      onVerifierError(error, original);
      const retryAfterSeconds = error.name === 'VerifierUnavailableError' ? error.retryAfterSeconds : null;
      return rejected(problemAnswer('UNAVAILABLE', { retryAfterSeconds: retryAfterSeconds ?? 1 }));
    }
  };
}

/** Tells the program that the mistake is its own. Otherwise, it would look for it in the allow-list. */
const sourceMissing =
  'The API key has an allow-list, and the caller of the middleware gave no source to compare: it must pass sourceIp.';

export const defaultBodyLimit = 1_048_576;

/** @throws RangeError for a limit that is not a number of bytes */
export function checkBodyLimit(bodyLimit: number): void {
  if (!(bodyLimit >= 0)) throw new RangeError('bodyLimit must be a number of bytes');
}

function rejected(answer: ProblemAnswer): Outcome {
  return { kind: 'rejected', answer };
}

async function receivedRequest(
  { method, target, headers }: IncomingRequest,
  origin: string,
  body: Uint8Array,
): Promise<ReceivedRequest> {
  // The authority of an absolute request target is the same as that of Host (RFC 9112, section 3.2.2).
  const path = target.replace(/^https?:\/\/[^/?]*/i, '');
  const digests = await Promise.all(['sha-256', 'sha-512'].map((algorithm) => digestOf(algorithm, body)));
  return {
    method,
    url: `${origin}${path}`,
    headers: Object.fromEntries(relevantFields(headers)),
    bodyDigest: digests.join(', '),
  };
}

/** One member of a Content-Digest value (RFC 9530, section 2). */
async function digestOf(algorithm: string, body: Uint8Array): Promise<string> {
  // A copy, because Web Crypto does not accept shared memory, which the type of the body allows.
  const digest = new Uint8Array(await crypto.subtle.digest(algorithm, new Uint8Array(body)));
  return `${algorithm}=:${btoa(String.fromCharCode(...digest))}:`;
}

function parseOrigin(text: string): string {
  const { protocol, host, href } = new URL(text);
  const origin = `${protocol}//${host}`;
  if (!/^https?:$/.test(protocol) || href !== `${origin}/`) {
    throw new TypeError('origin must be a scheme and a host, such as https://api.example.com');
  }
  return origin;
}
