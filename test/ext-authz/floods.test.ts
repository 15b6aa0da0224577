// SECURITY.md: Bytes from outside; Hostile caller of the verification port
/** Floods of calls that need no verifier token: HTTP/2 gets them in turns, and their connections are slowed down, then closed. */
import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { connect as connectSocket, createServer } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Turns } from '../../src/admission/turns.ts';
import { ClientNetworks } from '../../src/gateway/client-networks.ts';
import { Connection } from '../../src/gateway/ext-authz/connection.ts';
import { AcceptedTokens } from '../../src/lib/accepted-tokens.ts';
import { systemScheduler } from '../../src/lib/scheduler.ts';
import type { Responder } from '../../src/verify/verification.ts';
import { checkRequest, encodedCheck } from '../support/ext-authz.ts';
import { listen, startExtAuthz } from '../support/gateway.ts';

const token = 'a-verifier-token-of-this-test';
const healthPath = '/grpc.health.v1.Health/Check';
const checkPath = '/envoy.service.auth.v3.Authorization/Check';
const [headersFrame, resetFrame, pingFrame] = [1, 3, 6];
/** What a connection may start at once without an answered call. */
const credit = 128;
/** The number of times that it waits for more, 125 ms each, before it is closed. */
const [maxDelays, delayMs] = [64, 125];

function frame(type: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const call = (i: number) => frame(headersFrame, 2 * i + 1, Buffer.alloc(20));
const reset = (i: number) => frame(resetFrame, 2 * i + 1, Buffer.of(0, 0, 0, 8));

/** A connection whose turns of the event loop the test ends. */
async function startConnection(maxPerTurn: number) {
  const ends: (() => void)[] = [];
  const scheduler = { ...systemScheduler, endOfTurn: (callback: () => void) => void ends.push(callback) };
  const turns = new Turns({ maxPerTurn, scheduler });
  const accepted: Connection[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(new Connection({ socket, networks: new ClientNetworks(), turns }));
  });
  const { port } = new URL(await listen(server));
  const client = connectSocket(Number(port), '127.0.0.1');
  onTestFinished(() => void client.destroy());
  onTestFinished(() => void server.close());
  await expect.poll(() => accepted.length).toBe(1);
  const received: Buffer[] = [];
  let hasEnded = false;
  accepted[0]?.once('end', () => {
    hasEnded = true;
  });
  accepted[0]?.on('data', (chunk: Buffer) => received.push(chunk));
  return {
    client,
    endTurn: () => {
      for (const end of ends.splice(0)) end();
    },
    received: () => Buffer.concat(received),
    ended: () => hasEnded,
  };
}

describe('HTTP/2 gets', () => {
  it('the calls of a connection in turns, each with its reset', async () => {
    const { client, endTurn, received } = await startConnection(4);
    const calls = Array.from({ length: 100 }, (_, i) => Buffer.concat([call(i), reset(i)]));
    const each = calls[0]?.length ?? 0;
    client.write(Buffer.concat([preface, ...calls]));
    // The preface is handed over with the first call's turn.
    await expect.poll(() => received().length).toBeGreaterThan(0);
    const first = received().length;
    expect(first).toBeLessThanOrEqual(preface.length + 4 * each);
    for (let turn = 1; turn <= 5; turn += 1) {
      endTurn();
      expect(received().length).toBe(first + turn * 4 * each);
    }
  });

  it('frames that are no calls in turns, too', async () => {
    const { client, endTurn, received } = await startConnection(4);
    client.write(Buffer.concat([preface, ...Array(1000).fill(frame(pingFrame, 0, Buffer.alloc(8)))]));
    await expect.poll(() => received().length).toBeGreaterThan(0);
    const first = received().length;
    expect(first).toBeLessThanOrEqual(preface.length + 4 * 16 * 17);
    endTurn();
    expect(received().length).toBe(first + 4 * 16 * 17);
  });

  it('new connections in turns', async () => {
    const ends: (() => void)[] = [];
    const scheduler = { ...systemScheduler, endOfTurn: (callback: () => void) => void ends.push(callback) };
    const [turns, networks] = [new Turns({ maxPerTurn: 4, scheduler }), new ClientNetworks()];
    let [accepted, created] = [0, 0];
    const server = createServer((socket) => {
      accepted += 1;
      new Connection({ socket, networks, turns }).begin(() => {
        created += 1;
      });
    });
    const { port } = new URL(await listen(server));
    const clients = Array.from({ length: 20 }, () => connectSocket(Number(port), '127.0.0.1'));
    onTestFinished(() => {
      for (const client of clients) client.destroy();
      server.close();
    });
    await expect.poll(() => accepted).toBe(20);
    expect(created).toBe(4);
    for (const end of ends.splice(0)) end();
    expect(created).toBe(8);
  });

  it('the end of a connection after the calls that wait', async () => {
    const { client, endTurn, received, ended } = await startConnection(4);
    const sent = Buffer.concat([preface, ...Array.from({ length: 10 }, (_, i) => call(i))]);
    client.end(sent);
    await expect.poll(() => received().length).toBeGreaterThan(0);
    await expect
      .poll(() => {
        endTurn();
        return ended();
      })
      .toBe(true);
    expect(received()).toEqual(sent);
  });

  it.each([1, 8, 9, 40, 1000])('every byte in its order, in parts of %i bytes', async (size) => {
    const { client, endTurn, received } = await startConnection(1000);
    const calls = Array.from({ length: 60 }, (_, i) =>
      Buffer.concat([call(i), frame(0, 2 * i + 1, Buffer.alloc(i, i))]),
    );
    const sent = Buffer.concat([preface, ...calls]);
    client.setNoDelay(true);
    for (let at = 0; at < sent.length; at += size) {
      await new Promise((resolve) => client.write(sent.subarray(at, at + size), resolve));
    }
    await expect
      .poll(() => {
        endTurn();
        return received();
      })
      .toEqual(sent);
  });
});

function startCall(session: ClientHttp2Session, path: string, headers: Record<string, string> = {}) {
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', ...headers });
  stream.on('error', () => undefined);
  stream.resume();
  return stream;
}

/** A port whose time the test moves, and a client without limits of its own. */
async function startFlooded(verify: (call: unknown, respond: Responder) => void = () => undefined) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { address } = await startExtAuthz({ tokens: new AcceptedTokens([token]), verifier: { verify } });
  const session = connect(`http://${address}`);
  session.on('error', () => undefined);
  onTestFinished(() => session.destroy());
  const errors: number[] = [];
  session.on('goaway', (code) => errors.push(code));
  return { address, session, errors };
}

describe('a connection without a verifier token', () => {
  const floods = {
    'health checks': healthPath,
    'unknown methods': '/unknown.Service/Method',
    'calls of Check': checkPath,
  };

  it.each(Object.entries(floods))('with %s is slowed down to 8 a second, then closed', async (_, path) => {
    const { session, errors } = await startFlooded();
    let answered = 0;
    for (let i = 0; i < 400; i += 1)
      startCall(session, path)
        .on('response', () => (answered += 1))
        .end();
    await expect.poll(() => answered).toBeGreaterThan(90);
    // Each poll moves the time, too.
    expect(answered).toBeLessThanOrEqual(credit + maxDelays / 2);
    expect(errors).toEqual([]);
    const closed = new Promise((resolve) => session.once('close', resolve));
    await vi.advanceTimersByTimeAsync(10_000);
    await closed;
    expect(errors).toEqual([constants.NGHTTP2_ENHANCE_YOUR_CALM]);
    expect(answered).toBeLessThanOrEqual(credit + maxDelays);
  });

  it('that resets its calls is closed', async () => {
    const { session, errors } = await startFlooded();
    await once(session, 'connect');
    for (let i = 0; i < 400; i += 1) startCall(session, checkPath).close(constants.NGHTTP2_CANCEL);
    const isClosed = async () => {
      await vi.advanceTimersByTimeAsync(1000);
      return session.destroyed;
    };
    await expect.poll(isClosed).toBe(true);
    expect(errors).toEqual([constants.NGHTTP2_ENHANCE_YOUR_CALM]);
  });

  it('may check the health 7 times a second', async () => {
    const { session, errors } = await startFlooded();
    for (let i = 0; i < 1.5 * credit; i += 1) {
      const stream = startCall(session, healthPath);
      const response = once(stream, 'response');
      stream.end(Buffer.alloc(5));
      await response;
      vi.advanceTimersByTime(1000 / 7);
    }
    expect(errors).toEqual([]);
  });
});

it('a gateway whose clients disconnect early is not slowed down, because its other calls are answered', async () => {
  const waiting: Responder[] = [];
  const { session, errors } = await startFlooded((_, respond) => void waiting.push(respond));
  // Not a spy: `vi.restoreAllMocks` of a later file of the worker would put the stopped clock back, even after `mockRestore`.
  const stopped = globalThis.setTimeout;
  let delays = 0;
  globalThis.setTimeout = Object.assign((run: () => void, ms?: number) => {
    if (ms === delayMs) delays += 1;
    return stopped(run, ms);
  }, stopped);
  onTestFinished(() => {
    globalThis.setTimeout = stopped;
  });
  const message = encodedCheck(checkRequest({ headers: [['authorization', 'Bearer a-key']] }));
  const prefixed = Buffer.concat([Buffer.of(0, 0, 0, message.length >> 8, message.length & 255), message]);
  for (let i = 0; i < 300; i += 1) {
    const [left, stays] = [1, 2].map(() => startCall(session, checkPath, { authorization: `Bearer ${token}` }));
    left?.end(prefixed);
    const answer = once(stays ?? session, 'response');
    stays?.end(prefixed);
    await expect.poll(() => waiting.length, { interval: 1 }).toBe(2);
    left?.close(constants.NGHTTP2_CANCEL);
    // When it is answered, the port has the reset.
    await new Promise((resolve) => session.ping(resolve));
    for (const respond of waiting.splice(0)) respond.answer({ code: 'NOT_FOUND', key: null, rateLimit: null });
    await answer;
  }
  expect([errors, delays]).toEqual([[], 0]);
});
