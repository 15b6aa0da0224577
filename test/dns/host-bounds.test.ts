// SECURITY.md: Bytes from outside; Silent resolver
/** What a name server can make the resolver read, keep and do. */

import { createSocket, type RemoteInfo } from 'node:dgram';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { decode, encode } from 'dns-packet';
import { expect, onTestFinished, test, vi } from 'vitest';
import { HostResolver, type HostResolverOptions } from '../../src/dns/host-resolver.ts';
import { framed, type LargeAnswers, startLargeNameServer } from '../support/large-answers.ts';

const patient = { timeout: 15_000 };

async function start(answers: LargeAnswers, options: HostResolverOptions = {}) {
  const server = await startLargeNameServer(answers);
  const resolver = new HostResolver({ servers: [server.address], timeoutMs: 5000, ...options });
  onTestFinished(() => {
    resolver.close();
    server.stop();
  });
  const resolve = async (host = 'gate.example') => {
    const { addresses, tooMany } = await resolver.resolveHost(host, 'one');
    return { addresses: addresses.size, tooMany };
  };
  return { server, resolver, resolve };
}

/** The connections that this process opens from now on, until the end of the test. */
function openedConnections(): readonly Socket[] {
  const sockets: Socket[] = [];
  const add = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', add);
  onTestFinished(() => void unsubscribe('net.client.socket', add));
  return sockets;
}

test.each([
  [64, 0, { addresses: 64, tooMany: false }],
  [32, 32, { addresses: 64, tooMany: false }],
  [65, 0, { addresses: 0, tooMany: true }],
  [1, 65, { addresses: 0, tooMany: true }],
  [33, 32, { addresses: 0, tooMany: true }],
])('a name with %i and %i addresses: at most 64 are used, and of more none', async (a, aaaa, expected) => {
  const { resolve } = await start({ a, aaaa });
  expect(await resolve()).toEqual(expected);
});

test('an answer of 64 kB is not read: the connection is closed after its length', async () => {
  const sockets = openedConnections();
  const { server, resolve } = await start({ a: 4000, aaaa: 2300 });
  expect(await resolve()).toEqual({ addresses: 0, tooMany: true });
  expect(server.counts.sentBytes).toBeGreaterThan(2 * 64_000);
  expect(sockets.map(({ bytesRead, destroyed }) => ({ bytesRead, destroyed }))).toEqual(
    Array(2).fill({ bytesRead: 2, destroyed: true }),
  );
});

test('of an answer that is short enough, no byte more than its length is read', async () => {
  const sockets = openedConnections();
  const { server, resolve } = await start({
    a: 10,
    aaaa: 10,
    frame: (answer) => Buffer.concat([framed(answer), Buffer.alloc(50_000)]),
  });
  expect(await resolve()).toEqual({ addresses: 20, tooMany: false });
  const read = sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  expect(read).toBe(server.counts.sentBytes - 2 * 50_000);
});

/** Changes the two bytes at this place. */
function withNumber(answer: Buffer, number: number, at: number): Buffer {
  answer.writeUInt16BE(number, at);
  return answer;
}

test.each<[string, (answer: Buffer) => Buffer]>([
  ['a length of 0', () => Buffer.alloc(2)],
  ['a part of the answer, and nothing more', (answer) => framed(answer).subarray(0, 100)],
  ['an answer to another query', (answer) => framed(withNumber(answer, answer.readUInt16BE(0) ^ 1, 0))],
  ['again a truncated answer', (answer) => framed(withNumber(answer, 0x8380, 2))],
])('over TCP, %s is a failure', async (_, frame) => {
  const { resolve } = await start({ a: 10, aaaa: 10, frame }, { timeoutMs: 200 });
  expect(await resolve()).toEqual({ addresses: 0, tooMany: false });
});

test('an earlier answer is not used when the name has too many addresses since', async () => {
  const clock = { ms: 0 };
  const answers = { a: 64, aaaa: 0, ttl: 10 };
  let frame = framed;
  const { resolve, resolver } = await start({ ...answers, frame: (answer) => frame(answer) }, { now: () => clock.ms });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await resolve()).toEqual({ addresses: 64, tooMany: false });
  frame = () => Buffer.from([0xff, 0xff]);
  // It is queried again before the answer expires.
  clock.ms += 9000;
  vi.advanceTimersByTime(9000);
  await vi.waitUntil(async () => (await resolve()).tooMany, patient);
  expect(await resolver.addresses('gate.example', 'one')).toEqual([]);
});

test('the bytes of addresses count: names with many addresses leave room for fewer names', async () => {
  const kept = async (aaaa: number) => {
    const { server, resolve } = await start({ a: 0, aaaa }, { maxBytes: 10_000 });
    for (let i = 0; i < 8; i += 1) await resolve(`name-${i}.example`);
    const { truncated } = server.counts;
    // From the one used last to the first, so that a name that is queried again evicts none that comes later.
    for (let i = 7; i >= 0; i -= 1) await resolve(`name-${i}.example`);
    return 8 - (server.counts.truncated - truncated) / 2;
  };
  expect(await kept(1)).toBeGreaterThan(await kept(64));
});

/** A name server that answers only when it is told to. */
async function startHeld(options: HostResolverOptions) {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const queries: { readonly message: Buffer; readonly from: RemoteInfo; readonly name: string }[] = [];
  const state = { answers: false };
  const answer = ({ message, from }: { message: Buffer; from: RemoteInfo }) => {
    const { id, questions } = decode(message);
    socket.send(encode({ type: 'response', id, questions, answers: [] }), from.port, from.address);
  };
  socket.on('message', (message, from) => {
    const query = { message, from, name: decode(message).questions?.[0]?.name ?? '' };
    queries.push(query);
    if (state.answers) answer(query);
  });
  const resolver = new HostResolver({ servers: [`127.0.0.1:${socket.address().port}`], timeoutMs: 60_000, ...options });
  onTestFinished(() => {
    resolver.close();
    socket.close();
  });
  const askedFor = (team: string) =>
    new Set(queries.map(({ name }) => name).filter((name) => name.startsWith(team))).size;
  const prefetch = (team: string, count: number) =>
    resolver.prefetch(
      team,
      Array.from({ length: count }, (_, i) => `${team}-${i}.example`),
    );
  return {
    resolver,
    queries,
    askedFor,
    prefetch,
    answerAll: () => {
      state.answers = true;
      for (const query of queries) answer(query);
    },
  };
}

test('a team has a share of the open queries, and those of another team are sent at once', async () => {
  const places = { total: 6, ofTeam: 4, minHoldMs: 0 };
  const { askedFor, prefetch, queries } = await startHeld({ places });
  prefetch('one', 20);
  prefetch('two', 20);
  await vi.waitUntil(() => queries.length === 12, patient);
  for (let i = 0; i < 20; i += 1) await turn();
  expect([askedFor('one'), askedFor('two')]).toEqual([4, 2]);
});

test('teams that wait for a place take turns', async () => {
  const places = { total: 1, ofTeam: 20, minHoldMs: 0 };
  const { prefetch, queries, answerAll, resolver } = await startHeld({ places });
  prefetch('one', 20);
  prefetch('two', 1);
  prefetch('three', 1);
  await vi.waitUntil(() => queries.length === 2, patient);
  answerAll();
  await resolver.resolve('one', ['one-19.example']);
  const order = [...new Set(queries.map(({ name }) => name))];
  expect(order).toHaveLength(22);
  expect(order.slice(0, 5)).toEqual(expect.arrayContaining(['one-0.example', 'two-0.example', 'three-0.example']));
});

test('a place is held for a minimum time, so that fast answers do not make a team query more names a second', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const places = { total: 8, ofTeam: 4, minHoldMs: 250 };
  const { askedFor, prefetch, answerAll, resolver } = await startHeld({ places });
  answerAll();
  prefetch('one', 20);
  for (const expected of [4, 8, 12]) {
    // Not `vi.waitUntil`, which moves the fake clock.
    while (askedFor('one') < expected) await turn();
    await resolver.resolve(
      'one',
      Array.from({ length: 4 }, (_, i) => `one-${expected - 1 - i}.example`),
    );
    vi.advanceTimersByTime(249);
    for (let i = 0; i < 20; i += 1) await turn();
    expect(askedFor('one')).toBe(expected);
    vi.advanceTimersByTime(1);
  }
});

test('without a free place in time, callers are told that too many wait, and their names are not queried later', async () => {
  const places = { total: 2, ofTeam: 1, minHoldMs: 0 };
  const { resolver, queries, askedFor } = await startHeld({ places, timeoutMs: 500 });
  const first = ['one', 'two'].map((team) => resolver.addresses(`${team}-a.example`, team));
  // Of a team with a place, and of one that has none because all are taken.
  for (const team of ['one', 'three']) {
    await expect(resolver.addresses(`${team}-b.example`, team)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  }
  expect(await Promise.all(first)).toEqual([[], []]);
  const last = ['one', 'three'].map((team) => resolver.addresses(`${team}-c.example`, team));
  await vi.waitUntil(() => askedFor('one') === 2 && askedFor('three') === 1, patient);
  expect(new Set(queries.map(({ name }) => name))).toEqual(
    new Set(['one-a.example', 'two-a.example', 'one-c.example', 'three-c.example']),
  );
  resolver.close();
  await Promise.all(last);
});

test('each open query has a port of its own and a random id', async () => {
  const { queries, prefetch } = await startHeld({});
  prefetch('one', 20);
  await vi.waitUntil(() => queries.length === 40, patient);
  expect(new Set(queries.map(({ from }) => from.port)).size).toBe(40);
  expect(new Set(queries.map(({ message }) => message.readUInt16BE(0))).size).toBeGreaterThan(30);
});
