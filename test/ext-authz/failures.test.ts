// SECURITY.md: Who may do what; A log or a trace; Headers that a client of a gateway writes; Bytes from outside; Slow reader
/** The port for Envoy over gRPC without a verdict, and with hostile callers: no request passes, whatever Envoy's settings. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants, type Settings } from 'node:http2';
import { createConnection, type Socket } from 'node:net';
import { Metadata, status } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { AcceptedTokens } from '../../src/lib/accepted-tokens.ts';
import type { Responder } from '../../src/verify/verification.ts';
import { checkRequest, type EnvoyAnswer, encodedCheck, extAuthzClient } from '../support/ext-authz.ts';
import { startExtAuthz } from '../support/gateway.ts';

const request = { headers: [['authorization', 'Bearer a-key']] as const };
const token = 'a-verifier-token-of-this-test';

const problemOf = ({ allowed, status, headers, body }: EnvoyAnswer) => ({
  allowed,
  status,
  code: JSON.parse(body).code,
  told: headers['x-latchkey-code'],
  retryAfter: headers['retry-after'],
});
const denied = (status: number, code: string, retryAfter?: string) => ({
  allowed: false,
  status,
  code,
  told: code,
  retryAfter,
});

function clientOf(address: string, token?: string) {
  const client = extAuthzClient(address, token);
  onTestFinished(() => client.close());
  return client;
}

/** A verifier that answers when the test says so. */
function waitingVerifier() {
  const waiting: Responder[] = [];
  return { waiting, verify: (_: unknown, respond: Responder) => void waiting.push(respond) };
}

describe('without a verdict', () => {
  it('an unexpected error is a denial with 500 that does not repeat the error', async () => {
    const reported: unknown[] = [];
    const verify = () => {
      throw new Error('a secret');
    };
    const { address } = await startExtAuthz({ verifier: { verify }, report: (error) => reported.push(error) });
    const answer = await clientOf(address).check(request);
    expect(problemOf(answer)).toEqual(denied(500, 'INTERNAL_SERVER_ERROR'));
    expect([answer.body.includes('a secret'), reported.length]).toEqual([false, 1]);
  });

  it('an error of the verifier is a denial with its status and Retry-After', async () => {
    const error = new LatchkeyError('RATE_LIMITED', 'Too many unknown keys.', { retryAfterSeconds: 7 });
    const verify = (_: unknown, respond: Responder) => respond.reject(error);
    const { address } = await startExtAuthz({ verifier: { verify } });
    expect(problemOf(await clientOf(address).check(request))).toEqual(denied(429, 'RATE_LIMITED', '7'));
  });

  it('above the share of one address the answer is a denial with 503, and the places are free again afterwards', async () => {
    const { waiting, verify } = waitingVerifier();
    const { address, requests } = await startExtAuthz({ verifier: { verify }, capacity: 6 });
    const client = clientOf(address);
    const held = Array.from({ length: 3 }, () => client.check(request));
    await expect.poll(() => waiting.length).toBe(3);
    expect(problemOf(await client.check(request))).toEqual(denied(503, 'UNAVAILABLE', '1'));
    for (const respond of waiting) respond.answer({ code: 'NOT_FOUND', key: null, rateLimit: null });
    await Promise.all(held);
    expect(requests.underWay).toBe(0);
  });

  it('a caller whose deadline passes gets DEADLINE_EXCEEDED, and a late verdict harms nothing', async () => {
    const { waiting, verify } = waitingVerifier();
    const { address, requests } = await startExtAuthz({ verifier: { verify } });
    const client = clientOf(address);
    // Connects, so that the deadline is for the call alone.
    await client.health();
    const deadline = Date.now() + 5000;
    const late = expect(client.check(request, { deadline })).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
    await expect.poll(() => waiting.length).toBe(1);
    await late;
    for (const respond of waiting.splice(0)) respond.answer({ code: 'NOT_FOUND', key: null, rateLimit: null });
    const next = client.check(request);
    await expect.poll(() => waiting.length).toBe(1);
    waiting[0]?.answer({ code: 'NOT_FOUND', key: null, rateLimit: null });
    expect([(await next).status, requests.underWay]).toEqual([401, 0]);
  });

  it('bytes that are not a CheckRequest are a denial with 400', async () => {
    const { address } = await startExtAuthz({});
    const client = clientOf(address);
    const whole = encodedCheck(checkRequest(request));
    const cut = [1, 2, 10, whole.length - 1].map((length) => whole.subarray(0, length));
    // A field that is longer than its message, an endless number, and groups in groups.
    const crafted = ['0a030a7f01', '0a020a0400000000', 'ffffffffffffffffffffff', '0b'.repeat(20_000)].map((hex) =>
      Buffer.from(hex, 'hex'),
    );
    for (const bytes of [...cut, ...crafted]) {
      expect(problemOf(await client.checkBytes(bytes))).toEqual(denied(400, 'BAD_USER_INPUT'));
    }
    for (let i = 0; i < 300; i += 1) expect((await client.checkBytes(randomBytes(i))).allowed).toBe(false);
    // A connection to Envoy without HTTP, as its network filter describes it.
    expect((await client.checkBytes(Buffer.alloc(0))).headers['x-latchkey-code']).toBe('MISSING');
  });

  it('a message of more fields than Envoy sends is not read to its end', async () => {
    const { address } = await startExtAuthz({});
    const client = clientOf(address);
    // What Latchkey does not read: a valid message would follow.
    const behind = (fields: number) =>
      Buffer.concat([Buffer.alloc(2 * fields, '2200', 'hex'), encodedCheck(checkRequest({}))]);
    expect((await client.checkBytes(behind(29_000))).headers['x-latchkey-code']).toBe('MISSING');
    expect(problemOf(await client.checkBytes(behind(30_000)))).toEqual(denied(400, 'BAD_USER_INPUT'));
  });

  it('a message with the largest headers of Envoy and a body of a megabyte is read', async () => {
    const { waiting, verify } = waitingVerifier();
    const { address } = await startExtAuthz({ verifier: { verify } });
    const headers = [...request.headers, ['x-large', 'x'.repeat(61_440)] as const];
    const answer = clientOf(address).check({ headers, body: Buffer.alloc(2 ** 20), maxRequestBytes: 2 ** 20 });
    await expect.poll(() => waiting.length).toBe(1);
    waiting[0]?.answer({ code: 'NOT_FOUND', key: null, rateLimit: null });
    expect((await answer).status).toBe(401);
  });

  it('a longer message than 4 MiB is RESOURCE_EXHAUSTED, and the connection serves other calls', async () => {
    const { address } = await startExtAuthz({});
    const client = clientOf(address);
    await expect(client.checkBytes(Buffer.alloc(5 * 2 ** 20))).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
    });
    expect((await client.check({})).status).toBe(401);
  });
});

describe('a caller without a verifier token', () => {
  const tokens = new AcceptedTokens([token]);

  it('gets a denial with 401, also if a client sends a token through Envoy', async () => {
    const { waiting, verify } = waitingVerifier();
    const { address } = await startExtAuthz({ tokens, verifier: { verify } });
    const headers = [...request.headers, ['x-latchkey-verifier', token] as const];
    for (const wrong of [undefined, 'another-token-of-this-test']) {
      expect(problemOf(await clientOf(address, wrong).check({ headers }))).toEqual(denied(401, 'UNAUTHENTICATED'));
    }
    const twice = new Metadata();
    for (const value of [token, 'another']) twice.add('x-latchkey-verifier', value);
    const bytes = encodedCheck(checkRequest(request));
    expect((await clientOf(address).checkBytes(bytes, twice)).status).toBe(401);
    expect(waiting).toEqual([]);
  });

  it('gets it before the message is read', async () => {
    const { address } = await startExtAuthz({ tokens });
    const { response, stream } = open(address);
    stream.write(Buffer.from([0, 0, 63, 255, 255]));
    // An answer without a message has its status in the first header fields.
    expect(await response).not.toHaveProperty('grpc-status');
  });

  it('may send the token as Bearer or as x-latchkey-verifier', async () => {
    const answering = (_: unknown, respond: Responder) =>
      respond.answer({ code: 'NOT_FOUND', key: null, rateLimit: null });
    const { address } = await startExtAuthz({ tokens, verifier: { verify: answering } });
    expect((await clientOf(address, token).check(request)).headers['x-latchkey-code']).toBe('NOT_FOUND');
    const metadata = new Metadata();
    metadata.set('x-latchkey-verifier', token);
    const answer = await clientOf(address).checkBytes(encodedCheck(checkRequest(request)), metadata);
    expect(answer.headers['x-latchkey-code']).toBe('NOT_FOUND');
  });

  it('can check the health, which is not secret', async () => {
    const { address } = await startExtAuthz({ tokens });
    const client = clientOf(address);
    for (const service of ['', 'envoy.service.auth.v3.Authorization']) {
      expect(await client.health(service)).toEqual({ status: 'SERVING' });
    }
  });

  it('is told the health before the message is read, so that messages cannot fill the memory', async () => {
    const { address } = await startExtAuthz({ tokens });
    const { response, stream } = open(address, { ':path': '/grpc.health.v1.Health/Check' });
    stream.write(Buffer.from([0, 0, 63, 255, 255]));
    expect(await response).not.toHaveProperty('grpc-status');
  });
});

it('writes no metadata to the console', async () => {
  const console = vi.spyOn(globalThis.console, 'error');
  onTestFinished(() => console.mockRestore());
  const { address } = await startExtAuthz({ tokens: new AcceptedTokens([token]) });
  const { response } = open(address, { authorization: `Bearer ${token}\u00e9` });
  expect((await response)[':status']).toBe(200);
  expect(console).not.toHaveBeenCalled();
});

describe('a connection', () => {
  it('is closed if a message does not arrive in time, and others are served', async () => {
    const { address, requests } = await startExtAuthz({}, 2000);
    const { session, stream } = open(address);
    stream.write(Buffer.from([0, 0, 0, 1]));
    await once(session, 'close');
    expect((await clientOf(address).check({})).status).toBe(401);
    expect(requests.underWay).toBe(0);
  });

  it('is closed if an answer is not read in time, also by a caller without a token', async () => {
    const { address } = await startExtAuthz({ tokens: new AcceptedTokens([token]) }, 100);
    // The window for answers is empty, and pings are answered.
    const { session, stream } = open(address, {}, { initialWindowSize: 0 });
    stream.end(Buffer.alloc(5));
    await once(session, 'close');
  });

  it('stays open if its calls are finished, while that of an unfinished call is closed', async () => {
    const { address } = await startExtAuthz({}, 2000);
    const finished = open(address);
    finished.stream.end(Buffer.alloc(5));
    await finished.response;
    // Begins later, so it is closed after a timer of the other connection would have been.
    await once(open(address).session, 'close');
    expect(finished.session.closed || finished.session.destroyed).toBe(false);
  });
});

describe('a caller that breaks the protocol', () => {
  const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
  const hostile = {
    'speaks HTTP/1.1': 'GET / HTTP/1.1\r\nHost: example\r\n\r\n',
    'sends noise': Buffer.alloc(4096, 0xa5),
    'sends noise after the preface': Buffer.concat([Buffer.from(preface), Buffer.alloc(4096, 0xa5)]),
    'announces a frame of 16 MB': Buffer.concat([Buffer.from(preface), Buffer.from('ffffff000000000001', 'hex')]),
    'sends data on a stream that it has not opened': Buffer.concat([
      Buffer.from(preface),
      Buffer.from('000000040000000000', 'hex'),
      Buffer.from('0000050000000000050000000000', 'hex'),
    ]),
  };

  it.each(Object.keys(hostile) as (keyof typeof hostile)[])(
    'and %s is disconnected, and others are served',
    async (how) => {
      const { address } = await startExtAuthz({});
      const { hostname, port } = new URL(`http://${address}`);
      for (const isReset of [false, true]) {
        const socket = createConnection({ host: hostname, port: Number(port), allowHalfOpen: true });
        socket.on('error', () => undefined);
        await once(socket, 'connect');
        socket.write(hostile[how]);
        if (isReset) socket.resetAndDestroy();
        else {
          socket.resume();
          await once(socket, 'end');
          socket.destroy();
        }
      }
      expect((await clientOf(address).check({})).status).toBe(401);
    },
  );

  it('by opening and resetting streams is disconnected or served, and others are served', async () => {
    const { address, requests } = await startExtAuthz({});
    const session = connect(`http://${address}`);
    session.on('error', () => undefined);
    for (let i = 0; i < 5000 && !session.destroyed; i += 1) {
      const stream = openOn(session);
      stream.close(constants.NGHTTP2_CANCEL);
    }
    expect((await clientOf(address).check({})).status).toBe(401);
    session.destroy();
    expect(requests.underWay).toBe(0);
  });

  it('with a compressed message that it names wrongly gets an error, and others are served', async () => {
    const { address } = await startExtAuthz({});
    for (const encoding of ['gzip', 'deflate', 'unknown']) {
      const { stream, response } = open(address, { 'grpc-encoding': encoding });
      stream.end(Buffer.from([1, 0, 0, 0, 3, 1, 2, 3]));
      expect(Number((await response)['grpc-status'])).toBeGreaterThan(0);
    }
    expect((await clientOf(address).check({})).status).toBe(401);
  });
});

it('closes its connections after the open calls', async () => {
  const { waiting, verify } = waitingVerifier();
  const { port, address } = await startExtAuthz({ verifier: { verify } });
  const client = clientOf(address);
  const answer = client.check(request);
  await expect.poll(() => waiting.length).toBe(1);
  const closed = once(port.server, 'close');
  port.server.close();
  port.closeConnections(60_000);
  waiting[0]?.answer({ code: 'NOT_FOUND', key: null, rateLimit: null });
  expect((await answer).status).toBe(401);
  await closed;
  await expect(client.check(request)).rejects.toMatchObject({ code: status.UNAVAILABLE });
});

it('answers a client that connected again from its port before the end of its last connection was noticed', async () => {
  const { port, address } = await startExtAuthz({});
  const sockets: Socket[] = [];
  port.server.prependListener('connection', (socket) => {
    Object.defineProperty(socket, 'remotePort', { value: 40_000 });
    sockets.push(socket);
  });
  const [first, second] = [clientOf(address), clientOf(address)];
  for (const client of [first, second]) expect((await client.check({})).status).toBe(401);
  const closed = once(sockets[0] ?? port.server, 'close');
  first.close();
  await closed;
  expect((await second.check({}, { deadline: Date.now() + 2000 })).status).toBe(401);
});

it('counts its answers by status under the route ext_authz', async () => {
  const { address, requests } = await startExtAuthz({});
  await clientOf(address).check({});
  const counted = [...requests].map(({ route, status, durations }) => ({ route, status, counts: durations.counts }));
  expect(counted).toMatchObject([{ route: 'ext_authz', status: '4xx' }]);
  expect(counted[0]?.counts.reduce((sum, count) => sum + count, 0)).toBe(1);
});

/** Starts a call over HTTP/2, without its message. */
function open(address: string, headers: Readonly<Record<string, string>> = {}, settings: Settings = {}) {
  const session = connect(`http://${address}`, { settings });
  session.on('error', () => undefined);
  onTestFinished(() => session.destroy());
  const stream = openOn(session, headers);
  const response = once(stream, 'response').then(([headers]) => headers as Record<string, unknown>);
  return { session, stream, response };
}

function openOn(session: ClientHttp2Session, headers: Record<string, string> = {}) {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/envoy.service.auth.v3.Authorization/Check',
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  stream.on('error', () => undefined);
  return stream;
}
