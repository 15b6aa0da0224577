/** The verification port. It uses plain `node:http`, which answers six times as many requests per second as Express. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AcceptedTokens } from '../domain/accepted-tokens.ts';
import { bearerToken } from '../domain/bearer-token.ts';
import type { ControlPlane } from '../domain/control-plane.ts';
import { LatchkeyError } from '../domain/errors.ts';
import type { Readiness } from '../domain/readiness.ts';
import { originForm } from '../domain/request-target.ts';
import type { RequestCounters } from '../metrics/request-counters.ts';
import { type Span, type Traces, traceparentOf } from '../traces/spans.ts';
import type { Verifier } from '../verify/verifier.ts';
import { type AuthorizeRules, authorizePath, parseAuthorizeCall } from './authorize-call.ts';
import { countAnswer, type Exchange, sendError } from './exchange.ts';
import { healthPaths, sendHealth } from './health.ts';
import { PendingVerification } from './pending-verification.ts';
import { RejectionPace } from './rejection-pace.ts';
import { readJson } from './request-body.ts';
import { SelfRevocation, selfPath } from './revoke-self.ts';
import { sendPermission, sendVerdict } from './verdict-answer.ts';
import { parseVerifyCall } from './verify-call.ts';

export interface GatewayOptions {
  readonly verifier: Pick<Verifier, 'verify' | 'find'>;
  readonly authorize: AuthorizeRules;
  /** The maximum number of concurrent verifications. */
  readonly capacity: number;
  /** Null on the loopback interface, where no token is required. */
  readonly tokens: AcceptedTokens | null;
  readonly readiness: () => Promise<Readiness>;
  readonly revokeOwnKey: ControlPlane['revokeOwnKey'];
  readonly requests: RequestCounters;
  /** Null when tracing is off. */
  readonly traces: Traces | null;
  readonly report: (error: unknown, what: string) => void;
}

interface Gateway extends GatewayOptions {
  readonly pace: RejectionPace;
  readonly selfRevocation: SelfRevocation;
}

const verifyPath = '/v1/verify';
/** The paths of the dashboard, GraphQL and REST. */
const managementPath = /^\/(?:graphql|openapi(?:\.json)?|v1\/keys(?:\/[^?]*)?)?(?:\?|$)/;
const onManagementPort = 'This is the verification port (VERIFY_PORT). The path is on the management port (PORT).';

export function createGateway(options: GatewayOptions): Server {
  const { revokeOwnKey, authorize, requests, report } = options;
  const pace = new RejectionPace();
  const gateway: Gateway = {
    ...options,
    pace,
    selfRevocation: new SelfRevocation(options, revokeOwnKey, authorize),
  };
  const server = createServer({ keepAliveTimeout: 65_000, connectionsCheckingInterval: 1000 }, (request, response) => {
    const startedAt = performance.now();
    const url = targetOf(request);
    const route = routeOf(url);
    const span = gateway.traces === null ? null : spanOf(gateway.traces, route, request);
    const forGateway = route === authorizePath;
    const exchange: Exchange = { requests, pace, report, request, response, route, forGateway, startedAt, span };
    try {
      answer(gateway, exchange, url);
    } catch (error) {
      sendError(exchange, error);
    }
  });
  // Limits how long a client that sends slowly can hold a connection.
  server.headersTimeout = 5000;
  server.requestTimeout = 10_000;
  return server;
}

function targetOf(request: IncomingMessage): string {
  const { url = '' } = request;
  const absolute = url.startsWith('/') ? null : originForm(url);
  if (absolute === null) return url;
  request.headers.host = absolute.host;
  return absolute.target;
}

function routeOf(url: string): string {
  if (url === verifyPath) return verifyPath;
  if (url.startsWith(authorizePath) && /^(?:[/?]|$)/.test(url.slice(authorizePath.length))) return authorizePath;
  return healthPaths.has(url) || url === selfPath ? url : 'other';
}

function answer(gateway: Gateway, exchange: Exchange, url: string): void {
  const { route } = exchange;
  if (route === verifyPath) verify(gateway, exchange);
  else if (route === authorizePath) authorize(gateway, exchange, url);
  else if (route === selfPath) revokeSelf(gateway, exchange);
  else if (route !== 'other') health(gateway, exchange);
  else
    throw new LatchkeyError(
      'NOT_FOUND',
      managementPath.test(url) ? onManagementPort : 'There is nothing at this path.',
    );
}

/** Only verifications are traced, not health checks and unknown paths. */
function spanOf(traces: Traces, route: string, { headers }: IncomingMessage): Span | null {
  if (route !== verifyPath && route !== authorizePath) return null;
  return traces.startVerification(route, traceparentOf(headers));
}

function verify(gateway: Gateway, exchange: Exchange): void {
  const { request } = exchange;
  allowOnly(['POST'], exchange);
  if (gateway.tokens !== null) checkToken(gateway.tokens, bearerToken(request.headers.authorization));
  const use = (body: unknown) => {
    checkCapacity(gateway);
    gateway.verifier.verify(parseVerifyCall(body), new PendingVerification(exchange, sendVerdict));
  };
  readJson(request, use, (error) => sendError(exchange, error));
}

function authorize(gateway: Gateway, exchange: Exchange, url: string): void {
  const { request } = exchange;
  const { headers, method = '' } = request;
  // The Authorization header contains the client's key, so the gateway sends its own token in another header.
  if (gateway.tokens !== null) checkToken(gateway.tokens, single(headers['x-latchkey-verifier']));
  checkCapacity(gateway);
  const presented = parseAuthorizeCall({ method, url, headers }, gateway.authorize);
  // Gateways send no body to this endpoint. If one is sent, it is discarded.
  request.resume();
  gateway.verifier.verify(presented, new PendingVerification(exchange, sendPermission));
}

/**
 * Requires no verifier token: someone who found a leaked key has none. The answer says only that the key is revoked.
 */
function revokeSelf(gateway: Gateway, exchange: Exchange): void {
  allowOnly(['DELETE'], exchange);
  const { request, response, report } = exchange;
  request.resume();
  checkCapacity(gateway);
  const { tokens, selfRevocation } = gateway;
  const isGateway = tokens === null || tokens.has(single(request.headers['x-latchkey-verifier']));
  selfRevocation.perform(request, isGateway).then(
    ({ requestId }) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': revokedBody.length,
        'cache-control': 'no-store',
      };
      response.writeHead(200, { ...headers, 'x-request-id': requestId }).end(revokedBody);
      countAnswer(exchange);
    },
    (error) => {
      if (error instanceof LatchkeyError && error.code === 'UNAVAILABLE') {
        report(error, 'a key could not be revoked for its holder');
      }
      sendError(exchange, error);
    },
  );
}

const revokedBody = '{"ok":true}';

function health(gateway: Gateway, exchange: Exchange): void {
  allowOnly(['GET', 'HEAD'], exchange);
  exchange.request.resume();
  void sendHealth(exchange.route, exchange.response, gateway.readiness).then(() => countAnswer(exchange));
}

function allowOnly(methods: readonly string[], { request, response }: Exchange): void {
  if (methods.includes(request.method ?? '')) return;
  response.setHeader('allow', methods.join(', '));
  throw new LatchkeyError('METHOD_NOT_ALLOWED', `This path accepts only ${methods.join(' and ')}.`);
}

/**
 * Requests above the capacity get 503 immediately, right after the request was read. With a queue, waiting times would
 * grow without bound.
 */
function checkCapacity({ requests, capacity, report }: Gateway): void {
  if (requests.underWay < capacity) return;
  requests.turnedAway += 1;
  const rejection = new LatchkeyError('UNAVAILABLE', 'Too many verifications are under way; try again shortly.');
  report(rejection, 'verifications were rejected because too many are in progress');
  throw rejection;
}

function checkToken(tokens: AcceptedTokens, token: string | undefined): void {
  if (!tokens.has(token)) {
    throw new LatchkeyError('UNAUTHENTICATED', 'A verifier token is needed here, one of VERIFIER_TOKENS.');
  }
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
