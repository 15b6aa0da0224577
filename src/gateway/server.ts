/** The verification port. It uses plain `node:http`, which answers six times as many requests per second as Express. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { inOrder } from '../admission/in-order.ts';
import { Turns } from '../admission/turns.ts';
import { repeatedHeaderError } from '../domain/repeated-header.ts';
import { originForm } from '../lib/request-target.ts';
import { answerRejectedRequests } from '../ports/rejected-requests.ts';
import { traceparentOf } from '../traces/spans.ts';
import type { ClientNetwork } from './client-networks.ts';
import { authorizeEndpoint } from './endpoints/authorize.ts';
import { deriveEndpoint } from './endpoints/derive.ts';
import { errorsEndpoint } from './endpoints/errors-page.ts';
import { feedEndpoints } from './endpoints/feed.ts';
import { healthEndpoints } from './endpoints/health.ts';
import { introspectEndpoint } from './endpoints/introspect.ts';
import { edgeLeaksEndpoint, leaksEndpoint } from './endpoints/leaks.ts';
import { selfEndpoints } from './endpoints/self.ts';
import { verifyEndpoint } from './endpoints/verify.ts';
import { rejectionPace, sendError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { GatewayOptions, PortOptions } from './options.ts';
import { GatewayRequest } from './request/gateway-request.ts';
import { type GatewayEndpoint, Router } from './router.ts';

export function createGateway(options: GatewayOptions): Server {
  return createPort(options, [
    ...sharedEndpoints(options),
    ...selfEndpoints(options),
    deriveEndpoint(options),
    leaksEndpoint(options),
    ...feedEndpoints(options),
  ]);
}

export function createEdgeGateway(options: PortOptions): Server {
  return createPort(options, [...sharedEndpoints(options), edgeLeaksEndpoint]);
}

function sharedEndpoints(options: PortOptions): GatewayEndpoint[] {
  return [
    verifyEndpoint(options),
    authorizeEndpoint(options),
    introspectEndpoint(options),
    ...healthEndpoints(options),
    errorsEndpoint,
  ];
}

/** The maximum number of requests that wait on one connection. Each takes 2 kB. Few clients of this port pipeline. */
const maxPipelined = 16;

/**
 * A gateway must be able to pass on what it accepts from its clients, and adds headers of its own: nginx accepts 32 kB,
 * and Apache httpd, Envoy and Traefik up to 60 kB or more only if they are configured so. A connection holds so much
 * memory only until its head is complete, at most for `headersTimeout`.
 */
const maxHeadBytes = 64 * 1024;

/** About two milliseconds of work. Most gateways have fewer connections than this, so that only floods wait. */
const maxStartsPerTurn = 128;

type Response = ServerResponse<GatewayRequest>;

function createPort(options: PortOptions, endpoints: readonly GatewayEndpoint[]): Server {
  const { requests, traces, report, networks } = options;
  const { headers: keyHeaders } = options.authorize.keyLocations;
  const pace = rejectionPace();
  const router = new Router(endpoints);
  const turns = new Turns({ maxPerTurn: maxStartsPerTurn });
  const answer = (request: GatewayRequest, response: Response, network: ClientNetwork, startedAt: number) => {
    const url = targetOf(request);
    const endpoint = router.find(request.method ?? '', url);
    const { route, convention = null, challenge = 'Bearer', isOAuth = false, isTraced = false } = endpoint;
    const span = isTraced && traces !== null ? traces.startVerification(route, traceparentOf(request.headers)) : null;
    const exchange: Exchange = {
      requests,
      pace,
      report,
      network,
      request,
      response,
      route,
      convention,
      challenge,
      isOAuth,
      startedAt,
      span,
    };
    try {
      const repeated = repeatedHeaderError(request.rawHeaders, keyHeaders);
      if (repeated !== null) throw repeated;
      endpoint.answer(exchange, url);
    } catch (error) {
      sendError(exchange, error);
    }
  };
  const begin = (request: GatewayRequest, response: Response, network: ClientNetwork, startedAt: number) => {
    // The client disconnected while the request waited.
    if (response.destroyed) return;
    request.begin();
    answer(request, response, network, startedAt);
    request.deliver();
  };
  const serve = (request: GatewayRequest, response: Response) => {
    const startedAt = performance.now();
    const { network, name } = networks.of(request.socket);
    if (turns.start()) begin(request, response, network, startedAt);
    else turns.wait(network.name, name, () => begin(request, response, network, startedAt));
  };
  const serverOptions = {
    IncomingMessage: GatewayRequest,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 1000,
    maxHeaderSize: maxHeadBytes,
  };
  const listener = inOrder<typeof GatewayRequest>(serve, maxPipelined, (socket) =>
    networks.delayNewConnections(socket),
  );
  const server = createServer(serverOptions, listener);
  server.on('connection', (socket: Socket) => networks.add(socket));
  // Limits how long a client that sends slowly can hold a connection.
  server.headersTimeout = 5000;
  server.requestTimeout = 10_000;
  answerRejectedRequests(server, maxHeadBytes);
  return server;
}

function targetOf(request: IncomingMessage): string {
  const { url = '' } = request;
  const absolute = url.startsWith('/') ? null : originForm(url);
  if (absolute === null) return url;
  request.headers.host = absolute.host;
  return absolute.target;
}
