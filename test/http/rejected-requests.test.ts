/** Requests that Node.js rejects before an endpoint has them get a problem document, on every HTTP port. */
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createMetricsServer } from '../../src/metrics/server.ts';
import { answerRejectedRequests } from '../../src/ports/rejected-requests.ts';
import { edgePort, listen, sharedGateway, stopListening } from '../support/gateway.ts';
import { exchangeBytes } from '../support/raw-exchange.ts';

const gateway = sharedGateway('sqlite');
const metrics = createMetricsServer({ read: async () => '', token: null, report: () => undefined });
const edge = edgePort(() => undefined);

let urls: Readonly<Record<string, string>>;
beforeAll(async () => {
  urls = {
    management: gateway.running.url,
    verification: gateway.url,
    edge: await listen(edge),
    metrics: await listen(metrics),
  };
  // Node.js looks for slow requests once per second.
  for (const server of [gateway.running.server, gateway.running.service.gateway, edge, metrics]) {
    server.requestTimeout = 500;
    server.headersTimeout = 500;
  }
  return async () => {
    for (const server of [edge, metrics]) await stopListening(server);
  };
});

/** The answer, of which everything is read until the connection ends. */
async function answerTo(port: string, sent: string) {
  const received = await exchangeBytes(urls[port] ?? '', sent);
  const [head = '', body = ''] = received.split('\r\n\r\n');
  const [status = '', ...fields] = head.split('\r\n');
  return { status, fields: fields.map((field) => field.toLowerCase()), body };
}

describe.each(['management', 'verification', 'edge', 'metrics'])('the %s port', (port) => {
  it.each([
    ['a head that does not end', 'POST /v1/verify HTTP/1.1\r\nHost: x\r\n', 408, 'REQUEST_TIMEOUT'],
    ['a request that is not HTTP', '\x16\x03\x01\r\n\r\n', 400, 'BAD_USER_INPUT'],
    ['a URL that is too long', `GET /${'x'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['too many headers', `GET / HTTP/1.1\r\n${'Cookie: x\r\n'.repeat(100_000)}\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['two lengths', 'GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, 'BAD_USER_INPUT'],
  ])('answers %s with a problem document, and closes the connection', async (_, sent, status, code) => {
    const answer = await answerTo(port, sent);
    expect(answer.status).toMatch(new RegExp(`^HTTP/1.1 ${status} [A-Z]`));
    expect(answer.fields).toEqual([
      expect.stringMatching(/^date: .* gmt$/),
      'content-type: application/problem+json',
      `content-length: ${Buffer.byteLength(answer.body)}`,
      'cache-control: no-store',
      'connection: close',
    ]);
    const { type, title, detail, ...problem } = JSON.parse(answer.body);
    expect(problem).toEqual({ status, code });
    expect([type, typeof title, typeof detail]).toEqual([`urn:latchkey:problem:${code}`, 'string', 'string']);
  });
});

it.each([
  ['management', 15_000, 17_000, 16_384],
  ['verification', 63_000, 66_000, 65_536],
  ['edge', 63_000, 66_000, 65_536],
  ['metrics', 15_000, 17_000, 16_384],
])(
  'the %s port accepts %i bytes of URL and headers, and says of %i that it accepts %i',
  async (port, few, many, limit) => {
    const ask = (bytes: number) =>
      answerTo(
        port,
        `GET /${'x'.repeat(bytes / 2)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\na: ${'y'.repeat(bytes / 2)}\r\n\r\n`,
      );
    expect((await ask(few)).status).toBe('HTTP/1.1 404 Not Found');
    expect(JSON.parse((await ask(many)).body).detail).toBe(
      `The URL and the headers may have at most ${limit} bytes together, and 1000 headers.`,
    );
  },
);

it.each(['management', 'verification', 'edge', 'metrics'])(
  'the %s port names the limit of 1000 headers',
  async (port) => {
    const ask = (headers: number) =>
      answerTo(port, `GET /x HTTP/1.1\r\nHost: x\r\n${'a:b\r\n'.repeat(headers - 2)}Connection: close\r\n\r\n`);
    expect((await ask(1000)).status).toBe('HTTP/1.1 404 Not Found');
    expect(JSON.parse((await ask(1001)).body).detail).toMatch(/ and 1000 headers\.$/);
  },
);

it.each(['verification', 'edge'])('a body that does not arrive in time gets 408 at the %s port', async (port) => {
  const answer = await answerTo(port, 'POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
  expect([answer.status, JSON.parse(answer.body).code]).toEqual(['HTTP/1.1 408 Request Timeout', 'REQUEST_TIMEOUT']);
});

it('an answer that has begun is not followed by another', async () => {
  const server = createServer((_, response) => void response.write('begun'));
  answerRejectedRequests(server);
  const { port } = new URL(await listen(server));
  onTestFinished(() => stopListening(server));
  const socket = connect(Number(port), '127.0.0.1');
  const received = text(socket);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.once('data', () => socket.write('not HTTP\r\n\r\n'));
  expect(await received).toMatch(/begun\r\n$/);
});
