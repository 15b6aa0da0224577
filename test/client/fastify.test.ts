// SECURITY.md: A signed request
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RequireApiKeyOptions, requireApiKey, requireScopes } from '../../src/client/fastify.ts';
import { signRequest } from '../../src/client/sign.ts';
import { createVerifier } from '../../src/client/verify.ts';
import { keyId, now, signingSecret } from '../support/crafted-request.ts';
import { sendOverHttp2 } from '../support/gateway.ts';
import { aKey, deadUrl, judge, type StandIn, startStandIn } from '../support/stand-in-verifier.ts';

let standIn: StandIn;
const apps: FastifyInstance[] = [];
const bearer = { authorization: `Bearer ${aKey}` };
const host = 'api.example.com';
const body = '{"amount":5}';

/** An application whose route answers the key and the body. */
function application(options: RequireApiKeyOptions = {}, settings: FastifyServerOptions = {}): FastifyInstance {
  const app = Fastify({ forceCloseConnections: true, ...settings });
  apps.push(app);
  app.register(requireApiKey, { verifyUrl: standIn.url, timeoutMs: 20_000, ...options });
  app.all('/', async (request) => ({ key: request.apiKey, body: request.body ?? null }));
  return app;
}

function signed(sent: { readonly method: 'GET' | 'POST'; readonly origin?: string; readonly body?: string }) {
  const { method, origin = `http://${host}` } = sent;
  const request = { method, url: `${origin}/`, ...(sent.body === undefined ? {} : { body: sent.body }) };
  return {
    ...bearer,
    host,
    'content-type': 'application/json',
    ...signRequest(request, { keyId, signingSecret, now }),
  };
}

beforeEach(async () => {
  standIn = await startStandIn();
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  await standIn.close();
});

test('verifies with the verifier in the options, if there is one, and leaves it open', async () => {
  const verifier = createVerifier({ url: standIn.url, token: 'the-token' });
  for (let i = 0; i < 2; i += 1) {
    const app = application({ verifier, verifyUrl: await deadUrl() });
    expect((await app.inject({ url: '/', headers: bearer })).statusCode).toBe(200);
    await app.close();
  }
  expect(standIn.calls[1]?.request.headers.authorization).toBe('Bearer the-token');
  verifier.close();
});

test('takes the source from request.ip, which follows trustProxy, or from the application', async () => {
  const headers = { ...bearer, 'x-forwarded-for': '198.51.100.7' };
  await application().inject({ url: '/', headers });
  await application({}, { trustProxy: true }).inject({ url: '/', headers });
  await application({ sourceIp: () => '203.0.113.9' }).inject({ url: '/', headers });
  expect(standIn.calls.map(({ asked }) => asked.sourceIp)).toEqual(['127.0.0.1', '198.51.100.7', '203.0.113.9']);
});

test('protects the routes of the instance on which it is registered, and unknown paths, but not the routes beside', async () => {
  const app = Fastify();
  apps.push(app);
  app.register(async (inside) => {
    inside.register(requireApiKey, { verifyUrl: standIn.url });
    inside.get('/inside', async () => 'inside');
    inside.register(async (below) => below.get('/below', async () => 'below'));
  });
  app.get('/outside', async () => 'outside');
  for (const url of ['/inside', '/below']) expect((await app.inject(url)).statusCode).toBe(401);
  expect((await app.inject('/outside')).statusCode).toBe(200);
  expect((await application().inject('/unknown')).statusCode).toBe(401);
});

describe('the guard requireScopes', () => {
  test.each(['preValidation', 'preHandler'] as const)(
    'as %s lets a key with the scopes pass, answers 403 for others, and verifies nothing again',
    async (hook) => {
      const app = application();
      app.get('/read', { [hook]: requireScopes(['orders:read']) }, async () => 'done');
      app.post('/write', { [hook]: requireScopes(['orders:write']) }, async () => expect.fail('it was let pass'));
      expect((await app.inject({ url: '/read', headers: bearer })).body).toBe('done');
      const answer = await app.inject({ method: 'POST', url: '/write', headers: bearer, payload: { amount: 5 } });
      expect([answer.statusCode, answer.json().code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
      expect(standIn.calls).toHaveLength(2);
    },
  );

  test('without requireApiKey, or in a hook before it, is an error of the application, and lets nothing pass', async () => {
    const bare = Fastify().decorateRequest('apiKey', null);
    apps.push(bare);
    bare.get('/', { preValidation: requireScopes(['orders:read']) }, async () => 'done');
    expect((await bare.inject({ url: '/', headers: bearer })).statusCode).toBe(500);
    const early = application();
    early.get('/early', { onRequest: requireScopes(['orders:read']) }, async () => 'done');
    expect((await early.inject({ url: '/early', headers: bearer })).statusCode).toBe(500);
  });
});

describe('a signed request', () => {
  beforeEach(() => {
    standIn.answer = judge;
  });

  test('passes with the signed body, which the route gets, and with no other', async () => {
    const app = application();
    const send = (payload: string) =>
      app.inject({ method: 'POST', url: '/', headers: signed({ method: 'POST', body }), payload });
    expect((await send(body)).json().body).toEqual({ amount: 5 });
    expect((await send('{"amount":9}')).statusCode).toBe(401);
  });

  test('with a body above the limit gets 413, and leaves the connection usable', async () => {
    const app = application({ bodyLimit: 1000 });
    const sources: string[] = [];
    app.addHook('onResponse', async (request) => void sources.push(request.ip));
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    let connections = 0;
    app.server.on('connection', () => {
      connections += 1;
    });
    // More than the buffers of a connection hold.
    const large = 'x'.repeat(20_000_000);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (const framing of [{ 'content-length': large.length }, { 'transfer-encoding': 'chunked' }]) {
      const { host: _, ...headers } = signed({ method: 'POST', origin, body: large });
      const sent = request(origin, { agent, method: 'POST', headers: { ...headers, ...framing } });
      sent.end(large);
      const [response]: IncomingMessage[] = await once(sent, 'response');
      expect(response?.statusCode).toBe(413);
      expect(JSON.parse(response === undefined ? '' : await text(response)).code).toBe('PAYLOAD_TOO_LARGE');
    }
    agent.destroy();
    expect(connections).toBe(1);
    expect(sources).toEqual(['127.0.0.1', '127.0.0.1']);
    expect(standIn.calls).toEqual([]);
  });

  test('over HTTP/2 passes with the signed body, also without a length, and with no other', async () => {
    const app = Fastify({ http2: true });
    app.register(requireApiKey, { verifyUrl: standIn.url });
    app.post('/', async (request) => request.body);
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    try {
      const { host: _, ...headers } = signed({ method: 'POST', origin, body });
      const sent = { method: 'POST', path: '/', headers: { ...headers, host: new URL(origin).host } };
      expect((await sendOverHttp2(origin, { ...sent, body })).status).toBe(200);
      expect((await sendOverHttp2(origin, { ...sent, body: '{"amount":9}' })).status).toBe(401);
    } finally {
      await app.close();
    }
  });

  test('whose body an earlier hook cannot decode gets 400', async () => {
    const app = Fastify();
    apps.push(app);
    app.addHook('preParsing', async () => {
      const undecodable = new Readable({ read: () => undecodable.destroy(new Error('cannot be decoded')) });
      return undecodable;
    });
    app.register(requireApiKey, { verifyUrl: standIn.url });
    const headers = signed({ method: 'POST', body });
    expect((await app.inject({ method: 'POST', url: '/', headers, payload: body })).statusCode).toBe(400);
    expect(standIn.calls).toEqual([]);
  });

  test('whose caller closes the connection before the body has arrived is not verified', async () => {
    const app = application();
    const closed = new Promise<void>((resolve) => {
      app.addHook('onRequest', async (request) => void request.raw.once('close', resolve));
    });
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    const lines = Object.entries({ ...signed({ method: 'POST', origin, body }), 'content-length': '12' });
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    await once(socket, 'connect');
    const head = `POST / HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n{`;
    await new Promise((resolve) => socket.write(head, resolve));
    socket.destroy();
    await closed;
    const next = { method: 'POST', url: '/', headers: signed({ method: 'POST', body }), payload: body } as const;
    expect((await app.inject(next)).statusCode).toBe(200);
    expect(standIn.calls).toHaveLength(1);
  });
});

test('does not read the body of an unsigned request', async () => {
  const app = application({ bodyLimit: 1 });
  const answer = await app.inject({ method: 'POST', url: '/', headers: bearer, payload: { amount: 5 } });
  expect(answer.json().body).toEqual({ amount: 5 });
  expect(standIn.calls[0]?.asked).not.toHaveProperty('request');
});
