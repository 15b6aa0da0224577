/**
 * The verification port, on bare `node:http`: on this class of machine it answers six times as many requests as
 * Express, so that no framework stands in this path.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { badInput, errorTable, LatchkeyError } from '../domain/errors.ts';
import { problem } from '../domain/problem.ts';
import type { Readiness } from '../domain/readiness.ts';
import type { VerdictCode } from '../domain/verdict-code.ts';
import type { RequestTallies } from '../metrics/request-tallies.ts';
import { type Span, type Traces, traceparentOf } from '../traces/spans.ts';
import type { Outcome, Presented, Verifier } from '../verify/verifier.ts';
import { type AuthorizeRules, authorizePath, parseAuthorizeCall } from './authorize-call.ts';
import { healthPaths, sendHealth } from './health.ts';
import { type RevokeOwnKey, SelfRevocation, selfPath } from './revoke-self.ts';
import type { VerifierTokens } from './verifier-tokens.ts';
import { parseVerifyCall } from './verify-call.ts';

export interface GatewayOptions {
  readonly verifier: Pick<Verifier, 'verify'>;
  readonly authorize: AuthorizeRules;
  /** How many verifications may be under way at once. */
  readonly capacity: number;
  /** Null where everybody who reaches the port may ask: on the loopback interface. */
  readonly tokens: VerifierTokens | null;
  readonly readiness: () => Promise<Readiness>;
  readonly revokeOwnKey: RevokeOwnKey;
  readonly requests: RequestTallies;
  /** Null where nobody is told of traces. */
  readonly traces: Traces | null;
  readonly report: (error: unknown, what: string) => void;
}

interface Gateway extends GatewayOptions {
  readonly selfRevocation: SelfRevocation;
}

/** A request with what answering it needs. */
interface Exchange {
  readonly gateway: Gateway;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** As it is counted: one of a few, whatever the URL. */
  readonly route: string;
  readonly startedAt: number;
  /** Null for all but the few that are traced. */
  readonly span: Span | null;
}

const verifyPath = '/v1/verify';
const bodyLimit = 64 * 1024;
const forbidden: ReadonlySet<VerdictCode> = new Set(['WRONG_ENVIRONMENT', 'SOURCE_NOT_ALLOWED']);

export function createGateway(options: GatewayOptions): Server {
  const gateway: Gateway = {
    ...options,
    selfRevocation: new SelfRevocation(options.revokeOwnKey, options.authorize),
  };
  const server = createServer({ keepAliveTimeout: 65_000, connectionsCheckingInterval: 1000 }, (request, response) => {
    const startedAt = performance.now();
    const url = request.url ?? '';
    const route = routeOf(url);
    const span = gateway.traces === null ? null : spanOf(gateway.traces, route, request);
    const exchange: Exchange = { gateway, request, response, route, startedAt, span };
    try {
      answer(exchange, url);
    } catch (error) {
      refuse(exchange, error);
    }
  });
  // A client that dribbles its request must not hold a connection for long.
  server.headersTimeout = 5000;
  server.requestTimeout = 10_000;
  return server;
}

function routeOf(url: string): string {
  if (url === verifyPath) return verifyPath;
  if (url.startsWith(authorizePath) && /^(?:[/?]|$)/.test(url.slice(authorizePath.length))) return authorizePath;
  return healthPaths.has(url) || url === selfPath ? url : 'other';
}

function answer(exchange: Exchange, url: string): void {
  const { route, response, gateway } = exchange;
  if (route === verifyPath) verify(exchange);
  else if (route === authorizePath) authorize(exchange, url);
  else if (route === selfPath) revokeSelf(exchange);
  else if (route !== 'other') void sendHealth(url, response, gateway.readiness).then(() => tally(exchange));
  else throw new LatchkeyError('NOT_FOUND', 'There is nothing at this path.');
}

/** Health checks and strangers' wanderings are no verifications. */
function spanOf(traces: Traces, route: string, { headers }: IncomingMessage): Span | null {
  if (route !== verifyPath && route !== authorizePath) return null;
  return traces.startVerification(route, traceparentOf(headers));
}

/** Counts an answer that has been handed over. */
function tally(exchange: Exchange, verdict?: VerdictCode): void {
  const { gateway, response, route, startedAt, span } = exchange;
  const status = response.statusCode;
  gateway.requests.add(route, status, performance.now() - startedAt);
  if (span === null) return;
  const attributes = { 'http.response.status_code': status };
  span.end(verdict === undefined ? attributes : { ...attributes, 'latchkey.verdict': verdict }, status >= 500);
}

function verify(exchange: Exchange): void {
  const { gateway, request } = exchange;
  allowOnly('POST', exchange);
  if (gateway.tokens !== null) checkToken(gateway.tokens, bearer(request.headers.authorization));
  readBody(exchange, (text) => {
    checkCapacity(gateway);
    const presented = parseVerifyCall(parseJson(text));
    ask(exchange, presented, sendVerdict);
  });
}

function authorize(exchange: Exchange, url: string): void {
  const { gateway, request } = exchange;
  const { headers, method = '' } = request;
  // The original request's own Authorization is in its place, so that the gateway's token has a header of its own.
  if (gateway.tokens !== null) checkToken(gateway.tokens, single(headers['x-latchkey-verifier']));
  checkCapacity(gateway);
  const presented = parseAuthorizeCall({ method, url, headers }, gateway.authorize);
  // Gateways send no body here; should one come, it is nobody's business.
  request.resume();
  ask(exchange, presented, sendPermission);
}

/** No verifier token is asked for: whoever found a leaked key has none, and hears nothing but that the key is over. */
function revokeSelf(exchange: Exchange): void {
  allowOnly('DELETE', exchange);
  const { gateway, request, response } = exchange;
  request.resume();
  const { tokens, report } = gateway;
  const trusted = tokens === null || tokens.has(single(request.headers['x-latchkey-verifier']));
  gateway.selfRevocation.perform(request, trusted).then(
    ({ requestId }) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': done.length,
        'cache-control': 'no-store',
      };
      response.writeHead(200, { ...headers, 'x-request-id': requestId }).end(done);
      tally(exchange);
    },
    (error) => {
      if (error instanceof LatchkeyError && error.code === 'UNAVAILABLE') {
        report(error, 'a key could not be revoked for its holder');
      }
      refuse(exchange, error);
    },
  );
}

const done = '{"ok":true}';

function allowOnly(method: string, { request, response }: Exchange): void {
  if (request.method === method) return;
  response.setHeader('allow', method);
  throw new LatchkeyError('METHOD_NOT_ALLOWED', `Only ${method} is possible here.`);
}

function ask(
  exchange: Exchange,
  presented: Presented,
  send: (response: ServerResponse, outcome: Outcome) => void,
): void {
  const { requests, verifier, report } = exchange.gateway;
  requests.underWay += 1;
  let settled = false;
  // Once: an answer that can't be written becomes a failure.
  const settle = () => {
    if (!settled) requests.underWay -= 1;
    settled = true;
  };
  verifier.verify(presented, {
    answer: (outcome) => {
      settle();
      send(exchange.response, outcome);
      tally(exchange, outcome.code);
    },
    fail: (error) => {
      settle();
      report(error, 'the store could not be asked about a key');
      refuse(exchange, new LatchkeyError('UNAVAILABLE', 'The store does not answer; try again shortly.'));
    },
  });
}

/**
 * Beyond its capacity the gateway says so at once, when the request has been read and nothing else been done: queueing
 * would make everybody's wait grow without bound.
 */
function checkCapacity({ requests, capacity, report }: Gateway): void {
  if (requests.underWay < capacity) return;
  requests.turnedAway += 1;
  const refusal = new LatchkeyError('UNAVAILABLE', 'Too many verifications are under way; try again shortly.');
  report(refusal, 'verifications were turned away');
  throw refusal;
}

function sendVerdict(response: ServerResponse, { code, key }: Outcome): void {
  const body = key === null ? nobodys(code) : `{"valid":${code === 'VALID'},"code":"${code}",${key.described}`;
  response.writeHead(200, ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))]);
  response.end(body);
}

function nobodys(code: VerdictCode): string {
  return `{"valid":false,"code":"${code}",${nobody}`;
}

const nobody = '"keyId":null,"teamId":null,"name":null,"env":null,"prefix":null,"expiresAt":null}';

function sendPermission(response: ServerResponse, { code, key }: Outcome): void {
  if (code === 'VALID' && key !== null) {
    response.writeHead(200, [
      'x-latchkey-code',
      code,
      'x-latchkey-key-id',
      key.id,
      'x-latchkey-team-id',
      key.teamId,
      'x-latchkey-env',
      key.env,
      'content-length',
      '0',
    ]);
  } else if (forbidden.has(code)) {
    response.writeHead(403, ['x-latchkey-code', code, 'content-length', '0']);
  } else {
    response.writeHead(401, ['x-latchkey-code', code, 'www-authenticate', 'Bearer', 'content-length', '0']);
  }
  response.end();
}

function refuse(exchange: Exchange, error: unknown): void {
  const {
    gateway: { report },
    response,
  } = exchange;
  if (response.headersSent || response.destroyed) return;
  const refusal =
    error instanceof LatchkeyError
      ? error
      : new LatchkeyError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side.');
  if (refusal !== error) report(error, 'a verification failed');
  if (refusal.code === 'UNAUTHENTICATED') response.setHeader('www-authenticate', 'Bearer');
  if (refusal.retryAfterSeconds !== undefined) response.setHeader('retry-after', refusal.retryAfterSeconds);
  // What is left of the body is not waited for.
  if (!response.req.complete) response.setHeader('connection', 'close');
  const body = JSON.stringify(problem(refusal));
  response.setHeader('content-type', 'application/problem+json').setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(errorTable[refusal.code].status).end(body);
  tally(exchange);
}

function readBody(exchange: Exchange, use: (text: string) => void): void {
  const { request } = exchange;
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= bodyLimit) chunks.push(chunk);
    else if (size - chunk.length <= bodyLimit) {
      chunks.length = 0;
      refuse(exchange, new LatchkeyError('PAYLOAD_TOO_LARGE', `The body may have at most ${bodyLimit} bytes.`));
    }
  });
  request.on('end', () => {
    if (size > bodyLimit) return;
    try {
      const [first] = chunks;
      use(chunks.length === 1 && first !== undefined ? first.toString() : Buffer.concat(chunks).toString());
    } catch (error) {
      refuse(exchange, error);
    }
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badInput([{ field: 'body', message: 'must be valid JSON' }]);
  }
}

function checkToken(tokens: VerifierTokens, token: string | undefined): void {
  if (!tokens.has(token)) {
    throw new LatchkeyError('UNAUTHENTICATED', 'A verifier token is needed here, one of VERIFIER_TOKENS.');
  }
}

function bearer(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
