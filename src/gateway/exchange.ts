/** One request at the verification port, how it is rejected and how it is counted. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, errorTable, LatchkeyError } from '../domain/errors.ts';
import { problem } from '../domain/problem.ts';
import type { VerdictCode } from '../domain/verdict-code.ts';
import type { RequestTallies } from '../metrics/request-tallies.ts';
import type { Span } from '../traces/spans.ts';
import type { RejectionPace } from './rejection-pace.ts';

/** A request with what answering it needs. */
export interface Exchange {
  readonly requests: RequestTallies;
  readonly pace: RejectionPace;
  readonly report: (error: unknown, what: string) => void;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** As it is counted: one of a few, whatever the URL. */
  readonly route: string;
  /** Whether a gateway asks, which can pass on no more than a status and headers. */
  readonly forGateway: boolean;
  readonly startedAt: number;
  /** Null for all but the few that are traced. */
  readonly span: Span | null;
}

/** What a caller is answered who has neither a key nor a verifier token. */
const unauthenticated: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'NOT_FOUND', 'METHOD_NOT_ALLOWED']);

/** Counts an answer that has been handed over. */
export function tally({ requests, response, route, startedAt, span }: Exchange, verdict?: VerdictCode): void {
  const status = response.statusCode;
  requests.add(route, status, performance.now() - startedAt);
  if (span === null) return;
  const attributes = { 'http.response.status_code': status };
  span.end(verdict === undefined ? attributes : { ...attributes, 'latchkey.verdict': verdict }, status >= 500);
}

/** Answers with an error; one that is none of ours is logged, and masked. */
export function refuse(exchange: Exchange, error: unknown): void {
  const { response, request, pace, report } = exchange;
  const refusal =
    error instanceof LatchkeyError
      ? error
      : new LatchkeyError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side.');
  if (refusal !== error) report(error, 'a verification failed');
  const send = () => {
    if (response.headersSent || response.destroyed) return;
    sendRefusal(exchange, refusal);
    tally(exchange);
  };
  if (unauthenticated.has(refusal.code)) pace.send(request, send);
  else send();
}

function sendRefusal({ response, forGateway }: Exchange, refusal: LatchkeyError): void {
  const status = statusOf(refusal, forGateway);
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  if (refusal.retryAfterSeconds !== undefined) response.setHeader('retry-after', refusal.retryAfterSeconds);
  if (forGateway) response.setHeader('x-latchkey-code', refusal.code);
  // What is left of the body is not waited for.
  if (!response.req.complete) response.setHeader('connection', 'close');
  if (forGateway && (status === 401 || status === 403)) {
    response.writeHead(status, { 'content-length': 0 }).end();
    return;
  }
  const body = JSON.stringify(problem(refusal));
  response.setHeader('content-type', 'application/problem+json').setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(status).end(body);
}

/** nginx passes on 401 and 403, and takes any other rejection for a failure of ours. */
function statusOf({ code }: LatchkeyError, forGateway: boolean): number {
  return forGateway && code === 'RATE_LIMITED' ? 403 : errorTable[code].status;
}
