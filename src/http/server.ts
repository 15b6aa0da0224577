import { createServer, type RequestListener, type Server } from 'node:http';
import { answerRejectedRequests } from '../ports/rejected-requests.ts';

/** Returns the server of the management port. */
export function createManagementServer(app: RequestListener): Server {
  const server = createServer({ connectionsCheckingInterval: 1000 }, app);
  // A client that sends its request slowly must not hold a connection for long.
  server.headersTimeout = 10_000;
  server.requestTimeout = 20_000;
  // Longer than the 60 s for which load balancers keep idle connections, so that they reuse no closed connection.
  server.keepAliveTimeout = 65_000;
  answerRejectedRequests(server);
  return server;
}
