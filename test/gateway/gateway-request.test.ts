import { once } from 'node:events';
import { Agent, createServer, request as send } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { GatewayRequest } from '../../src/gateway/request/gateway-request.ts';
import { listen, stopListening } from '../support/gateway.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

it('an idle connection keeps nothing of its last request in memory', async () => {
  const kept: { request?: WeakRef<GatewayRequest>; body?: WeakRef<Buffer> } = {};
  const server = createServer({ IncomingMessage: GatewayRequest }, (request, response) => {
    kept.request = new WeakRef(request);
    request.begin();
    request.readBody({
      take: (chunk) => {
        kept.body = new WeakRef(chunk);
      },
      end: () => response.end('done'),
    });
  });
  let closed = false;
  server.on('connection', (socket) => socket.once('close', () => (closed = true)));
  const url = await listen(server);
  const agent = new Agent({ keepAlive: true });
  const sent = send(url, { method: 'POST', agent }).end('a body');
  const [response] = await once(sent, 'response');
  await once(response.resume(), 'end');
  expect(kept.body).toBeDefined();
  const left = () => {
    collectGarbage();
    return [kept.request?.deref(), kept.body?.deref()];
  };
  await expect.poll(left).toEqual([undefined, undefined]);
  expect(closed).toBe(false);
  agent.destroy();
  await stopListening(server);
});
