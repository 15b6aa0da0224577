import { type ErrorCode, errorsPath, errorTable, LatchkeyError, masked } from '../domain/errors.ts';
import { problem, problemMediaType } from '../domain/problem.ts';
import { WindowCounts } from '../lib/window-counts.ts';
import { type CountedCall, countAnswer, type Exchange } from './exchange.ts';
import { oauthError } from './oauth-error.ts';
import { forwardedStatus } from './request/authorize-call.ts';

/** Errors that clients can cause without a key or a verifier token. These errors are throttled. */
const throttledCodes: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'NOT_FOUND', 'METHOD_NOT_ALLOWED']);

export function sendError(exchange: Exchange, error: unknown): void {
  const { response, pace } = exchange;
  const publicError = publicErrorOf(error, exchange);
  const send = () => {
    if (response.headersSent || response.destroyed) return;
    writeError(exchange, publicError);
    countAnswer(exchange);
  };
  if (throttledCodes.has(publicError.code)) pace(send);
  else send();
}

/** Reports an unexpected error, and hides it from the caller. */
export function publicErrorOf(error: unknown, { report }: CountedCall): LatchkeyError {
  if (error instanceof LatchkeyError) return error;
  report(error, 'a verification failed');
  return masked(error);
}

function writeError({ response, convention, challenge, isOAuth }: Exchange, error: LatchkeyError): void {
  const { code, retryAfterSeconds, acceptEncoding } = error;
  const status = forwardedStatus(convention, errorTable[code].status);
  if (status === 401) response.setHeader('www-authenticate', challenge);
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', retryAfterSeconds);
  if (acceptEncoding !== undefined) response.setHeader('accept-encoding', acceptEncoding);
  if (convention !== null || isOAuth) response.setHeader('x-latchkey-code', code);
  // Closes the connection instead of waiting for the rest of the body.
  if (!response.req.complete) response.setHeader('connection', 'close');
  if (convention !== null && bodyless.has(status)) {
    response.writeHead(status, { 'content-length': 0 }).end();
    return;
  }
  if (isOAuth) response.setHeader('cache-control', 'no-store');
  // A gateway may send the document to its own client, whose API has no such page.
  const document = problem(error, convention === null ? { errorsUrl: errorsPath } : {});
  const body = JSON.stringify(isOAuth ? oauthError(error) : document);
  response
    .setHeader('content-type', isOAuth ? 'application/json' : problemMediaType)
    .setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(status).end(body);
}

/** The statuses that gateways pass on to their clients. They are sent without a body. */
const bodyless: ReadonlySet<number> = new Set([401, 403, 429]);

/** Reports why there is no verdict. Also an unexpected error gets 503, with which gateways and edges try elsewhere. */
export function withoutVerdict({ report }: CountedCall, error: unknown): LatchkeyError {
  report(error, 'a key could not be verified');
  return error instanceof LatchkeyError ? error : new LatchkeyError('UNAVAILABLE', 'There is no verdict; try again.');
}

const immediatePerSecond = 100;
const delayMs = 1000;

/**
 * Throttles floods of requests that have neither a verifier token nor a key, or only one that is revoked: each connection
 * then gets one answer per second, because its requests are answered in order. Only such requests wait, so other callers
 * behind the same gateway are not affected. Turns would answer them at full speed (the attack pipelining).
 */
export function rejectionPace(): (answer: () => void) => void {
  const immediate = new WindowCounts({ limit: immediatePerSecond, windowSeconds: 1 });
  return (answer) => {
    if (immediate.take('all clients', performance.now()) === null) answer();
    else setTimeout(answer, delayMs);
  };
}
