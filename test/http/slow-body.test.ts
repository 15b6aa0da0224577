// SECURITY.md: Bytes from outside; Slow reader
/** Bodies that arrive before their sender is known: they have a time limit of their own, and are read in turns. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { sendRestError } from '../../src/http/errors.ts';
import { bodyReader, type TakeBodyTurn } from '../../src/http/json-body.ts';

async function start(timeoutMs: number) {
  let released = 0;
  const app = express();
  app.use((_, response, next) => {
    response.once('close', () => {
      released += 1;
    });
    next();
  });
  app.post('/', bodyReader({ limit: 100, timeoutMs }), ({ body }, response) => void response.send(`read ${body}`));
  app.use(sendRestError);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const post = (body: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n${body}`);
    return text(socket);
  };
  return { post, released: () => released };
}

it('a body that does not arrive in time is answered with 408, its slot is released and its connection closed', async () => {
  const { post, released } = await start(20);
  const [head = '', body = ''] = (await post('[')).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n(?:.+\r\n)*connection: close\r\n/i);
  expect(JSON.parse(body)).toMatchObject({ status: 408, code: 'REQUEST_TIMEOUT' });
  await expect.poll(released).toBe(1);
});

it('a body that arrives in time is read', async () => {
  const { post } = await start(60_000);
  expect(await post('[]')).toMatch(/^HTTP\/1\.1 200 [\s\S]*read \[\]$/);
});

it('a body is read in turns, a few parts at a time, and no further without a turn', async () => {
  const mebibyte = 2 ** 20;
  const turns: (() => void)[] = [];
  let isFree = false;
  const takeBodyTurn: TakeBodyTurn = () =>
    new Promise<void>((resolve) => (isFree ? resolve() : void turns.push(resolve)));
  const app = express();
  app.post(
    '/',
    bodyReader({ limit: mebibyte, takeBodyTurn }),
    ({ body }, response) => void response.send(`${body.length}`),
  );
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, 'connection');
  const socket = connect(port, '127.0.0.1');
  const [reader] = await accepted;
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${mebibyte}\r\n\r\n`);
  socket.write(Buffer.alloc(mebibyte, ' '));
  const maxUnasked = 4 * 65_536;
  let turnsTaken = 0;
  const answer = text(socket);
  // Each turn lets the service read at most two more parts.
  while (reader.bytesRead < mebibyte) {
    await expect.poll(() => turns.length).toBe(1);
    expect(reader.bytesRead).toBeLessThanOrEqual(maxUnasked + 2 * 65_536 * turnsTaken);
    turns.shift()?.();
    turnsTaken += 1;
  }
  isFree = true;
  for (const take of turns) take();
  expect(await answer).toMatch(/1048576$/);
  expect(turnsTaken).toBeGreaterThan(4);
});
