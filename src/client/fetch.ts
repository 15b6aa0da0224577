/** For runtimes with the Fetch API, such as Bun, Deno, workers and Hono. Uses web standards only, no Node modules. */
import {
  type AuthenticationOptions,
  createAuthenticate,
  type OnVerifierError,
  type ReceivedBody,
} from './authenticate.ts';
import { createVerify } from './fetch-verify.ts';
import { readStream } from './read-stream.ts';
import type { VerifiedKey } from './verdict.ts';
import type { Verify } from './verification.ts';

export { createVerify, type VerifyOptions } from './fetch-verify.ts';
export type { Verdict, VerifiedKey } from './verdict.ts';
export { VerifierRejectedError, VerifierUnavailableError } from './verdict.ts';
export type { ReceivedRequest, Verification, Verify } from './verification.ts';

export interface RequireApiKeyOptions extends AuthenticationOptions {
  /**
   * Used in place of `verifyUrl`, `verifierToken`, `timeoutMs` and `fetch`, such as a local verifier on Node.js. The
   * caller closes it.
   */
  readonly verifier?: { readonly verify: Verify } | undefined;
  /** Sends the verification. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly onVerifierError?: OnVerifierError<Request> | undefined;
}

export interface RequestSource {
  /** The IP address of the caller, which a `Request` does not have. Keys with an allow-list are rejected without it. */
  readonly sourceIp?: string | undefined;
}

/** Resolves to the key of a request that passes, or to the answer for one that does not. */
export type Authenticator = (request: Request, source?: RequestSource) => Promise<VerifiedKey | Response>;

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
  const { verifyUrl: url, verifierToken: token, timeoutMs, fetch, verifier, onVerifierError } = options;
  const verify: Verify =
    verifier === undefined
      ? createVerify({ url, token, timeoutMs, fetch })
      : (verification) => verifier.verify(verification);
  const authenticate = createAuthenticate(verify, options);
  return async (request, { sourceIp } = {}) => {
    const { origin, pathname, search } = new URL(request.url);
    const outcome = await authenticate({
      method: request.method,
      origin: () => origin,
      target: `${pathname}${search}`,
      headers: Object.fromEntries(request.headers),
      sourceIp,
      readBody: (limitBytes) => readBody(request, limitBytes),
      onVerifierError: (error) => onVerifierError?.(error, request),
    });
    if (outcome.kind === 'authenticated') return outcome.key;
    // 400: the caller closed the connection, so that this answer reaches no client.
    if (outcome.kind === 'gone') return new Response(null, { status: 400 });
    const { status, headers, body } = outcome.answer;
    return new Response(body, { status, headers });
  };
}

async function readBody(request: Request, limitBytes: number): Promise<ReceivedBody> {
  const { body } = request.clone();
  try {
    return (await readStream(body, limitBytes)) ?? 'PAYLOAD_TOO_LARGE';
  } catch {
    return 'gone';
  }
}
