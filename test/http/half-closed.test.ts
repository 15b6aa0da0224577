/** Clients that close their side of the connection after the request, and then wait for the answer. */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../../src/service/processes/listen.ts';
import type { Responder } from '../../src/verify/verification.ts';
import { providers } from '../support/databases.ts';
import { edgePort, type RunningGateway, startGateway, stopListening } from '../support/gateway.ts';
import { exchangeHalfClosed } from '../support/raw-exchange.ts';
import { both, sessionToken } from '../support/service.ts';

/** As the processes of the service do it. */
async function serve(server: Server): Promise<string> {
  return `http://127.0.0.1:${await listen(server, {}, '')}`;
}

const head = (target: string, ...fields: string[]) =>
  `${[`${target} HTTP/1.1`, 'Host: a', ...fields].join('\r\n')}\r\n`;
const post = (path: string, body: string, ...fields: string[]) =>
  `${head(`POST ${path}`, 'Content-Type: application/json', `Content-Length: ${body.length}`, ...fields)}\r\n${body}`;
const statusesIn = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);

describe.each(providers)('on %s', (provider) => {
  let gateway: RunningGateway;
  let urls: { readonly management: string; readonly verification: string };
  let management: Server;

  beforeAll(async () => {
    gateway = await startGateway(provider);
    const { app, gateway: port } = gateway.running.service;
    // The port itself is listened on already, and without the rules of the service.
    await stopListening(port);
    management = createServer(app);
    urls = { management: await serve(management), verification: await serve(port) };
  });
  afterAll(async () => {
    await stopListening(management);
    await gateway.stop();
  });

  it('a client that half-closes gets its answer at both ports, also to several requests on one connection', async () => {
    const token = `Authorization: Bearer ${sessionToken({ [gateway.teamId]: both })}`;
    const { secret } = await gateway.issue();
    const verify = post('/v1/verify', JSON.stringify({ key: secret }));
    for (let i = 0; i < 5; i += 1) {
      const { secret: fresh } = await gateway.issue();
      const verdict = await exchangeHalfClosed(urls.verification, post('/v1/verify', JSON.stringify({ key: fresh })));
      expect(statusesIn(verdict)).toEqual(['200']);
      expect(verdict).toContain('"code":"VALID"');
      expect(statusesIn(await exchangeHalfClosed(urls.verification, verify.repeat(3)))).toEqual(['200', '200', '200']);
      for (const url of Object.values(urls)) {
        expect(statusesIn(await exchangeHalfClosed(url, `${head('GET /readyz')}\r\n`))).toEqual(['200']);
      }
      const list = `${head(`GET /v1/keys?teamId=${gateway.teamId}`, token)}\r\n`;
      expect(statusesIn(await exchangeHalfClosed(urls.management, list.repeat(2)))).toEqual(['200', '200']);
      const created = post('/v1/keys', JSON.stringify({ teamId: gateway.teamId, name: 'x', env: 'live' }), token);
      expect(statusesIn(await exchangeHalfClosed(urls.management, created))).toEqual(['201']);
      const revoked = `${head('DELETE /v1/keys/self', `Authorization: Bearer ${fresh}`)}\r\n`;
      expect(statusesIn(await exchangeHalfClosed(urls.verification, revoked))).toEqual(['200']);
    }
  });
});

it('a client of an edge that half-closes gets its answer when the upstream answers', async () => {
  const waiting: Responder[] = [];
  const edge = edgePort((_, respond) => void waiting.push(respond));
  const halfClosed = new Promise<void>((resolve) => {
    edge.on('connection', (socket) => void socket.once('end', resolve));
  });
  const answer = exchangeHalfClosed(await serve(edge), post('/v1/verify', '{"key":"x"}'));
  await halfClosed;
  await expect.poll(() => waiting.length).toBe(1);
  waiting[0]?.answer({ code: 'NOT_FOUND', key: null, rateLimit: null });
  expect(statusesIn(await answer)).toEqual(['200']);
  await stopListening(edge);
});
