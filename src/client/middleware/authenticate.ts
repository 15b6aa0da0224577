/** Authenticates requests for the middleware of all frameworks. Uses web standards only. */

import { keyHeaderError } from '../../domain/key-header.ts';
import { findPresentedKey, type KeyLocations, noKeyProblem } from '../../domain/key-location.ts';
import { repeatedHeader } from '../../domain/repeated-header.ts';
import { type HeaderFields, relevantFields } from '../../domain/signature/signed-request.ts';
import { plainAddress } from '../../domain/source/forwarded-address.ts';
import { verifiedFields } from '../../domain/verdict/verified-key.ts';
import { type AuthenticatedKey, isVerifierError } from '../verdict.ts';
import { isSigned, type ReceivedRequest, type Verify } from '../verification.ts';
import { keyLocationsOf, rememberLocations } from './key-locations.ts';
import type { AuthenticationOptions } from './options.ts';
import { type ProblemAnswer, problemAnswer } from './problem-answer.ts';
import { checkScopes } from './scope-check.ts';
import { logVerifierErrors } from './verifier-error-log.ts';

/** 'gone': the body ended with an error, usually because the caller closed the connection. */
export type ReceivedBody = Uint8Array | 'PAYLOAD_TOO_LARGE' | 'gone';

/** A request in a form that does not depend on the framework. */
export interface IncomingRequest {
  readonly method: string;
  /** Returns the scheme and authority that the caller addressed. Called only for signed requests. */
  readonly origin: () => string;
  /** The request target: path and query, or an absolute URL (RFC 9112, section 3.2.2). */
  readonly target: string;
  readonly headers: HeaderFields;
  /** Alternating names and values, as in `node:http`. Absent if the framework joins repeated fields. */
  readonly rawHeaders?: readonly string[];
  /** As a proxy or the framework reports it. A text that is not an address counts as none. */
  readonly sourceIp: string | undefined;
  /** Called at most once, and only for signed requests. */
  readonly readBody: (limitBytes: number) => Promise<ReceivedBody>;
}

export type AuthenticationOutcome =
  | { readonly kind: 'authenticated'; readonly key: AuthenticatedKey }
  | { readonly kind: 'rejected'; readonly answer: ProblemAnswer }
  | { readonly kind: 'gone' };

/** Rejects with errors from `readBody` and `onVerifierError`. `original` is the request of the framework. */
export type Authenticate<Request> = (request: IncomingRequest, original: Request) => Promise<AuthenticationOutcome>;

/** @throws TypeError or RangeError for invalid options */
export function createAuthenticate<Request>(
  verifier: { readonly verify: Verify },
  options: AuthenticationOptions<Request>,
): Authenticate<Request> {
  const { env, requireScopes: scopes, bodyLimit = defaultBodyLimit, onVerifierError = logVerifierErrors() } = options;
  const answerDefaults: AnswerDefaults = {
    errorsUrl: options.errorsUrl,
    keyLocations: keyLocationsOf(options.keyLocations),
  };
  checkBodyLimit(bodyLimit);
  if (scopes !== undefined) checkScopes(scopes);
  const origin = options.origin === undefined ? undefined : parseOrigin(options.origin);
  return async (request, original) => {
    const { headers } = request;
    const sourceIp = plainAddress(request.sourceIp) ?? undefined;
    const key = presentedKey(request, answerDefaults);
    if (typeof key !== 'string') return rejected(key);
    const body = isSigned(headers) ? await request.readBody(bodyLimit) : null;
    if (body === 'gone') return { kind: 'gone' };
    if (body === 'PAYLOAD_TOO_LARGE') return rejected(problemAnswer(body, answerDefaults));
    const received = body === null ? undefined : await receivedRequest(request, origin ?? request.origin(), body);
    try {
      const verdict = await verifier.verify({ key, env, sourceIp, scopes, request: received });
      if (verdict.valid) {
        const authenticated = keyOf(verdict);
        rememberLocations(authenticated, answerDefaults.keyLocations);
        return { kind: 'authenticated', key: authenticated };
      }
      const { code, rateLimit } = verdict;
      const isSourceMissing = code === 'SOURCE_NOT_ALLOWED' && sourceIp === undefined;
      const details = {
        rateLimit,
        requiredScopes: scopes,
        ...answerDefaults,
        ...(isSourceMissing ? { detail: sourceMissing } : {}),
      };
      return rejected(problemAnswer(code, details));
    } catch (error) {
      if (!isVerifierError(error)) throw error;
      onVerifierError(error, original);
      const retryAfterSeconds = error.name === 'VerifierUnavailableError' ? error.retryAfterSeconds : null;
      return rejected(problemAnswer('UNAVAILABLE', { ...answerDefaults, retryAfterSeconds: retryAfterSeconds ?? 1 }));
    }
  };
}

/** What the answers to all requests have in common. */
interface AnswerDefaults {
  readonly errorsUrl: string | undefined;
  readonly keyLocations: KeyLocations;
}

/** Returns the key of a request, which is never read from the body or the URL (RFC 6750, sections 2.2 and 2.3). */
function presentedKey(request: IncomingRequest, defaults: AnswerDefaults): string | ProblemAnswer {
  const { headers, rawHeaders } = request;
  const { keyLocations } = defaults;
  if (repeatedHeader(rawHeaders ?? []) !== null) return problemAnswer('BAD_USER_INPUT', defaults);
  if (keyLocations.headers.length > 0) {
    const names = rawHeaders ?? Object.keys(headers).flatMap((name) => [name, '']);
    const error = keyHeaderError(names, keyLocations.headers);
    if (error !== null)
      return problemAnswer('BAD_USER_INPUT', { ...defaults, detail: `${error.field} ${error.message}.` });
  }
  const presented = findPresentedKey(headers, keyLocations);
  if (presented.kind === 'key') return presented.key;
  const { detail } = noKeyProblem(presented, keyLocations);
  return problemAnswer('UNAUTHENTICATED', { ...defaults, detail });
}

/** Copies only the known fields, because a verifier from the options may return fields that the API must not see. */
function keyOf(verdict: AuthenticatedKey): AuthenticatedKey {
  return { ...verifiedFields(verdict), rateLimit: verdict.rateLimit };
}

/** Tells developers who forgot `sourceIp`, or a trusted proxy, not to search for the error in the allow-list. */
const sourceMissing =
  'The API key has an allow-list, and the address of the caller is not known: the application must trust its proxies, or pass an IP address as sourceIp.';

export const defaultBodyLimit = 1_048_576;

/** @throws RangeError for a limit that is not a number of bytes */
export function checkBodyLimit(bodyLimit: number): void {
  if (!(bodyLimit >= 0)) throw new RangeError('bodyLimit must be a number of bytes');
}

function rejected(answer: ProblemAnswer): AuthenticationOutcome {
  return { kind: 'rejected', answer };
}

async function receivedRequest(
  { method, target, headers }: IncomingRequest,
  origin: string,
  body: Uint8Array,
): Promise<ReceivedRequest> {
  // An absolute request target has the same authority as Host (RFC 9112, section 3.2.2).
  const path = target.replace(/^https?:\/\/[^/?]*/i, '');
  const digests = await Promise.all(['sha-256', 'sha-512'].map((algorithm) => digestOf(algorithm, body)));
  return {
    method,
    url: `${origin}${path}`,
    headers: Object.fromEntries(relevantFields(headers)),
    bodyDigest: digests.join(', '),
  };
}

/** Returns one member of a Content-Digest value (RFC 9530, section 2). */
async function digestOf(algorithm: string, body: Uint8Array): Promise<string> {
  // Copies the body, because its type allows shared memory, which Web Crypto does not accept.
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
