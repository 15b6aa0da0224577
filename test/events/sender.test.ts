/** The sender of webhooks, against servers on the loopback interface that behave badly. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type IpAddress, parseIpAddress } from '../../src/domain/source/ip-address.ts';
import { parseAllowedNetwork } from '../../src/domain/webhook/delivery-address.ts';
import { maxResponseBodyBytes } from '../../src/events/sender/attempt.ts';
import { WebhookSender, type WebhookSenderOptions } from '../../src/events/sender/webhook-sender.ts';
import { certificateAuthority } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';

const addressOf = (text: string): IpAddress => {
  const address = parseIpAddress(text);
  if (address === null) throw new Error(`${text} is no address`);
  return address;
};
const networkOf = (text: string) => {
  const network = parseAllowedNetwork(text);
  if (!network.ok) throw new Error(network.problem);
  return network.value;
};

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
if (!hasIpv6) console.warn('No webhook is sent to an IPv6 address: this machine has no ::1');

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Listens until the end of the test. Counts connections and those that are still open. */
async function listen<S extends Server>(server: S, host = '127.0.0.1', listenPort = 0) {
  const sockets = new Set<Socket>();
  const counts = { connections: 0 };
  server.on('connection', (socket: Socket) => {
    counts.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.listen(listenPort, host);
  await once(server, 'listening');
  stops.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, counts, sockets };
}

/** Connections stay open while they are idle, however slow the machine is. */
const keepAliveTimeout = 600_000;

const http = async (listener: RequestListener, host?: string, port?: number) =>
  await listen(createHttpServer({ keepAliveTimeout }, listener), host, port);

/** A server that calls back for each connection once a request has arrived. */
async function raw(answer: (socket: Socket) => void) {
  return await listen(createTcpServer((socket) => socket.on('data', () => answer(socket))));
}

/** Resolves when the server has no open connection. */
async function allClosed({ sockets }: { readonly sockets: ReadonlySet<Socket> }) {
  // Not `once`, which rejects if a connection is reset.
  await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.on('close', resolve))));
  expect(sockets.size).toBe(0);
}

function createSender(options: Partial<WebhookSenderOptions> = {}) {
  const sender = new WebhookSender({
    addressesOf: async () => [addressOf('127.0.0.1')],
    allowedNetworks: [networkOf('127.0.0.0/8')],
    userAgent: 'latchkey/test',
    // Longer than a test may take, so that no other test ends by it.
    timeoutMs: 600_000,
    ...options,
  });
  stops.unshift(async () => sender.close());
  return sender;
}

/** For servers that do not answer. */
const timeoutMs = 150;
const webhook = (url: string) => ({
  url,
  teamId: 'team',
  headers: { 'content-type': 'application/json' },
  body: '{"a":1}',
});
const hook = (port: number) => webhook(`http://hooks.invalid:${port}/hook`);
const failure = (error: string) => ({
  ok: false,
  status: null,
  durationMs: expect.any(Number),
  responseBody: '',
  error,
  retryAfterMs: null,
  isGone: false,
});

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a request', () => {
  it('is a POST of the body as it is, with the headers, and its answer is recorded', async () => {
    const seen: unknown[] = [];
    const { port } = await http(async (request, response) => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body: await textOf(request) });
      response.writeHead(202).end('{\n  "received": true\r\n}');
    });
    const body = '{"name":"Ключ"}';
    const headers = { 'content-type': 'application/json', 'webhook-id': 'evt_1' };
    const url = `http://HOOKS.invalid.:${port}/a%20b?c=d&e`;
    expect(await createSender().send({ url, teamId: 'team', headers, body })).toEqual({
      ok: true,
      status: 202,
      durationMs: expect.any(Number),
      responseBody: '{   "received": true  }',
      error: null,
      retryAfterMs: null,
      isGone: false,
    });
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/a%20b?c=d&e',
        body,
        headers: {
          'accept-encoding': 'identity',
          connection: 'keep-alive',
          'content-length': String(Buffer.byteLength(body)),
          'content-type': 'application/json',
          host: `hooks.invalid:${port}`,
          'user-agent': 'latchkey/test',
          'webhook-id': 'evt_1',
        },
      },
    ]);
  });

  it('may have a body of bytes, such as a compressed batch', async () => {
    const batch = gzipSync('{}\n'.repeat(500));
    const { port } = await http(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      response.end(String(Buffer.concat(chunks).equals(batch)));
    });
    const attempt = await createSender().send({ ...hook(port), body: batch });
    expect(attempt.responseBody).toBe('true');
  });

  it.each([
    [200, { ok: true, error: null }],
    [204, { ok: true, error: null }],
    [299, { ok: true, error: null }],
    [301, { ok: false, error: 'redirects are not followed' }],
    [304, { ok: false, error: 'redirects are not followed' }],
    [307, { ok: false, error: 'redirects are not followed' }],
    [400, { ok: false, error: null }],
    [404, { ok: false, error: null }],
    [410, { ok: false, error: null, isGone: true }],
    [500, { ok: false, error: null }],
    [599, { ok: false, error: null }],
  ])('that is answered with %d is judged by the status', async (status, expected) => {
    let requests = 0;
    const { port } = await http((_, response) => {
      requests += 1;
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect(await createSender().send(hook(port))).toMatchObject({ status, isGone: false, ...expected });
    expect(requests).toBe(1);
  });

  it.each([
    [429, '120', 120_000],
    [503, '3600', 3_600_000],
    [503, '999999', 86_400_000],
    [500, 'later', null],
    [200, '120', null],
  ])('that is answered with %d and Retry-After: %s waits for %s ms', async (status, retryAfter, retryAfterMs) => {
    const { port } = await http((_, response) => response.writeHead(status, { 'retry-after': retryAfter }).end());
    expect(await createSender().send(hook(port))).toMatchObject({ status, retryAfterMs });
  });

  it('is aborted by the signal, by close, and not sent after either', async () => {
    const server = await raw(() => undefined);
    const sender = createSender();
    const abort = new AbortController();
    const aborted = sender.send(hook(server.port), abort.signal);
    const closed = sender.send(hook(server.port));
    await expect.poll(() => server.counts.connections).toBe(2);
    abort.abort(new Error('stop'));
    await expect(aborted).rejects.toThrow('stop');
    sender.close();
    await expect(closed).rejects.toThrow('the sender of webhooks is closed');
    await allClosed(server);
    await expect(sender.send(hook(server.port))).rejects.toThrow('the sender of webhooks is closed');
    await expect(createSender().send(hook(server.port), abort.signal)).rejects.toThrow('stop');
    expect(server.counts.connections).toBe(2);
  });
});

describe('an address', () => {
  const notAllowed = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[fd00:ec2::254]',
  ];

  it.each(notAllowed)('that is not public is rejected, as an answer of DNS and in the URL: %s', async (host) => {
    const server = await listen(createTcpServer());
    const address = addressOf(new URL(`http://${host}`).hostname.replace(/[[\]]/g, ''));
    const sender = createSender({ allowedNetworks: [], addressesOf: async () => [address] });
    expect(await sender.send(webhook(`https://${host}:${server.port}/`))).toEqual(
      failure('the address is not allowed'),
    );
    expect(await sender.send(webhook(`https://hooks.example:${server.port}/`))).toEqual(
      failure('the address is not allowed'),
    );
    expect(server.counts.connections).toBe(0);
  });

  it('that is not allowed rejects all addresses of its name', async () => {
    const server = await listen(createTcpServer());
    for (const other of ['10.0.0.1', '::1', '169.254.169.254', '127.0.0.2']) {
      for (const addresses of [
        ['127.0.0.1', other],
        [other, '127.0.0.1'],
        [...Array(20).fill('127.0.0.1'), other],
      ]) {
        const sender = createSender({
          allowedNetworks: [networkOf('127.0.0.1')],
          addressesOf: async () => addresses.map(addressOf),
        });
        expect(await sender.send(hook(server.port))).toEqual(failure('the address is not allowed'));
      }
    }
    expect(server.counts.connections).toBe(0);
  });

  it('outside allowed networks gets neither http nor a port of another service', async () => {
    const sender = createSender({ addressesOf: async () => [addressOf('127.0.0.1'), addressOf('1.1.1.1')] });
    expect(await sender.send(webhook('http://hooks.example/'))).toEqual(failure('http is not allowed'));
    expect(await sender.send(webhook('https://hooks.example:25/'))).toEqual(failure('the port is not allowed'));
  });

  it('is the one that was checked, whatever DNS answers to other queries', async () => {
    const server = await http((_, response) => response.end('checked'));
    const other = await http((_, response) => response.end('other'), '127.0.0.2', server.port);
    const queries: string[] = [];
    const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
    const sender = createSender({
      allowedNetworks: [networkOf('127.0.0.1'), networkOf('127.0.0.2')],
      addressesOf: async (host, team) => {
        queries.push(`${team} ${host}`);
        return [addressOf(answers[queries.length - 1] ?? '')];
      },
    });
    expect(await sender.send(hook(server.port))).toMatchObject({ ok: true, responseBody: 'checked' });
    expect(queries).toEqual(['team hooks.invalid']);
    // The connection to the previous address is idle, but is not used for the next one.
    expect(await sender.send(hook(server.port))).toMatchObject({ ok: true, responseBody: 'other' });
    expect(await sender.send(hook(server.port))).toEqual(failure('the address is not allowed'));
    expect(queries).toHaveLength(3);
    expect([server.counts.connections, other.counts.connections]).toEqual([1, 1]);
  });

  it.skipIf(!hasIpv6)('may be an IPv6 address in the URL', async () => {
    const { port } = await http((request, response) => response.end(request.headers.host), '::1');
    const sender = createSender({ allowedNetworks: [networkOf('::1')] });
    const responseBody = `[::1]:${port}`;
    expect(await sender.send(webhook(`http://[0:0::1]:${port}/`))).toMatchObject({ ok: true, responseBody });
  });

  it('is tried after another one of the same name that rejects connections', async () => {
    const { port } = await http((_, response) => response.end());
    const addresses = ['127.0.0.3', '127.0.0.1'].map(addressOf);
    expect(await createSender({ addressesOf: async () => addresses }).send(hook(port))).toMatchObject({ ok: true });
  });

  it('that does not exist, cannot be resolved, or rejects connections is an error of its own', async () => {
    const closedPort = await freePort();
    expect(await createSender().send(hook(closedPort))).toEqual(failure('the connection was refused'));
    const none = createSender({ addressesOf: async () => [] });
    expect(await none.send(hook(80))).toEqual(failure('the name has no address'));
    const failing = createSender({ addressesOf: () => Promise.reject(new Error('too many callers wait for DNS')) });
    expect(await failing.send(hook(80))).toEqual(failure('the name could not be resolved'));
  });
});

describe('a receiver', () => {
  const partly = { ok: true, status: 200, error: null };

  it.each<[string, (socket: Socket) => void]>([
    ['reads the request and never answers', () => undefined],
    ['sends the headers one character at a time', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx: ')],
    ['sends a header without an end', (socket) => socket.write('HTTP/1.1 200 OK\r\nx')],
    [
      'announces an answer with 100 and 102',
      (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n'),
    ],
  ])('that %s costs one timeout, and no connection after it', async (_, answer) => {
    const server = await raw(answer);
    expect(await createSender({ timeoutMs }).send(hook(server.port))).toEqual(failure('timed out'));
    await allClosed(server);
  });

  it('whose name takes forever to resolve costs one timeout', async () => {
    const sender = createSender({ timeoutMs, addressesOf: () => new Promise(() => undefined) });
    expect(await sender.send(hook(80))).toEqual(failure('timed out'));
  });

  it('that does not finish the TLS handshake costs one timeout', async () => {
    const server = await raw(() => undefined);
    const sender = createSender({ timeoutMs });
    expect(await sender.send(webhook(`https://hooks.invalid:${server.port}`))).toEqual(failure('timed out'));
    await allClosed(server);
  });

  it.each<[string, (socket: Socket) => void, string]>([
    ['resets the connection', (socket) => socket.resetAndDestroy(), 'the connection was closed'],
    ['closes the connection', (socket) => socket.end(), 'the connection was closed'],
    [
      'closes the connection in the headers',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nx: y'),
      'the connection was closed',
    ],
    [
      'switches to another protocol',
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      'the connection was closed',
    ],
    ['is an SSH server', (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'), 'the answer is not valid HTTP'],
    [
      'is an HTTP/2 server',
      (socket) => socket.write(Buffer.from('000012040000000000', 'hex')),
      'the answer is not valid HTTP',
    ],
    [
      'has two lengths',
      (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\na'),
      'the answer is not valid HTTP',
    ],
    [
      'has a header of 20 kB',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`),
      'the answer is too long',
    ],
    ['sends headers forever', (socket) => flood(socket, 'a: b\r\n', 'HTTP/1.1 200 OK\r\n'), 'the answer is too long'],
    [
      'sends 1xx answers forever',
      (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
      'the answer is too long',
    ],
    ['sends empty lines forever', (socket) => flood(socket, '\r\n'), 'the answer is too long'],
  ])('that %s fails at once, and is disconnected', async (_, answer, error) => {
    const server = await raw(answer);
    expect(await createSender().send(hook(server.port))).toEqual(failure(error));
    await allClosed(server);
  });

  it('with http at a URL with https fails the handshake', async () => {
    const { port } = await http((_, response) => response.end());
    expect(await createSender().send(webhook(`https://hooks.invalid:${port}`))).toEqual(
      failure('the TLS handshake failed'),
    );
  });

  const start = 'HTTP/1.1 200 OK\r\n';
  it.each<[string, (socket: Socket) => void]>([
    ['an endless body', (socket) => flood(socket, 'x', `${start}\r\n`)],
    [
      'a longer body that does not end',
      (socket) => socket.write(`${start}\r\n${'x'.repeat(maxResponseBodyBytes + 1)}`),
    ],
    ['an endless chunked body', (socket) => flood(socket, '1\r\nx\r\n', `${start}transfer-encoding: chunked\r\n\r\n`)],
    ['an announced body of 1 TB', (socket) => flood(socket, 'x', `${start}content-length: 1000000000000\r\n\r\n`)],
  ])('with %s is read to 1,024 bytes, and disconnected', async (_, answer) => {
    const server = await raw(answer);
    const responseBody = 'x'.repeat(maxResponseBodyBytes);
    expect(await createSender().send(hook(server.port))).toMatchObject({ ...partly, responseBody });
    await allClosed(server);
  });

  it.each<[string, (socket: Socket) => void]>([
    [
      'endless trailers',
      (socket) => flood(socket, 'a: b\r\n', `${start}transfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n`),
    ],
    [
      'an endless chunk extension',
      (socket) => flood(socket, 'a', `${start}transfer-encoding: chunked\r\n\r\n1\r\nx\r\n1;`),
    ],
    ['a body that is cut off', (socket) => socket.end(`${start}content-length: 2\r\n\r\nx`)],
  ])('with %s has answered with its status', async (_, answer) => {
    const server = await raw(answer);
    expect(await createSender().send(hook(server.port))).toMatchObject(partly);
    await allClosed(server);
  });

  it('that never ends the body has answered with its status, at the timeout', async () => {
    const server = await raw((socket) => drip(socket, `${start}content-length: 1000\r\n\r\n`, start.length + 24));
    const attempt = await createSender({ timeoutMs: 3000 }).send(hook(server.port));
    expect(attempt).toMatchObject(partly);
    expect(attempt.responseBody).toMatch(/^x*$/);
    await allClosed(server);
  });

  it('that answers without reading a large body is disconnected', async () => {
    const server = await listen(
      createTcpServer((socket) => {
        socket.once('data', () => {
          socket.pause();
          socket.write(`${start}content-length: 0\r\n\r\n`);
        });
      }),
    );
    const attempt = await createSender().send({ ...hook(server.port), body: Buffer.alloc(20_000_000) });
    expect(attempt).toMatchObject({ ok: true, status: 200 });
    for (const socket of server.sockets) socket.resume();
    await allClosed(server);
  });

  it('with a compressed answer of 10 MB is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const { port } = await http((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const { responseBody } = await createSender().send(hook(port));
    expect(Buffer.byteLength(responseBody)).toBeLessThanOrEqual(maxResponseBodyBytes);
  });

  it.each([
    [
      'control characters',
      Buffer.from('a\0b\u001b[31mc\u0085d\u202ee\r\nf\tg'),
      'a\ufffdb\ufffd[31mc\ufffdd\ufffde  f g',
    ],
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0xc3, 0x28]), 'a\ufffd\ufffd('],
    ['a character that is cut off at the limit', Buffer.from(`${'x'.repeat(1023)}é`), 'x'.repeat(1023)],
    ['only invalid bytes', Buffer.alloc(1024, 0xff), '\ufffd'.repeat(341)],
  ])('with %s in the body has an answer that can be stored and shown', async (_, body, responseBody) => {
    const { port } = await http((_, response) => response.end(body));
    expect(await createSender().send(hook(port))).toMatchObject({ ok: true, responseBody });
  });
});

/** Writes the start at once, up to `written` characters, and the rest and more one character at a time. */
function drip(socket: Socket, text: string, written = 0): void {
  let sent = written;
  socket.write(text.slice(0, written));
  const timer = setInterval(() => {
    socket.write(text.charAt(sent) || 'x');
    sent += 1;
  }, 5);
  socket.on('close', () => clearInterval(timer));
}

/** Writes the text again and again, as fast as it is read. */
function flood(socket: Socket, text: string, start = ''): void {
  const many = text.repeat(Math.ceil(10_000 / text.length));
  socket.write(start);
  const write = () => {
    while (socket.writable && socket.write(many));
  };
  socket.on('drain', write);
  write();
}

describe('a connection', () => {
  const countRemotePorts = (seen: Set<number>) => (request: IncomingMessage, response: ServerResponse) => {
    seen.add(request.socket.remotePort ?? 0);
    response.end('ok');
  };

  it('is used again by the same team for the same address, and not by another team', async () => {
    const { port, counts } = await http((_, response) => response.end('ok'));
    const sender = createSender();
    for (let i = 0; i < 5; i += 1) expect(await sender.send(hook(port))).toMatchObject({ ok: true });
    expect(counts.connections).toBe(1);
    expect(await sender.send({ ...hook(port), teamId: 'other' })).toMatchObject({ ok: true });
    expect(counts.connections).toBe(2);
  });

  it('is replaced once if the receiver closed it while it was idle', async () => {
    const seen = new Set<number>();
    const server = await http(countRemotePorts(seen));
    const sender = createSender();
    expect(await sender.send(hook(server.port))).toMatchObject({ ok: true });
    // The receiver closes it when the next request arrives, before it reads that request.
    for (const socket of server.sockets) {
      socket.removeAllListeners('data').on('data', () => socket.resetAndDestroy());
    }
    expect(await sender.send(hook(server.port))).toMatchObject({ ok: true });
    expect(seen.size).toBe(2);
  });

  it('ends after an answer that the receiver sent too early', async () => {
    const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n';
    const server = await raw((socket) => socket.write(`${answer}aHTTP/1.1 201 Created\r\ncontent-length: 1\r\n\r\nb`));
    const sender = createSender();
    for (let i = 0; i < 2; i += 1) {
      expect(await sender.send(hook(server.port))).toMatchObject({ status: 200, responseBody: 'a' });
    }
    expect(server.counts.connections).toBe(2);
  });

  it('is one of at most 256 idle ones, and at most two of a team to a receiver', async () => {
    const held: ServerResponse[] = [];
    const server = await http((_, response) => held.push(response));
    const sender = createSender();
    const teams = [...Array.from({ length: 300 }, (_, i) => `team ${i}`), 'team 0', 'team 0'];
    const attempts = teams.map((teamId) => sender.send({ ...hook(server.port), teamId }));
    await expect.poll(() => held.length).toBe(teams.length);
    for (const response of held) response.end();
    await Promise.all(attempts);
    await expect.poll(() => server.sockets.size).toBe(256);
  });

  it('is closed by close', async () => {
    const server = await http((_, response) => response.end('ok'));
    const sender = createSender();
    await sender.send(hook(server.port));
    expect(server.sockets.size).toBe(1);
    sender.close();
    await allClosed(server);
  });
});

describe('TLS', () => {
  const authority = certificateAuthority();
  const before = getCACertificates('default');
  beforeAll(() => setDefaultCACertificates([...before, authority.certificate]));
  afterAll(() => setDefaultCACertificates(before));

  const https = async (options: ServerOptions) =>
    await listen(
      createHttpsServer({ keepAliveTimeout, ...options }, (request, response) => response.end(request.headers.host)),
    );

  it('accepts a certificate of a trusted authority for the name, and uses the connection again', async () => {
    const { port, counts } = await https(authority.issue('hooks.invalid'));
    const sender = createSender();
    for (let i = 0; i < 3; i += 1) {
      expect(await sender.send(webhook(`https://hooks.invalid:${port}/`))).toMatchObject({
        ok: true,
        responseBody: `hooks.invalid:${port}`,
      });
    }
    expect(counts.connections).toBe(1);
  });

  it.each([
    ['for another name', authority.issue('other.invalid')],
    ['that has expired', authority.issue('hooks.invalid', new Date(Date.now() - 1000))],
    ['of an unknown authority', certificateAuthority('Another authority').issue('hooks.invalid')],
  ])('rejects a certificate %s, and sends nothing', async (_, options) => {
    const requests: string[] = [];
    const { port } = await listen(createHttpsServer(options, ({ url = '' }) => requests.push(url)));
    expect(await createSender().send(webhook(`https://hooks.invalid:${port}/secret`))).toEqual(
      failure('the TLS certificate is not valid'),
    );
    expect(requests).toEqual([]);
  });

  it('rejects versions of TLS that are no longer secure', async () => {
    const { port } = await https({
      ...authority.issue('hooks.invalid'),
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
      ciphers: 'ALL@SECLEVEL=0',
    });
    expect(await createSender().send(webhook(`https://hooks.invalid:${port}/`))).toEqual(
      failure('the TLS handshake failed'),
    );
  });

  it('trusts the authorities in NODE_EXTRA_CA_CERTS', async () => {
    const own = certificateAuthority('Authority of a company');
    const { port } = await https(own.issue('hooks.invalid'));
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-'));
    stops.push(async () => rmSync(folder, { recursive: true }));
    const file = join(folder, 'authority.pem');
    writeFileSync(file, own.certificate);
    const program = `
      import { WebhookSender } from './src/events/sender/webhook-sender.ts';
      import { parseAllowedNetwork } from './src/domain/webhook/delivery-address.ts';
      const { value } = parseAllowedNetwork('127.0.0.1');
      const sender = new WebhookSender({ addressesOf: async () => [value.network], allowedNetworks: [value], userAgent: '' });
      const webhook = { url: 'https://hooks.invalid:${port}/', teamId: '', headers: {}, body: '' };
      console.log((await sender.send(webhook)).status);
      sender.close();`;
    const run = async (variables: NodeJS.ProcessEnv) => {
      const args = ['--input-type=module-typescript', '--eval', program];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...variables } });
      return stdout.trim();
    };
    expect(await Promise.all([run({ NODE_EXTRA_CA_CERTS: file }), run({})])).toEqual(['200', 'null']);
  });
});
