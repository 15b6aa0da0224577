import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { KeyEnv } from '../domain/api-key.ts';
import { digestsOf } from '../domain/content-digest.ts';
import { relevantFields } from '../domain/signed-request.ts';
import { serializeByteSequence } from '../domain/structured-fields.ts';
import { refuse } from './refusal.ts';
import { headersOf, readBody } from './request-body.ts';
import {
  createVerifier,
  isSigned,
  type ReceivedRequest,
  type Verdict,
  type VerifiedKey,
  VerifierRejectedError,
  VerifierUnavailableError,
} from './verify.ts';

declare global {
  namespace Express {
    interface Request {
      /** Set by `requireApiKey` on every request that gets past it. */
      apiKey?: VerifiedKey;
    }
  }
}

export interface RequireApiKeyOptions {
  /** Where the verification port is. Default: `http://127.0.0.1:4001`. */
  readonly verifyUrl?: string | URL | undefined;
  /** One of the service's VERIFIER_TOKENS. */
  readonly verifierToken?: string | undefined;
  /** Refuse keys of the other environment. */
  readonly env?: KeyEnv | undefined;
  /** Where the request came from. Default: `request.ip`, which honours the application's own 'trust proxy'. */
  readonly sourceIp?: (request: Request) => string | undefined;
  /** For the whole of a verification. Default: 1000. */
  readonly timeoutMs?: number | undefined;
  /**
   * What callers put before the path, such as `https://api.example.com`. Default: the request's protocol (which honours
   * 'trust proxy') and Host. Give it where a proxy changes Host, and where several services share one Latchkey: then a
   * request signed for one of them is never valid at another, whatever Host its sender writes.
   */
  readonly origin?: string | undefined;
  /** How many bytes the body of a signed request may have; other bodies are not read. Default: 1048576. */
  readonly bodyLimit?: number | undefined;
  /** Told of every request that is answered 503, for the log. The error has no secret in it. */
  readonly onVerifierError?: (error: VerifierUnavailableError | VerifierRejectedError, request: Request) => void;
}

/**
 * Middleware for Express 4 and 5 that lets only requests with a valid API key past, and puts the key on
 * `request.apiKey`. Others it answers itself, with problem+json (RFC 9457) that tells no more than the code: 401, 403,
 * 413, and 503 when there is no verdict.
 *
 * The key is taken from `Authorization: Bearer …` (RFC 6750, section 2.1) and nowhere else. A signed request is sent along
 * (method, URL, the header fields that matter, no others) with the digest of the bytes that arrived, none at all included:
 * so a body can't be swapped, added or taken away.
 *
 * For that, put this before the body parsers: it reads the body and hands it on, so that they still work. Behind a body
 * parser it needs the bytes in `request.rawBody`, a Buffer (`express.json({ verify: (request, _, bytes) => { request.rawBody
 * = bytes } })`); a parser that undoes a content coding shows other bytes than were signed, and such requests are refused.
 *
 * Use it once per request: a signature is good for one verification.
 *
 * @throws TypeError or RangeError for options that can't be. Passed to `next`: a TypeError where the bytes of a signed
 * body are gone, and what `sourceIp` and `onVerifierError` throw
 */
export function requireApiKey(options: RequireApiKeyOptions = {}): RequestHandler {
  const { env, sourceIp = (request) => request.ip, bodyLimit = 1_048_576, onVerifierError } = options;
  if (!(bodyLimit >= 0)) throw new RangeError('bodyLimit must be a number of bytes');
  const origin = options.origin === undefined ? undefined : parseOrigin(options.origin);
  const { verifyUrl: url, verifierToken: token, timeoutMs } = options;
  const verifier = createVerifier({ url, token, timeoutMs });

  const judge = async (request: Request): Promise<Outcome> => {
    const key = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (key === undefined) return { refusal: 'UNAUTHENTICATED' };
    const body = isSigned(headersOf(request)) ? await readBody(request, bodyLimit) : null;
    if (body === 'PAYLOAD_TOO_LARGE') return { refusal: body };
    if (body === 'gone') return body;
    const received = body === null ? undefined : receivedRequest(request, origin, body);
    try {
      return await verifier.verify({ key, env, sourceIp: sourceIp(request), request: received });
    } catch (error) {
      if (!(error instanceof VerifierUnavailableError || error instanceof VerifierRejectedError)) throw error;
      onVerifierError?.(error, request);
      const retryAfterSeconds = error instanceof VerifierUnavailableError ? error.retryAfterSeconds : null;
      return { refusal: 'UNAVAILABLE', retryAfterSeconds };
    }
  };

  return (request: Request, response: Response, next: NextFunction) => {
    // Express 4 does not look at what a middleware returns.
    judge(request).then((outcome) => act(outcome, request, response, next), next);
  };
}

type Outcome =
  | Verdict
  | {
      readonly refusal: 'UNAUTHENTICATED' | 'PAYLOAD_TOO_LARGE' | 'UNAVAILABLE';
      readonly retryAfterSeconds?: number | null;
    }
  /** The caller left before its body had arrived: nobody to answer. */
  | 'gone';

function act(outcome: Outcome, request: Request, response: Response, next: NextFunction): void {
  if (outcome === 'gone') return;
  if ('refusal' in outcome) {
    refuse(outcome.refusal, request, response, outcome.retryAfterSeconds ?? 1);
  } else if (!outcome.valid) {
    refuse(outcome.code, request, response);
  } else {
    const { keyId, teamId, name, env, prefix, expiresAt } = outcome;
    request.apiKey = { keyId, teamId, name, env, prefix, expiresAt };
    next();
  }
}

function receivedRequest(request: Request, origin: string | undefined, body: Buffer): ReceivedRequest {
  const digests = [...digestsOf(body)].map(([algorithm, digest]) => serializeByteSequence(algorithm, digest));
  // The request line may be absolute (RFC 9112, section 3.2.2); its authority is then the same as Host's.
  const path = request.originalUrl.replace(/^https?:\/\/[^/?]*/i, '');
  return {
    method: request.method,
    url: `${origin ?? `${request.protocol}://${request.headers.host ?? ''}`}${path}`,
    headers: Object.fromEntries(relevantFields(headersOf(request))),
    bodyDigest: digests.join(', '),
  };
}

function parseOrigin(text: string): string {
  const { protocol, host, href } = new URL(text);
  const origin = `${protocol}//${host}`;
  if (!/^https?:$/.test(protocol) || href !== `${origin}/`) {
    throw new TypeError('origin must be a scheme and a host, such as https://api.example.com');
  }
  return origin;
}
