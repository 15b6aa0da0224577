// SECURITY.md: Slow reader
/** How a port handles connections that only consume resources. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { cutSlowReaders, limitConnections } from '../../src/service/processes/connections.ts';
import { listen as startListening, stopListening } from '../support/gateway.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function serve(handler: RequestListener, prepare: (server: Server) => void): Promise<number> {
  const server = createServer(handler);
  prepare(server);
  stops.push(() => stopListening(server));
  return Number(new URL(await startListening(server)).port);
}

/** A client that sends a request, and reads only what the test reads. */
function ask(port: number): Socket {
  const socket = connect(port, '127.0.0.1').pause();
  stops.push(() => socket.destroy());
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return socket;
}

/** Far more than the kernel buffers for a client that does not read. */
const pieces = 256;
const piece = Buffer.alloc(128 * 1024);
const rules = { graceMs: 500, bytesPerSecond: 1024 * 1024, checkEveryMs: 50 };

it.each<[string, RequestListener]>([
  ['in one piece', (_, response) => void response.end(Buffer.concat(Array<Buffer>(pieces).fill(piece)))],
  ['piece by piece', (_, response) => void Readable.from(Array(pieces).fill(piece)).pipe(response)],
])('a connection whose client does not read an answer sent %s is ended', async (_, answer) => {
  const ended: Promise<unknown>[] = [];
  const handler: RequestListener = (request, response) => {
    ended.push(once(response, 'close'));
    answer(request, response);
  };
  // 32 MB may take half a second at this rate.
  const port = await serve(handler, (server) => cutSlowReaders(server, { ...rules, bytesPerSecond: 2 ** 26 }));
  const sockets = [ask(port), ask(port), ask(port)];
  await expect.poll(() => ended.length).toBe(3);
  await Promise.all(ended);
  // What the kernel had taken can still be read.
  await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
  for (const { bytesRead } of sockets) expect(bytesRead).toBeLessThan(pieces * piece.length);
});

it('a client that reads slowly but steadily, and a call that takes long, are not disconnected', async () => {
  const [total, graceMs] = [pieces * piece.length, 6000];
  const handler: RequestListener = async (_, response) => {
    await pause(graceMs + 500);
    Readable.from(Array(pieces).fill(piece)).pipe(response);
  };
  let accepted: Socket | undefined;
  const port = await serve(handler, (server) => {
    cutSlowReaders(server, { ...rules, graceMs });
    server.once('connection', (socket) => {
      accepted = socket;
    });
  });
  const handedOver = () => (accepted === undefined ? 0 : accepted.bytesWritten - accepted.writableLength);
  const socket = ask(port);
  while (socket.bytesRead < total && !socket.closed) {
    // Reads until the kernel takes more of the response, which is progress on a machine of any speed. Then it waits.
    const before = handedOver();
    socket.resume();
    while (handedOver() === before && socket.bytesRead < total && !socket.closed) await pause(1);
    socket.pause();
    await pause(200);
  }
  expect(socket.bytesRead).toBeGreaterThanOrEqual(total);
});

it('a port takes no more connections than the limit of open files allows', () => {
  const server = createServer();
  limitConnections(server, 1024);
  expect(server.maxConnections).toBe(624);
  limitConnections(server, 300);
  expect(server.maxConnections).toBe(150);
  limitConnections(server, 20);
  expect(server.maxConnections).toBe(16);
  limitConnections(server);
  expect(server.maxConnections).toBeGreaterThan(16);
});
