// SECURITY.md: Bytes from outside; Slow reader
/** What the verification port does above its capacity, and both ports with slow senders. See also turns.test.ts. */
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GatewayOptions } from '../../src/gateway/options.ts';
import type { Responder } from '../../src/verify/verification.ts';
import { type Sent, send, startGateway, startPort } from '../support/gateway.ts';
import { both, rest, sessionToken } from '../support/service.ts';

/** Work that is done when the test says so. */
class Held<T> {
  readonly waiting: T[] = [];
  readonly reports: string[] = [];
  readonly report = (_: unknown, what: string) => this.reports.push(what);

  async count(expected: number): Promise<void> {
    await expect.poll(() => this.waiting.length).toBe(expected);
  }
}

/** The verification port over a verifier that waits. */
async function heldGateway(capacity: number) {
  const held = new Held<Responder>();
  const verify: GatewayOptions['verifier']['verify'] = (_, respond) => void held.waiting.push(respond);
  const verifier = { verify, find: async () => undefined };
  const { url } = await startPort({ verifier, capacity, report: held.report });
  return { held, url };
}

const verify: Sent = { method: 'POST', path: '/v1/verify', body: '{"key":"x"}' };
const authorize: Sent = { path: '/v1/authorize', headers: { authorization: 'Bearer x' } };
describe.each([
  ['POST /v1/verify', verify],
  ['/v1/authorize', authorize],
])('%s', (_, call) => {
  it('is rejected immediately above the capacity, and accepted again when a slot is free', async () => {
    // One address gets half of it.
    const { held, url } = await heldGateway(6);
    const waiting = [send(url, call), send(url, call), send(url, call)];
    await held.count(3);
    for (let i = 0; i < 2; i += 1) {
      const rejected = await send(url, call);
      expect(rejected.status).toBe(503);
      expect(rejected.headers['retry-after']).toBe('1');
      expect(JSON.parse(rejected.body)).toMatchObject({
        code: 'UNAVAILABLE',
        detail: expect.stringContaining('Too many'),
      });
    }
    expect(held.reports).toEqual([
      'verifications were rejected because too many are in progress',
      'verifications were rejected because too many are in progress',
    ]);
    // A failed verification frees its slot like an answered one, and neither frees it twice.
    held.waiting[0]?.fail(new Error('gone'));
    held.waiting[0]?.fail(new Error('gone again'));
    held.waiting[1]?.answer({ code: 'NOT_FOUND', key: null, rateLimit: null });
    waiting.push(send(url, call), send(url, call));
    await held.count(5);
    expect((await send(url, call)).status).toBe(503);
    for (const respond of held.waiting.slice(2)) respond.answer({ code: 'NOT_FOUND', key: null, rateLimit: null });
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(1);
  });
});

it('clients that send their requests slowly hold no slot', async () => {
  const gateway = await startGateway('sqlite');
  onTestFinished(gateway.stop);
  const { url: managementUrl } = gateway.running;
  const token = sessionToken({ [gateway.teamId]: both });
  const { secret } = await gateway.issue();
  const sendSlowly = (url: string, head: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`${head}\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
    return socket;
  };
  const sockets = [
    ...Array.from({ length: 300 }, () =>
      sendSlowly(managementUrl, `POST /v1/keys HTTP/1.1\r\nAuthorization: Bearer ${token}`),
    ),
    ...Array.from({ length: 1100 }, () => sendSlowly(gateway.url, 'POST /v1/verify HTTP/1.1')),
  ];
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  const created = await rest(managementUrl, token, 'POST', '/v1/keys', {
    teamId: gateway.teamId,
    name: 'x',
    env: 'live',
  });
  expect(created.status).toBe(201);
  expect((await rest(gateway.url, null, 'POST', '/v1/verify', { key: secret })).body.code).toBe('VALID');
  for (const socket of sockets) socket.destroy();
});
