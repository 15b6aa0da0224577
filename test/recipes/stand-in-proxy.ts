/**
 * Shared code of the stand-ins for Traefik and Envoy, which are not available from npm or Debian. Each stand-in reads the
 * recipe's configuration, rejects unknown settings, and handles a request as the documentation and source of the gateway
 * describe for these settings.
 */
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen, stopListening } from '../support/gateway.ts';

export interface RunningProxy {
  /** Over HTTP/1.1. */
  readonly origin: string;
  /** Over HTTP/2, in clear text and with prior knowledge; null for a stand-in. */
  readonly http2Origin: string | null;
  readonly stop: () => Promise<void>;
}

/** A request with all of its body, and its headers in lower case, each with one line or several. */
export interface ClientRequest {
  readonly method: string;
  readonly path: string;
  readonly address: string;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

export type Headers = Map<string, string[]>;

export async function startStandIn(handle: (incoming: ClientRequest) => Promise<Answer>): Promise<RunningProxy> {
  const server = createServer((incoming: IncomingMessage, response: ServerResponse) => {
    respond(incoming, handle).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      (error) => response.destroy(error),
    );
  });
  return { origin: await listen(server), http2Origin: null, stop: () => stopListening(server) };
}

async function respond(incoming: IncomingMessage, handle: (incoming: ClientRequest) => Promise<Answer>) {
  const headers: Headers = new Map();
  for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
    const name = incoming.rawHeaders[i]?.toLowerCase() ?? '';
    headers.set(name, [...(headers.get(name) ?? []), incoming.rawHeaders[i + 1] ?? '']);
  }
  return await handle({
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    address: incoming.socket.remoteAddress ?? '',
    headers,
    body: await buffer(incoming),
  });
}

const hopByHop = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'proxy-connection'];

/** A request of the gateway's own, framed anew: to Latchkey, or to the API. Rejects when there is no answer in time. */
export async function exchange(
  { hostname, port }: { readonly hostname: string; readonly port: number | string },
  sent: { readonly method: string; readonly path: string; readonly headers: Headers; readonly body: Buffer },
  { timeoutMs = 30_000, alwaysWithLength = false } = {},
): Promise<Answer> {
  const { method, path, body } = sent;
  // Node takes no list for Host.
  const lines = [...sent.headers].map(([name, values]) => [name, values.length === 1 ? values[0] : values]);
  const headers = withoutHops(Object.fromEntries(lines));
  if (body.length > 0) headers['content-length'] = body.length;
  else if (method !== 'GET' || alwaysWithLength) headers['content-length'] = 0;
  return await new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const asked = request({ hostname, port, method, path, headers, agent: false, signal }, (response) => {
      buffer(response).then((answered) => {
        resolve({ status: response.statusCode ?? 0, headers: withoutHops(response.headers), body: answered });
      }, reject);
    });
    asked.on('error', reject).end(body);
  });
}

function withoutHops(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !hopByHop.includes(name) && name !== 'content-length'),
  );
}
