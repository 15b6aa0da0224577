/** The metrics port. The other ports may be public, and must not reveal how many requests are verified or rejected. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { repeatedHeader } from '../domain/repeated-header.ts';
import { AcceptedTokens } from '../lib/accepted-tokens.ts';
import { bearerToken } from '../lib/bearer-token.ts';
import { answerRejectedRequests } from '../ports/rejected-requests.ts';

interface MetricsServerOptions {
  readonly read: () => Promise<string>;
  /** The bearer token of the scraper. Null if METRICS_TOKEN is not set. */
  readonly token: string | null;
  readonly report: (error: unknown, what: string) => void;
}

const contentType = 'text/plain; version=0.0.4; charset=utf-8';

export function createMetricsServer({ read, token, report }: MetricsServerOptions): Server {
  const tokens = token === null ? null : new AcceptedTokens([token]);
  let reading: Promise<string> | null = null;
  const readShared = async () => {
    reading ??= read().finally(() => {
      reading = null;
    });
    return await reading;
  };
  // Prometheus usually scrapes once a minute. The connection stays open for longer, so that each scrape can reuse it.
  const server = createServer({ keepAliveTimeout: 65_000, connectionsCheckingInterval: 1000 }, (request, response) => {
    const { method, url = '', headers, rawHeaders } = request;
    if (repeatedHeader(rawHeaders) !== null) send(response, 400, 'Host and Authorization must be given once.\n');
    else if (url.split('?', 1)[0] !== '/metrics') send(response, 404, 'There is only /metrics here.\n');
    else if (method !== 'GET' && method !== 'HEAD') {
      send(response.setHeader('allow', 'GET, HEAD'), 405, 'Only GET is possible here.\n');
    } else if (tokens !== null && !tokens.has(bearerToken(headers.authorization))) {
      send(response.setHeader('www-authenticate', 'Bearer'), 401, 'METRICS_TOKEN is needed here.\n');
    } else {
      readShared().then(
        (text) => send(response, 200, text),
        (error) => {
          report(error, 'metrics could not be read');
          send(response, 500, 'The metrics could not be read.\n');
        },
      );
    }
  });
  server.headersTimeout = 5000;
  server.requestTimeout = 10_000;
  answerRejectedRequests(server);
  return server;
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': status === 200 ? contentType : 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}
