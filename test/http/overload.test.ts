/** What each port does when more is asked of it than it takes on at once. */
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen, stopListening } from '../support/gateway.ts';
import { both, type RunningService, rest, sessionToken, startService } from '../support/service.ts';

const team = randomUUID();
const token = sessionToken({ [team]: both });

let running: RunningService;
let verifyUrl: string;
let secret: string;

// On PostgreSQL, because there a lock of the test's own makes calls wait for exactly as long as it likes.
beforeAll(async () => {
  running = await startService('postgresql');
  verifyUrl = await listen(running.service.gateway);
  secret = (await create()).body.secret;
});
afterAll(async () => {
  await stopListening(running.service.gateway);
  await running.stop();
});

const create = () => rest(running.url, token, 'POST', '/v1/keys', { teamId: team, name: 'A key', env: 'live' });
const verify = () => rest(verifyUrl, null, 'POST', '/v1/verify', { key: secret });
const authorize = () => fetch(`${verifyUrl}/v1/authorize`, { headers: { authorization: `Bearer ${secret}` } });

/** While it runs, nobody can read or take a revision. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: running.database.url });
  await client.connect();
  try {
    await client.query('BEGIN; LOCK TABLE "Revision" IN ACCESS EXCLUSIVE MODE');
    await work();
    await client.query('ROLLBACK');
  } finally {
    await client.end();
  }
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
}

/** Starts calls until the first one is turned away, and answers that one and all those that were started before. */
async function callUntilTurnedAway<A extends Answered>(call: () => Promise<A>, atMost: number) {
  const started: Promise<A>[] = [];
  let first: A | undefined;
  while (first === undefined && started.length < atMost) {
    const batch = Array.from({ length: 50 }, call);
    for (const one of batch) {
      void one.then((answer) => {
        first ??= answer;
      });
    }
    started.push(...batch);
    // Until what was sent has arrived, asked for at the same port, which answers in order of arrival.
    await Promise.race([...started, fetch(`${running.url}/healthz`).then((response) => response.text())]);
  }
  if (first === undefined) throw new Error('nobody was turned away');
  return { first, started };
}

it('management turns callers away at once when 256 calls are under way, and goes on when they are done', async () => {
  let waiting: Promise<Answered>[] = [];
  await whileLocked(async () => {
    const { first, started } = await callUntilTurnedAway(create, 2000);
    expect(first.status).toBe(503);
    expect(first.headers.get('retry-after')).toBe('1');
    expect(first.body).toMatchObject({ code: 'UNAVAILABLE', requestId: first.headers.get('x-request-id') });
    expect(first.body.detail).toContain('Too many calls');
    let turnedAway = 0;
    for (const one of started) void one.then(() => (turnedAway += 1));
    await expect.poll(() => turnedAway, { timeout: 4000 }).toBe(started.length - 256);
    // An orchestrator must not take an instance for dead because it is busy.
    expect((await fetch(`${running.url}/healthz`)).status).toBe(200);
    waiting = started;
  });
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(256);
  expect((await create()).status).toBe(201);
});

it.each([
  ['verify', verify],
  ['authorize', authorize],
])('%s turns callers away at once when 1,024 are under way, and goes on when they are done', async (_, call) => {
  await whileLocked(async () => {
    const { first, started } = await callUntilTurnedAway<Answered>(call, 5000);
    expect(first.status).toBe(503);
    expect(first.headers.get('retry-after')).toBe('1');
    expect(started.length).toBeGreaterThan(1024);
    // Those who wait hear that the store does not answer: nobody hears yes.
    for (const { status } of await Promise.all(started)) expect(status).toBe(503);
  });
  await expect.poll(async () => (await call()).status, { timeout: 5000 }).toBe(200);
});

it('clients that dribble their requests hold no place', async () => {
  const dribble = (url: string, head: string): Socket => {
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`${head}\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
    return socket;
  };
  const sockets = [
    ...Array.from({ length: 300 }, () =>
      dribble(running.url, `POST /v1/keys HTTP/1.1\r\nAuthorization: Bearer ${token}`),
    ),
    ...Array.from({ length: 1100 }, () => dribble(verifyUrl, 'POST /v1/verify HTTP/1.1')),
  ];
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  expect((await create()).status).toBe(201);
  expect((await verify()).body.code).toBe('VALID');
  for (const socket of sockets) socket.destroy();
});
