/** A sender of webhooks, and servers on the loopback interface that it sends to. */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { type IpAddress, parseIpAddress } from '../../src/domain/source/ip-address.ts';
import { parseAllowedNetwork } from '../../src/domain/webhook/delivery-address.ts';
import { WebhookSender, type WebhookSenderOptions } from '../../src/events/sender/webhook-sender.ts';

export const addressOf = (text: string): IpAddress => {
  const address = parseIpAddress(text);
  if (address === null) throw new Error(`${text} is no address`);
  return address;
};
export const networkOf = (text: string) => {
  const network = parseAllowedNetwork(text);
  if (!network.ok) throw new Error(network.problem);
  return network.value;
};

/** Listens until the end of the test. Counts connections and those that are still open. */
export async function listen<S extends Server>(server: S, host = '127.0.0.1', listenPort = 0) {
  const sockets = new Set<Socket>();
  const counts = { connections: 0 };
  server.on('connection', (socket: Socket) => {
    counts.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.listen(listenPort, host);
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, counts, sockets };
}

/** Connections stay open while they are idle, however slow the machine is. */
export const keepAliveTimeout = 600_000;

export const http = async (listener: RequestListener, host?: string, port?: number) =>
  await listen(createHttpServer({ keepAliveTimeout }, listener), host, port);

/** A server that calls back for each connection once a request has arrived. */
export async function raw(answer: (socket: Socket) => void) {
  return await listen(createTcpServer((socket) => socket.on('data', () => answer(socket))));
}

/** Resolves when the server has no open connection. */
export async function allClosed({ sockets }: { readonly sockets: ReadonlySet<Socket> }) {
  // Not `once`, which rejects if a connection is reset.
  await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.on('close', resolve))));
  expect(sockets.size).toBe(0);
}

export function createSender(options: Partial<WebhookSenderOptions> = {}) {
  const sender = new WebhookSender({
    addressesOf: async () => [addressOf('127.0.0.1')],
    allowedNetworks: [networkOf('127.0.0.0/8')],
    userAgent: 'latchkey/test',
    // Longer than a test may take, so that no other test ends by it.
    timeoutMs: 600_000,
    ...options,
  });
  onTestFinished(() => sender.close());
  return sender;
}

/** For servers that do not answer. */
export const timeoutMs = 150;
export const webhook = (url: string) => ({
  url,
  teamId: 'team',
  headers: { 'content-type': 'application/json' },
  body: '{"a":1}',
});
export const hook = (port: number) => webhook(`http://hooks.invalid:${port}/hook`);
export const failure = (error: string) => ({
  ok: false,
  status: null,
  durationMs: expect.any(Number),
  responseBody: '',
  error,
  retryAfterMs: null,
  isGone: false,
  cpuMs: expect.any(Number),
});

export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
