/** The verification port. It uses plain `node:http`, which answers six times as many requests per second as Express. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { repeatedHeaderError } from '../domain/repeated-header.ts';
import { originForm } from '../domain/request-target.ts';
import { traceparentOf } from '../traces/spans.ts';
import type { Endpoint } from './endpoint.ts';
import { authorizeEndpoint } from './endpoints/authorize.ts';
import { feedEndpoints } from './endpoints/feed.ts';
import { healthEndpoints } from './endpoints/health.ts';
import { revokeSelfEndpoint } from './endpoints/revoke-self.ts';
import { showSelfEndpoint } from './endpoints/show-self.ts';
import { verifyEndpoint } from './endpoints/verify.ts';
import { type Exchange, sendError } from './exchange.ts';
import { GatewayRequest } from './gateway-request.ts';
import type { GatewayOptions, PortOptions } from './options.ts';
import { RejectionPace } from './rejection-pace.ts';
import { Router } from './router.ts';

export function createGateway(options: GatewayOptions): Server {
  return createPort(options, [
    ...sharedEndpoints(options),
    revokeSelfEndpoint(options),
    showSelfEndpoint(options),
    ...feedEndpoints(options),
  ]);
}

/** The verification port of an edge, which has neither a store nor management. */
export function createEdgeGateway(options: PortOptions): Server {
  return createPort(options, sharedEndpoints(options));
}

function sharedEndpoints(options: PortOptions): Endpoint[] {
  return [verifyEndpoint(options), authorizeEndpoint(options), ...healthEndpoints(options)];
}

function createPort({ requests, traces, report }: PortOptions, endpoints: readonly Endpoint[]): Server {
  const pace = new RejectionPace();
  const router = new Router(endpoints);
  const settings = { IncomingMessage: GatewayRequest, keepAliveTimeout: 65_000, connectionsCheckingInterval: 1000 };
  const server = createServer(settings, (request, response) => {
    const startedAt = performance.now();
    const url = targetOf(request);
    const endpoint = router.find(request.method ?? '', url);
    const { route, convention = null, isTraced = false } = endpoint;
    const span = isTraced && traces !== null ? traces.startVerification(route, traceparentOf(request.headers)) : null;
    const exchange: Exchange = { requests, pace, report, request, response, route, convention, startedAt, span };
    try {
      const repeated = repeatedHeaderError(request.rawHeaders);
      if (repeated !== null) throw repeated;
      endpoint.answer(exchange, url);
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
