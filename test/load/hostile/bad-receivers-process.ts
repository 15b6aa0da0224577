/** Receivers of webhooks that never end a request. Prints the URL of each kind when they listen. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { freePort } from '../../support/free-port.ts';
import { attackerNiceness } from '../generator.ts';

const dripIntervalMs = 500;
const chunk = 'x'.repeat(65_536);

/** Answers every request of a connection, which begins with its first byte. */
const kinds: Readonly<Record<string, (socket: Socket) => void>> = {
  hanging: () => undefined,
  'a dripped body': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n', 'x'),
  'dripped headers': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Filler: ', 'x'),
  'an endless body': (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n\r\n', chunk),
  'endless headers': (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n', `X-Filler: ${chunk.slice(0, 4000)}\r\n`),
};

function drip(socket: Socket, start: string, part: string): void {
  socket.write(start);
  const timer = setInterval(() => socket.write(part), dripIntervalMs);
  socket.once('close', () => clearInterval(timer));
}

function flood(socket: Socket, start: string, part: string): void {
  const fill = () => {
    while (socket.writable && socket.write(part));
  };
  socket.write(start);
  socket.on('drain', fill);
  fill();
}

setPriority(attackerNiceness);
const urls: Record<string, string> = {};
for (const [kind, answer] of Object.entries(kinds)) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => answer(socket));
    socket.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  urls[kind] = `http://127.0.0.1:${port}`;
}
// Nothing listens there.
urls['refused connections'] = `http://127.0.0.1:${await freePort()}`;
console.log(JSON.stringify(urls));
process.once('SIGTERM', () => process.exit());
