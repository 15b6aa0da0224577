/** What calls of `POST /v1/introspect` hold and cost, and what the port makes of arbitrary bodies. */
import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/domain/verdict/verification-call.ts';
import type { Responder } from '../../src/verify/verification.ts';
import { send, sharedGateway, startPort } from '../support/gateway.ts';
import { exchangeBytes } from '../support/raw-exchange.ts';

const headers = { 'content-type': 'application/x-www-form-urlencoded' };
const call = (body: string) => ({ method: 'POST', path: '/v1/introspect', headers, body });
const head = (lines: string) =>
  `POST /v1/introspect HTTP/1.1\r\nHost: x\r\nContent-Type: ${headers['content-type']}\r\n${lines}\r\n\r\n`;

describe('the capacity of the port', () => {
  const outcome: Outcome = { code: 'NOT_FOUND', key: null, rateLimit: null };

  async function heldPort(capacity: number) {
    const held: Responder[] = [];
    const port = await startPort({
      verifier: { verify: (_, respond) => held.push(respond), find: async () => undefined },
      capacity,
    });
    return { ...port, held };
  }

  it('holds one place for each introspection until its verdict, and rejects those of one address above half of it', async () => {
    const { url, requests, held } = await heldPort(4);
    const waiting = [send(url, call('token=a')), send(url, call('token=b'))];
    await expect.poll(() => held.length).toBe(2);
    expect(requests.underWay).toBe(2);
    const rejected = await send(url, call('token=c'));
    expect([rejected.status, JSON.parse(rejected.body).error]).toEqual([503, 'temporarily_unavailable']);
    expect([rejected.headers['retry-after'], requests.turnedAway]).toEqual(['1', 1]);
    for (const respond of held) respond.answer(outcome);
    for (const { body } of await Promise.all(waiting)) expect(body).toBe('{"active":false}');
    expect(requests.underWay).toBe(0);
  });

  it('is not held by a body that has not arrived, nor by an invalid call', async () => {
    const { url, requests, held } = await heldPort(2);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`${head('Content-Length: 100')}token=a`);
    await once(socket, 'connect');
    for (const body of ['', 'token=a&token=a', 'token=a&env=prod'])
      expect((await send(url, call(body))).status).toBe(400);
    expect([requests.underWay, held.length]).toEqual([0, 0]);
    socket.write('x'.repeat(100 - 'token=a'.length));
    await expect.poll(() => held.length).toBe(1);
    expect(requests.underWay).toBe(1);
    held[0]?.answer(outcome);
    expect(String(await once(socket, 'data'))).toContain('{"active":false}');
    socket.destroy();
  });
});

describe('a body', () => {
  const gateway = sharedGateway('sqlite');

  it('is the same however it is split', async () => {
    const { id, secret } = await gateway.issue();
    const body = `token=${secret}`;
    const sent = `${head(`Connection: close\r\nContent-Length: ${body.length}`)}${body}`;
    const received = await exchangeBytes(gateway.url, ...[...sent].map((byte) => Buffer.from(byte)));
    expect(received).toContain(`"active":true,"client_id":"${id}"`);
  });

  it('that is arbitrary never makes a key active, and never causes an error of the service', async () => {
    const { secret } = await gateway.issue({ env: 'test', allowedIps: ['192.0.2.1'] });
    const part = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('&', '=', '+', '%', '%00', '%ff', 'token', 'token=', 'env=', 'live', 'source_ip=', '203.0.113.1'),
      fc.constantFrom(secret, `token=${secret}`, '&scope=', '&env=live', '&source_ip=::', '\0', '\r\n'),
    );
    const body = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    const property = fc.asyncProperty(body, async (sent) => {
      const { status, body } = await send(gateway.url, { ...call(sent), elsewhere: true });
      expect([200, 400]).toContain(status);
      expect(body).not.toContain(secret);
      if (status === 200) expect(body).toBe('{"active":false}');
    });
    await fc.assert(property, { numRuns: 100 });
  });
});
