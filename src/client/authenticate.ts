/** The decision that the middleware of every framework shares. Uses web standards only. */

import type { KeyEnv } from '../domain/key/key-env.ts';
import { repeatedHeader } from '../domain/repeated-header.ts';
import { type HeaderFields, relevantFields } from '../domain/signature/signed-request.ts';
import { bearerToken } from '../lib/bearer-token.ts';
import { insufficientScope, type ProblemAnswer, problemAnswer, sourceNotGiven } from './problem.ts';
import { checkScopes } from './scope-check.ts';
import {
  type AuthenticatedKey,
  isVerifierError,
  type VerifierRejectedError,
  type VerifierUnavailableError,
} from './verdict.ts';
import { isSigned, type ReceivedRequest, type Verify } from './verification.ts';

/** The options that the middleware of every framework has. */
export interface AuthenticationOptions {
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
  /**
   * What callers put before the path, such as `https://api.example.com`. Default: the protocol of the request and its
   * Host. Set it where a proxy changes Host, and where several services share one Latchkey: then a request that was signed
   * for one of them is never valid at another, whatever Host its sender writes.
   */
  readonly origin?: string | undefined;
  /** The maximum size of the body of a signed request in bytes; other bodies are not read. Default: 1048576. */
  readonly bodyLimit?: number | undefined;
}

/**
 * Called for every request that is answered 503. The error contains no secret, but the service's explanation. Default: a
 * line on the console for the first one, and then at most one per minute.
 */
export type OnVerifierError<Request> = (
  error: VerifierUnavailableError | VerifierRejectedError,
  request: Request,
) => void;

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
  readonly onVerifierError: (error: VerifierUnavailableError | VerifierRejectedError) => void;
}

export type Outcome =
  | { readonly kind: 'authenticated'; readonly key: AuthenticatedKey }
  | { readonly kind: 'rejected'; readonly answer: ProblemAnswer }
  /** There is in general no caller left to answer. */
  | { readonly kind: 'gone' };

/** Decides whether a request passes. Rejects with what reading the body and `onVerifierError` throw. */
export type Authenticate = (request: IncomingRequest) => Promise<Outcome>;

/** @throws TypeError or RangeError for invalid options */
export function createAuthenticate(verify: Verify, options: AuthenticationOptions): Authenticate {
  const { env, bodyLimit = defaultBodyLimit } = options;
  checkBodyLimit(bodyLimit);
  const scopes = options.requireScopes;
  if (scopes !== undefined) checkScopes(scopes);
  const origin = options.origin === undefined ? undefined : parseOrigin(options.origin);
  return async (request) => {
    if (repeatedHeader(request.rawHeaders ?? []) !== null) return rejected(problemAnswer('BAD_USER_INPUT'));
    const { authorization } = request.headers;
    // The key is read from this header only, not from the body or the URL (RFC 6750, sections 2.2 and 2.3).
    const key = typeof authorization === 'string' ? bearerToken(authorization) : undefined;
    if (key === undefined) return rejected(problemAnswer('UNAUTHENTICATED'));
    const body = isSigned(request.headers) ? await request.readBody(bodyLimit) : null;
    if (body === 'gone') return { kind: 'gone' };
    if (body === 'PAYLOAD_TOO_LARGE') return rejected(problemAnswer(body));
    const received = body === null ? undefined : await receivedRequest(request, origin ?? request.origin(), body);
    try {
      const verdict = await verify({ key, env, sourceIp: request.sourceIp, scopes, request: received });
      if (verdict.valid) return { kind: 'authenticated', key: keyOf(verdict) };
      if (verdict.code === 'INSUFFICIENT_SCOPE') return rejected(insufficientScope(scopes ?? []));
      const isUnknownSource = verdict.code === 'SOURCE_NOT_ALLOWED' && request.sourceIp === undefined;
      return rejected(isUnknownSource ? sourceNotGiven : problemAnswer(verdict.code, verdict));
    } catch (error) {
      if (!isVerifierError(error)) throw error;
      request.onVerifierError(error);
      const retryAfterSeconds = error.name === 'VerifierUnavailableError' ? error.retryAfterSeconds : null;
      return rejected(problemAnswer('UNAVAILABLE', { retryAfterSeconds: retryAfterSeconds ?? 1 }));
    }
  };
}

function keyOf(verdict: AuthenticatedKey): AuthenticatedKey {
  const { keyId, teamId, name, env, prefix, expiresAt, secret, scopes, externalId, metadata, rateLimit } = verdict;
  return { keyId, teamId, name, env, prefix, expiresAt, secret, scopes, externalId, metadata, rateLimit };
}

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
