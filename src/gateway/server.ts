/**
 * The verification port, on bare `node:http`: on this class of machine it answers six times as many requests as
 * Express, so that no framework stands in this path.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { ControlPlane } from '../domain/control-plane.ts';
import { LatchkeyError } from '../domain/errors.ts';
import type { Readiness } from '../domain/readiness.ts';
import { originForm } from '../domain/request-target.ts';
import type { RequestTallies } from '../metrics/request-tallies.ts';
import { type Span, type Traces, traceparentOf } from '../traces/spans.ts';
import type { Verifier } from '../verify/verifier.ts';
import { Asked } from './asked.ts';
import { type AuthorizeRules, authorizePath, parseAuthorizeCall } from './authorize-call.ts';
import { type Exchange, refuse, tally } from './exchange.ts';
import { healthPaths, sendHealth } from './health.ts';
import { RejectionPace } from './rejection-pace.ts';
import { readJson } from './request-body.ts';
import { SelfRevocation, selfPath } from './revoke-self.ts';
import { sendPermission, sendVerdict } from './verdict-answer.ts';
import type { VerifierTokens } from './verifier-tokens.ts';
import { parseVerifyCall } from './verify-call.ts';

export interface GatewayOptions {
  readonly verifier: Pick<Verifier, 'verify' | 'find'>;
  readonly authorize: AuthorizeRules;
  /** How many verifications may be under way at once. */
  readonly capacity: number;
  /** Null where everybody who reaches the port may ask: on the loopback interface. */
  readonly tokens: VerifierTokens | null;
  readonly readiness: () => Promise<Readiness>;
  readonly revokeOwnKey: ControlPlane['revokeOwnKey'];
  readonly requests: RequestTallies;
  /** Null where nobody is told of traces. */
  readonly traces: Traces | null;
  readonly report: (error: unknown, what: string) => void;
}

interface Gateway extends GatewayOptions {
  readonly pace: RejectionPace;
  readonly selfRevocation: SelfRevocation;
}

const verifyPath = '/v1/verify';
/** The dashboard, its pages, GraphQL and REST. */
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
      refuse(exchange, error);
    }
  });
  // A client that sends its request slowly must not hold a connection for long.
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

/** Health checks and unknown paths are no verifications. */
function spanOf(traces: Traces, route: string, { headers }: IncomingMessage): Span | null {
  if (route !== verifyPath && route !== authorizePath) return null;
  return traces.startVerification(route, traceparentOf(headers));
}

function verify(gateway: Gateway, exchange: Exchange): void {
  const { request } = exchange;
  allowOnly(['POST'], exchange);
  if (gateway.tokens !== null) checkToken(gateway.tokens, bearer(request.headers.authorization));
  const use = (body: unknown) => {
    checkCapacity(gateway);
    gateway.verifier.verify(parseVerifyCall(body), new Asked(exchange, sendVerdict));
  };
  readJson(request, use, (error) => refuse(exchange, error));
}

function authorize(gateway: Gateway, exchange: Exchange, url: string): void {
  const { request } = exchange;
  const { headers, method = '' } = request;
  // The original request's own Authorization is in its place, so that the gateway's token has a header of its own.
  if (gateway.tokens !== null) checkToken(gateway.tokens, single(headers['x-latchkey-verifier']));
  checkCapacity(gateway);
  const presented = parseAuthorizeCall({ method, url, headers }, gateway.authorize);
  // Gateways send no body here; should one come, it is not read.
  request.resume();
  gateway.verifier.verify(presented, new Asked(exchange, sendPermission));
}

/** No verifier token is needed: a caller who found a leaked key has none, and is told only that the key is revoked. */
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

function health(gateway: Gateway, exchange: Exchange): void {
  allowOnly(['GET', 'HEAD'], exchange);
  exchange.request.resume();
  void sendHealth(exchange.route, exchange.response, gateway.readiness).then(() => tally(exchange));
}

function allowOnly(methods: readonly string[], { request, response }: Exchange): void {
  if (methods.includes(request.method ?? '')) return;
  response.setHeader('allow', methods.join(', '));
  throw new LatchkeyError('METHOD_NOT_ALLOWED', `Only ${methods.join(' and ')} is possible here.`);
}

/**
 * Beyond its capacity the gateway says so at once, when the request has been read and nothing else been done: queueing
 * would make every caller's wait grow without bound.
 */
function checkCapacity({ requests, capacity, report }: Gateway): void {
  if (requests.underWay < capacity) return;
  requests.turnedAway += 1;
  const refusal = new LatchkeyError('UNAVAILABLE', 'Too many verifications are under way; try again shortly.');
  report(refusal, 'verifications were turned away');
  throw refusal;
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
