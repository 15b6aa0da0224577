// SECURITY.md: Slow reader
/** What the management port does above its capacity. `npm run load -- overload` measures it under load. */
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { Calls } from '../../src/admission/calls.ts';
import { inOrder } from '../../src/admission/in-order.ts';
import type { Permission } from '../../src/domain/key/permission.ts';
import { maxCost } from '../../src/graphql/operation-limits.ts';
import { maxPipelined } from '../../src/http/app.ts';
import { entrances } from '../../src/http/entrances.ts';
import { sendRestError } from '../../src/http/errors.ts';
import { parseBody, parseShortBody, readBody } from '../../src/http/json-body.ts';
import { RequestCounters } from '../../src/metrics/request-counters.ts';
import { answerHalfClosed } from '../../src/service/processes/connections.ts';
import { listen, type Sent, send, stopListening } from '../support/gateway.ts';
import { both, type RunningService, rest, sessionToken, startService } from '../support/service.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** The middleware that admits calls, before work that ends when the test says so. */
class HeldManagement {
  readonly waiting: Response[] = [];
  readonly reports: string[] = [];
  readonly requests = new RequestCounters('management');
  url = '';

  async start(maxSlots: number): Promise<void> {
    const report = (_: unknown, what: string) => void this.reports.push(what);
    const calls = new Calls({ maxCalls: maxSlots, maxCost, counters: this.requests, report });
    const { arrive, enter, enterPublic } = entrances(calls);
    const app = express();
    const hold = (_: Request, response: Response) => void this.waiting.push(response);
    app.get('/readyz', (_, response) => void response.json('ready'));
    app.get('/openapi.json', withCaller, enterPublic, hold);
    app.use(readBody, withCaller, parseShortBody, enter, parseBody, hold);
    app.use(sendRestError);
    const server = createServer(inOrder(arrive(app as RequestListener), maxPipelined));
    answerHalfClosed(server);
    stops.push(() => stopListening(server));
    this.url = await listen(server);
  }

  async count(expected: number): Promise<void> {
    await expect.poll(() => this.waiting.length).toBe(expected);
  }

  /** Sends the calls, and waits until all of them are in progress. */
  async hold(calls: readonly Sent[]): Promise<void> {
    const before = this.waiting.length;
    for (const call of calls) void send(this.url, call).catch(() => undefined);
    await this.count(before + calls.length);
  }
}

/** Instead of a session token: the caller and the address are what the test's headers say. */
const withCaller: RequestHandler = (request, response, next) => {
  const { 'x-subject': subject, 'x-team': team, 'x-address': address, 'x-can': can } = request.headers;
  const held: Record<string, readonly Permission[]> = { revoke: ['manage_keys'], access: ['manage_access'] };
  const permissions = new Set(held[String(can)]);
  response.locals.caller = {
    session: {
      subject: String(subject ?? randomUUID()),
      teams: new Map([[String(team ?? randomUUID()), permissions]]),
      teamNames: new Map(),
    },
    actorKind: 'SESSION',
    credential: null,
    source: String(address ?? randomAddress()),
    requestId: randomUUID(),
    now: new Date(),
  };
  Object.defineProperty(request, 'ip', { value: response.locals.caller.source });
  next();
};

const randomAddress = () => `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join('.')}`;

/** The work is a stand-in, whose answers do not have to match openapi.yaml. */
const call = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Sent => ({
  method,
  path,
  headers: { 'content-type': 'application/json', ...headers },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  elsewhere: true,
});
const create = (headers: Record<string, string> = {}) => call('POST', '/v1/keys', headers, {});
const revoke = (headers: Record<string, string> = {}) =>
  call('DELETE', `/v1/keys/${randomUUID()}`, { 'x-can': 'revoke', ...headers });
const mutation = (query: string, can = 'revoke') => call('POST', '/graphql', { 'x-can': can }, { query });
const many = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));

async function start(maxSlots: number): Promise<HeldManagement> {
  const held = new HeldManagement();
  await held.start(maxSlots);
  return held;
}

describe('slots', () => {
  it('rejects calls above its capacity immediately, and accepts calls again when a slot is free', async () => {
    const held = await start(2);
    const { url } = held;
    const waiting = [send(url, create()), send(url, create())];
    await held.count(2);
    const rejected = await send(url, create());
    expect(rejected.status).toBe(503);
    expect(rejected.headers['retry-after']).toBe('1');
    expect(rejected.headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(rejected.body)).toMatchObject({
      code: 'UNAVAILABLE',
      requestId: rejected.headers['x-request-id'],
    });
    expect(held.reports).toEqual(['management calls were rejected because too many are in progress']);
    const accept = 'application/graphql-response+json';
    const overGraphQL = await send(url, { path: '/graphql', headers: { accept }, elsewhere: true });
    expect(overGraphQL.headers['content-type']).toBe(`${accept}; charset=utf-8`);
    expect(JSON.parse(overGraphQL.body)).toMatchObject({
      errors: [{ extensions: { code: 'UNAVAILABLE', requestId: overGraphQL.headers['x-request-id'] } }],
    });
    // A health check is still answered.
    expect((await send(url, { path: '/readyz', elsewhere: true })).status).toBe(200);
    for (const response of held.waiting) response.json({});
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
    const again = send(url, create());
    await held.count(3);
    held.waiting[2]?.json({});
    expect((await again).status).toBe(200);
  });

  it('are released when callers go away without waiting for their answer', async () => {
    const held = await start(1);
    const impatient = connectTo(held.url);
    impatient.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await held.count(1);
    // A closed sending side alone may be that of a client that waits for its answer.
    impatient.resetAndDestroy();
    await expect.poll(() => held.requests.underWay).toBe(0);
    await held.hold([create()]);
  });

  it('one caller gets a quarter of them, from however many addresses', async () => {
    const held = await start(16);
    await held.hold(many(4, () => create({ 'x-subject': 'greedy' })));
    const rejected = await send(held.url, create({ 'x-subject': 'greedy' }));
    expect(rejected.status).toBe(429);
    expect(rejected.headers['retry-after']).toBe('1');
    expect(JSON.parse(rejected.body)).toMatchObject({ code: 'RATE_LIMITED' });
    await held.hold([create({ 'x-subject': 'another' })]);
    held.waiting[0]?.json({});
    await expect.poll(() => held.requests.underWay).toBe(4);
    await held.hold([create({ 'x-subject': 'greedy' })]);
  });

  it.each([
    ['an IPv4 address', () => ({ 'x-address': '192.0.2.1' })],
    ['a /64 of IPv6', (i: number) => ({ 'x-address': `2001:db8::${i}` })],
    ['a team', () => ({ 'x-team': '123e4567-e89b-42d3-a456-426614174000' })],
  ])('%s gets half of them, with however many callers', async (_, headersOf) => {
    const held = await start(16);
    await held.hold(many(8, (i) => create(headersOf(i))));
    expect((await send(held.url, create(headersOf(9)))).status).toBe(429);
    await held.hold(many(8, () => create({ 'x-address': randomAddress() })));
  });

  it('pages and files take none of them, and one address gets a part of their own', async () => {
    const held = await start(1);
    await held.hold(many(64, () => call('GET', '/openapi.json', { 'x-address': '192.0.2.1' })));
    expect((await send(held.url, call('GET', '/openapi.json', { 'x-address': '192.0.2.1' }))).status).toBe(429);
    await held.hold([call('GET', '/openapi.json', { 'x-address': '192.0.2.2' }), create()]);
  });
});

describe('a revocation', () => {
  const revocations: readonly [string, Sent][] = [
    ['DELETE /v1/keys/:id', revoke()],
    ['the mutation revokeKey', mutation('mutation Revoke($id: UUID!) { revokeKey(id: $id) { apiKey { id } } }')],
    ['DELETE /v1/management-keys/:id', call('DELETE', `/v1/management-keys/${randomUUID()}`, { 'x-can': 'access' })],
    [
      'the mutation revokeManagementKey',
      mutation('mutation { revokeManagementKey(id: "x") { managementKey { id } } }', 'access'),
    ],
    ['POST /v1/fences', call('POST', '/v1/fences', { 'x-can': 'revoke' }, {})],
    ['the mutation freezeKeys', mutation('mutation { freezeKeys(input: { teamId: "x", reason: "y" }) { keys } }')],
    ['the mutation deleteTrustRule', mutation('mutation { deleteTrustRule(id: "x") { ok } }', 'access')],
    [
      'the mutation revokeKeyByExternalId',
      mutation('mutation { revokeKeyByExternalId(teamId: "x", env: live, externalId: "y") { apiKey { id } } }'),
    ],
    [
      'the mutation revokeKey with a fragment',
      mutation('mutation { gone: revokeKey(id: "x") { apiKey { ...A } } } fragment A on ApiKey { id }'),
    ],
  ];

  it.each(revocations)('as %s is served while other callers hold every slot', async (_, revocation) => {
    const held = await start(256);
    await held.hold(many(256, () => create({ 'x-can': 'revoke' })));
    expect((await send(held.url, create())).status).toBe(503);
    const revoked = send(held.url, revocation);
    await held.count(257);
    held.waiting[256]?.json({ ok: true });
    expect((await revoked).status).toBe(200);
    expect((await send(held.url, create())).status).toBe(503);
  });

  it.each([
    ['by a caller who may revoke no key', call('DELETE', '/v1/keys/x')],
    ['that is a sign-out', call('DELETE', '/session', { 'x-can': 'revoke' })],
    [
      'that is a sign-out in a spelling that the router accepts, too',
      call('DELETE', '/Session/', { 'x-can': 'revoke' }),
    ],
    ['beside other work', mutation('mutation { revokeKey(id: "x") { apiKey { id } } createKey { secret } }')],
    ['that is a query of that name', mutation('query revokeKey { keys { nodes { id } } }')],
    ['that is one of two operations', mutation('mutation A { revokeKey(id: "x") { apiKey { id } } } query B { a }')],
    ['that is no GraphQL', mutation('mutation { revokeKey(')],
  ])('%s gets no reserved slot', async (_, sent) => {
    const held = await start(1);
    await held.hold([create()]);
    expect((await send(held.url, sent)).status).toBe(503);
  });

  it('is looked for in short bodies only: a long one is not parsed while all slots are taken', async () => {
    const held = await start(1);
    await held.hold([create()]);
    const invalid = (length: number) => ({ ...mutation(''), body: 'x'.repeat(length) });
    expect((await send(held.url, invalid(4000))).status).toBe(400);
    expect((await send(held.url, invalid(4001))).status).toBe(503);
  });

  it('holds its slot until its client has read the answer, so that unread answers have limited memory', async () => {
    const held = await start(1);
    await held.hold([create()]);
    // More than the buffers of a socket take, and its client reads nothing.
    const unread = many(8, () => connectTo(held.url).pause());
    for (const socket of unread)
      socket.write('DELETE /v1/keys/x HTTP/1.1\r\nHost: localhost\r\nx-subject: one\r\nx-can: revoke\r\n\r\n');
    await held.count(9);
    const ninth = revoke({ 'x-subject': 'one' });
    expect((await send(held.url, ninth)).status).toBe(503);
    const [other, ...answers] = held.waiting;
    for (const answer of answers) answer.send('x'.repeat(30_000_000));
    expect((await send(held.url, ninth)).status).toBe(503);
    expect(answers.map(({ closed }) => closed)).toEqual(many(8, () => false));
    for (const socket of unread) socket.destroy();
    await expect.poll(() => held.requests.underWay).toBe(1);
    await held.hold([ninth]);
    other?.json({});
  });

  it.each([
    ['an IPv4 address', () => ({ 'x-address': '192.0.2.1' })],
    ['a team', () => ({ 'x-team': '123e4567-e89b-42d3-a456-426614174000' })],
  ])('has half of the reserved slots for %s, with however many callers', async (_, headersOf) => {
    const held = await start(1);
    await held.hold([create()]);
    await held.hold(many(256, () => revoke(headersOf())));
    expect((await send(held.url, revoke(headersOf()))).status).toBe(503);
    await held.hold([revoke()]);
  });

  it('of one caller who sends too many do not prevent revokes of other callers', async () => {
    const held = await start(1);
    await held.hold([create()]);
    await held.hold(many(8, () => revoke({ 'x-subject': 'flooding' })));
    expect((await send(held.url, revoke({ 'x-subject': 'flooding' }))).status).toBe(503);
    await held.hold([revoke({ 'x-subject': 'another' })]);
  });
});

describe('pipelined requests', () => {
  const connection = () => {
    const socket = connectTo(held.url);
    const get = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    return { socket, get };
  };
  let held: HeldManagement;

  it('of one connection are served one after the other, and answered in their order', async () => {
    held = await start(256);
    const { socket, get } = connection();
    let received = '';
    socket.on('data', (data) => {
      received += data;
    });
    for (const path of ['/1', '/2', '/3']) get(path);
    for (const place of [0, 1, 2]) {
      await held.count(place + 1);
      expect(held.requests.underWay).toBe(1);
      held.waiting[place]?.send(`answer ${place}`);
    }
    await expect.poll(() => received.match(/answer \d/g)).toEqual(['answer 0', 'answer 1', 'answer 2']);
    socket.destroy();
  });

  it('above the limit end the connection', async () => {
    held = await start(256);
    const { socket, get } = connection();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    for (let i = 0; i < 150; i += 1) get(`/${i}`);
    await closed;
    await expect.poll(() => held.requests.underWay).toBe(0);
  });
});

function connectTo(url: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  return socket;
}

it('connections that pipeline calls and go away leave the service as it was', async () => {
  const running: RunningService = await startService('sqlite');
  stops.push(running.stop);
  const team = randomUUID();
  const token = sessionToken({ [team]: both });
  const list = `GET /v1/keys?teamId=${team} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  for (let i = 0; i < 4; i += 1) {
    const socket = connectTo(running.url);
    socket.write(list.repeat(70));
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
  }
  // 256 slots lost would be all of them.
  const underWay = () => running.service.readings.management?.().requests.underWay;
  await expect.poll(underWay).toBe(0);
  expect((await rest(running.url, token, 'GET', `/v1/keys?teamId=${team}`)).status).toBe(200);
});
