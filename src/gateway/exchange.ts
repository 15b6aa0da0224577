import type { ServerResponse } from 'node:http';
import type { NoKeyCode, VerdictCode } from '../domain/verdict/verdict-code.ts';
import type { RequestCounters } from '../metrics/request-counters.ts';
import type { Span } from '../traces/spans.ts';
import type { ClientNetwork } from './client-networks.ts';
import type { GatewayConvention } from './request/authorize-call.ts';
import type { GatewayRequest } from './request/gateway-request.ts';

/** A call that is counted when it is answered, over HTTP or gRPC. */
export interface CountedCall {
  readonly requests: RequestCounters;
  readonly report: (error: unknown, what: string) => void;
  readonly network: ClientNetwork;
  readonly route: string;
  readonly startedAt: number;
  readonly span: Span | null;
}

/** A request to the verification port, with everything needed to answer it. */
export interface Exchange extends CountedCall {
  readonly pace: (answer: () => void) => void;
  readonly request: GatewayRequest;
  readonly response: ServerResponse;
  /** The convention of a calling gateway, which can forward only the status and headers; null for all other callers. */
  readonly convention: GatewayConvention | null;
  /** Whether errors have the format of OAuth 2.0. */
  readonly isOAuth: boolean;
  /** What `WWW-Authenticate` asks for if the endpoint rejects the caller's credentials. */
  readonly challenge: string;
}

export function countAnswer(exchange: Exchange, verdict?: VerdictCode | NoKeyCode): void {
  countStatus(exchange, exchange.response.statusCode, verdict);
}

export function countStatus(call: CountedCall, status: number, verdict?: VerdictCode | NoKeyCode): void {
  const { requests, route, startedAt, span } = call;
  requests.add(route, status, performance.now() - startedAt);
  if (span === null) return;
  const attributes = { 'http.response.status_code': status };
  span.end(verdict === undefined ? attributes : { ...attributes, 'latchkey.verdict': verdict }, status >= 500);
}

/** Sends and counts an answer that is not a verdict, and forbids caching it. */
export function sendJson(exchange: Exchange, status: number, text: string, headers: Record<string, string> = {}): void {
  const body = Buffer.from(text);
  const common = { 'content-type': 'application/json', 'content-length': body.length, 'cache-control': 'no-store' };
  exchange.response.writeHead(status, { ...common, ...headers }).end(body);
  countAnswer(exchange);
}
