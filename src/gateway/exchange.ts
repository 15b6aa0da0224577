/** One request to the verification port: how an error is sent, and how the answer is counted. */
import type { ServerResponse } from 'node:http';
import { type ErrorCode, errorTable, LatchkeyError, masked } from '../domain/errors.ts';
import { problem } from '../domain/problem.ts';
import type { missingKey, VerdictCode } from '../domain/verdict/verdict-code.ts';
import type { RequestCounters } from '../metrics/request-counters.ts';
import type { Span } from '../traces/spans.ts';
import type { RejectionPace } from './rejection-pace.ts';
import type { GatewayConvention } from './request/authorize-call.ts';
import type { Caller } from './request/callers.ts';
import type { GatewayRequest } from './request/gateway-request.ts';

/** A request with everything needed to answer it. */
export interface Exchange {
  readonly requests: RequestCounters;
  readonly pace: RejectionPace;
  readonly report: (error: unknown, what: string) => void;
  readonly caller: Caller;
  readonly request: GatewayRequest;
  readonly response: ServerResponse;
  /** The route label in metrics: one of a fixed set, whatever the URL. */
  readonly route: string;
  /** The convention of the caller if it is a gateway, which can forward only the status and headers; otherwise null. */
  readonly convention: GatewayConvention | null;
  readonly startedAt: number;
  /** Null unless this request is traced. */
  readonly span: Span | null;
}

/** The errors that clients without a key or a verifier token can cause. They are throttled. */
const throttledCodes: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'NOT_FOUND', 'METHOD_NOT_ALLOWED']);

/** Counts an answer that has been sent. */
export function countAnswer(exchange: Exchange, verdict?: VerdictCode | typeof missingKey): void {
  const { requests, response, route, startedAt, span } = exchange;
  const status = response.statusCode;
  requests.add(route, status, performance.now() - startedAt);
  if (span === null) return;
  const attributes = { 'http.response.status_code': status };
  span.end(verdict === undefined ? attributes : { ...attributes, 'latchkey.verdict': verdict }, status >= 500);
}

/** Sends an error. An unexpected error is logged, and its details are not sent. */
export function sendError(exchange: Exchange, error: unknown): void {
  const { response, pace, report } = exchange;
  const rejection = error instanceof LatchkeyError ? error : masked(error);
  if (rejection !== error) report(error, 'a verification failed');
  const send = () => {
    if (response.headersSent || response.destroyed) return;
    writeError(exchange, rejection);
    countAnswer(exchange);
  };
  if (throttledCodes.has(rejection.code)) pace.send(send);
  else send();
}

function writeError({ response, convention }: Exchange, rejection: LatchkeyError): void {
  const status = statusOf(rejection, convention);
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  if (rejection.retryAfterSeconds !== undefined) response.setHeader('retry-after', rejection.retryAfterSeconds);
  if (convention !== null) response.setHeader('x-latchkey-code', rejection.code);
  // Do not wait for the rest of the body.
  if (!response.req.complete) response.setHeader('connection', 'close');
  if (convention !== null && forwarded.has(status)) {
    response.writeHead(status, { 'content-length': 0 }).end();
    return;
  }
  const body = JSON.stringify(problem(rejection));
  response.setHeader('content-type', 'application/problem+json').setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(status).end(body);
}

/** The statuses that gateways pass on to their clients, without a body. */
const forwarded: ReadonlySet<number> = new Set([401, 403, 429]);

/** nginx forwards 401 and 403, and turns any other error status into 500. */
function statusOf({ code }: LatchkeyError, convention: GatewayConvention | null): number {
  return convention === 'nginx' && code === 'RATE_LIMITED' ? 403 : errorTable[code].status;
}
