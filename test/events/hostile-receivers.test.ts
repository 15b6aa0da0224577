// SECURITY.md: Bytes from outside
/** Receivers of webhooks that are slow, silent, endless or broken cost the sender little. */
import { createServer as createTcpServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { maxResponseBodyBytes } from '../../src/events/sender/attempt.ts';
import {
  allClosed,
  createSender,
  failure,
  hook,
  http,
  listen,
  raw,
  timeoutMs,
  webhook,
} from '../support/webhook-sender.ts';

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
