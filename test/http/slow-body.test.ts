/** A body that may hold a slot while it arrives has a time limit of its own. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { bodyReader } from '../../src/http/json-body.ts';

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
  expect(await post('[')).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n(?:.+\r\n)*connection: close\r\n/i);
  await expect.poll(released).toBe(1);
});

it('a body that arrives in time is read', async () => {
  const { post } = await start(60_000);
  expect(await post('[]')).toMatch(/^HTTP\/1\.1 200 [\s\S]*read \[\]$/);
});
