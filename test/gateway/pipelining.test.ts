// SECURITY.md: Bytes from outside; Hostile caller of the verification port
/** Many requests at once at the verification port: on one connection, from one address, and in one turn of the event loop. */
import { once } from 'node:events';
import { createServer, type RequestListener, request as send } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { inOrder } from '../../src/admission/in-order.ts';
import type { VerificationCall } from '../../src/domain/verdict/verification-call.ts';
import { ClientNetworks } from '../../src/gateway/client-networks.ts';
import type { Responder } from '../../src/verify/verification.ts';
import { listen, startPort, stopListening } from '../support/gateway.ts';
import { exchangeBytes } from '../support/raw-exchange.ts';

interface Held extends Responder {
  readonly secret: string;
}

/** The verification port over a verifier that waits. */
async function heldGateway(capacity = 1000) {
  const waiting: Held[] = [];
  const verify = ({ secret }: VerificationCall, respond: Responder) => {
    const answer: Responder['answer'] = (outcome) => respond.answer(outcome);
    waiting.push({ secret, answer, fail: () => undefined, reject: () => undefined, waitsForDns: () => undefined });
  };
  const verifier = { verify, find: async () => undefined };
  const { server, url, requests } = await startPort({ verifier, capacity });
  const answerAll = () => {
    for (const { answer } of waiting.splice(0)) answer({ code: 'NOT_FOUND', key: null, rateLimit: null });
  };
  const connections = async () => await promisify<number>((callback) => server.getConnections(callback))();
  return { url, waiting, requests, answerAll, connections };
}

const question = (key: string, ...fields: string[]) => {
  const body = JSON.stringify({ key });
  const head = ['POST /v1/verify HTTP/1.1', 'Host: a', `Content-Length: ${body.length}`, ...fields];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
};
const connectTo = (url: string, localAddress = '127.0.0.1') => {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
  onTestFinished(() => void socket.destroy());
  return socket.on('error', () => undefined);
};

it('pipelined requests of one connection hold one place, and are answered in their order with their own bodies', async () => {
  const { url, waiting, requests, answerAll } = await heldGateway();
  const sent = [1, 2, 3, 4, 5].map((i) => question(`key-${i}`, ...(i === 5 ? ['Connection: close'] : [])));
  const received = exchangeBytes(url, sent.join(''));
  for (let i = 1; i <= 5; i += 1) {
    await expect.poll(() => waiting.length).toBe(1);
    expect([requests.underWay, waiting[0]?.secret]).toEqual([1, `key-${i}`]);
    answerAll();
  }
  expect((await received).match(/HTTP\/1\.1 200/g)).toHaveLength(5);
});

it('a connection with more requests at once than may wait is closed, and holds nothing', async () => {
  const { url, waiting, requests, answerAll } = await heldGateway();
  const { stackTraceLimit } = Error;
  expect(await exchangeBytes(url, question('key').repeat(100))).toBe('');
  expect(Error.stackTraceLimit).toBe(stackTraceLimit);
  expect(waiting.length).toBeLessThanOrEqual(1);
  answerAll();
  expect(requests.underWay).toBe(0);
});

it('new connections of an address that sent too much at once are read later, and those of others at once', async () => {
  const networks = new ClientNetworks();
  const accepted: Socket[] = [];
  const server = createTcpServer((socket) => {
    accepted.push(socket);
    networks.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const accept = async (from: string) => {
    const connection = once(server, 'connection');
    connectTo(url, from);
    const [socket]: Socket[] = await connection;
    onTestFinished(() => void socket?.destroy());
    return socket;
  };
  const first = await accept('127.0.0.1');
  expect(first?.isPaused()).toBe(false);
  if (first !== undefined) networks.delayNewConnections(first);
  const same = await accept('127.0.0.1');
  expect(same?.isPaused()).toBe(true);
  const other = await accept('127.0.0.2');
  expect([other?.isPaused(), first?.isPaused()]).toEqual([false, false]);
  await expect.poll(() => same?.isPaused()).toBe(false);
});

it('an answer that is not read keeps the next request of its connection waiting, and others are served', async () => {
  let served = 0;
  const serve: RequestListener = (_, response) => {
    served += 1;
    // Far more than the kernel buffers for a client that does not read.
    response.end(Buffer.alloc(32 * 1024 * 1024));
  };
  const server = createServer(inOrder(serve, 16));
  const url = await listen(server);
  onTestFinished(() => stopListening(server));
  const unread = connectTo(url).pause();
  const accepted = once(server, 'connection');
  unread.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10));
  const [socket]: Socket[] = await accepted;
  await expect.poll(() => served).toBe(1);
  // The next one gets its whole answer meanwhile.
  const [response] = await once(send(url).end(), 'response');
  for await (const _ of response);
  expect(served).toBe(2);
  expect([(socket?.writableLength ?? 0) > 0, socket?.isPaused()]).toEqual([true, true]);
  unread.resume();
  await expect.poll(() => served).toBe(11);
});

it('one address gets half of the places, another one is served meanwhile, and some are always left', async () => {
  const { url, waiting, requests, answerAll } = await heldGateway(12);
  const ask = async (localAddress: string) => {
    const sent = send(`${url}/v1/verify`, { method: 'POST', localAddress, agent: false }).end('{"key":"x"}');
    const [response] = await once(sent, 'response');
    await text(response);
    return Number(response.statusCode);
  };
  const answers: Promise<number>[] = [];
  const hold = async (address: string, count: number) => {
    const before = waiting.length;
    for (let i = 0; i < count; i += 1) answers.push(ask(address));
    await expect.poll(() => waiting.length).toBe(before + count);
  };
  await hold('127.0.0.1', 6);
  expect(await ask('127.0.0.1')).toBe(503);
  await hold('127.0.0.2', 3);
  expect(await ask('127.0.0.2')).toBe(503);
  await hold('127.0.0.3', 1);
  expect(requests.underWay).toBe(10);
  answerAll();
  expect(await Promise.all(answers)).toEqual(Array(10).fill(200));
  await hold('127.0.0.1', 6);
  answerAll();
  await Promise.all(answers);
});

it('an address keeps what it holds when it closes its connections and opens others', async () => {
  const { url, waiting, requests, answerAll, connections } = await heldGateway(12);
  for (let i = 1; i <= 6; i += 1) {
    const socket = connectTo(url);
    socket.write(question('key'));
    await expect.poll(() => waiting.length).toBe(i);
    socket.resetAndDestroy();
    await expect.poll(connections).toBe(0);
  }
  expect(await exchangeBytes(url, question('key', 'Connection: close'))).toContain('HTTP/1.1 503');
  expect(requests.underWay).toBe(6);
  answerAll();
  expect(requests.underWay).toBe(0);
  const received = exchangeBytes(url, question('key', 'Connection: close'));
  await expect.poll(() => waiting.length).toBe(1);
  answerAll();
  expect(await received).toContain('HTTP/1.1 200');
});

it('requests that wait for a later turn of the event loop keep their bodies, also if they arrive in parts', async () => {
  const { url, waiting, answerAll } = await heldGateway();
  const count = 300;
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connectTo(url);
      await once(socket, 'connect');
      return socket;
    }),
  );
  const received = sockets.map((socket) => once(socket, 'data'));
  for (const [i, socket] of sockets.entries()) {
    const sent = question(`key-${i}`);
    socket.write(sent.slice(0, -5));
    setImmediate(() => socket.write(sent.slice(-5)));
  }
  await expect.poll(() => waiting.length).toBe(count);
  expect(new Set(waiting.map(({ secret }) => secret)).size).toBe(count);
  answerAll();
  for (const [data] of await Promise.all(received)) expect(String(data)).toContain('HTTP/1.1 200');
});
