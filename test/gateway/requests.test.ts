// SECURITY.md: Malformed or ambiguous input; Hostile caller of the verification port
/** How the verification port reads requests, and what it says of those that it does not take. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { type Sent, send, sharedGateway, verifyAt } from '../support/gateway.ts';
import { exchangeBytes as exchange } from '../support/raw-exchange.ts';

const gateway = sharedGateway('sqlite');
const unknownKey = () => mintSecret('lk', 'live', randomBytes).secret;
const exchangeBytes = (...sent: (string | Uint8Array)[]) => exchange(gateway.url, ...sent);

describe('the body of /v1/verify', () => {
  it.each([
    ['key', (key: string) => `{"key":"x","key":"${key}"}`],
    ['key', (key: string) => `{"key":"${key}","key":"${key}"}`],
    ['key', (key: string) => `{"k\\u0065y":"x","key":"${key}"}`],
    ['env', (key: string) => `{"env":"test","key":"${key}","env":"live"}`],
    ['request.url', (key: string) => `{"key":"${key}","request":{"method":"GET","url":"a","url":"b","headers":{}}}`],
    [
      'request.headers.signature',
      (key: string) =>
        `{"key":"${key}","request":{"method":"GET","url":"a","headers":{"signature":"a","signature":"b"}}}`,
    ],
  ])('with %s given twice is rejected by its name', async (field, body) => {
    const { secret } = await gateway.issue();
    const answer = await verifyAt(gateway.url, body(secret));
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([{ field, message: 'must be given once' }]);
    expect(JSON.stringify(answer.body)).not.toContain(secret);
  });

  it('that is not UTF-8 is rejected', async () => {
    const body = Buffer.concat([Buffer.from('{"key":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    const head = `POST /v1/verify HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
    const received = await exchangeBytes(head, body);
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
    expect(received).toContain('"field":"body","message":"must be UTF-8"');
  });

  it('with thousands of unknown fields is answered with a hundred errors', async () => {
    const fields = Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`field${i}`, 1]));
    expect((await verifyAt(gateway.url, fields)).body.errors).toHaveLength(100);
  });
});

describe('requests on one connection', () => {
  const question = (key: string) => JSON.stringify({ key });
  const head = (lines: string) =>
    `POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${lines}\r\n\r\n`;
  const whole = (body: string) => `${head(`Content-Length: ${body.length}`)}${body}`;
  const chunked = (...parts: string[]) =>
    `${head('Transfer-Encoding: chunked')}${[...parts, ''].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}`;
  const last = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const statusesIn = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
  const codesIn = (received: string) => [...received.matchAll(/"code":"(\w+)"/g)].map(([, code]) => code);

  it('each get the verdict on their own body, however it was split, and an unread body belongs to no other', async () => {
    const { secret } = await gateway.issue();
    const valid = question(secret);
    const ignored = `GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: ${valid.length}\r\n\r\n${valid}`;
    const sent = [
      ...[whole(valid), chunked(valid.slice(0, 5), valid.slice(5)), whole('{"key":"x"}'), ignored, whole(valid)],
      ...[chunked(), last],
    ].join('');
    const received = await exchangeBytes(sent);
    expect(statusesIn(received)).toEqual(['200', '200', '200', '200', '200', '400', '200']);
    expect(codesIn(received)).toEqual(['VALID', 'VALID', 'MALFORMED', 'VALID', 'BAD_USER_INPUT']);
    // The same, one byte after the other.
    expect(codesIn(await exchangeBytes(...[...sent].map((byte) => Buffer.from(byte))))).toEqual(codesIn(received));
  });

  it('a body that is too long is answered 413 once, and the connection is closed', async () => {
    const received = await exchangeBytes(head('Content-Length: 200000'), 'x'.repeat(100_000));
    expect(statusesIn(received)).toEqual(['413']);
    expect(received).toMatch(/^connection: close/im);
  });

  it('a connection that is cut within a body leaves nothing behind, and others are served', async () => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.write(`${head('Content-Length: 100')}{"key`);
    await once(socket, 'connect');
    socket.destroy();
    const { secret } = await gateway.issue();
    expect((await verifyAt(gateway.url, { key: secret })).body.code).toBe('VALID');
  });
});

describe('a request target in absolute form (RFC 9112, section 3.2.2)', () => {
  const ask = (url: string, { path, ...sent }: Sent) =>
    send(url, { ...sent, path: `http://latchkey.example:4001${path}`, elsewhere: true });

  it('is taken for the path that it has, at both ports', async () => {
    const { secret } = await gateway.issue();
    const answer = await ask(gateway.url, {
      method: 'POST',
      path: '/v1/verify',
      body: JSON.stringify({ key: secret }),
    });
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([200, 'VALID']);
    const headers = { authorization: `Bearer ${secret}` };
    expect((await ask(gateway.url, { path: `/v1/authorize?env=live`, headers })).status).toBe(200);
    expect((await ask(gateway.url, { path: `/v1/authorize?env=test`, headers })).status).toBe(403);
    for (const url of [gateway.url, gateway.running.url]) {
      for (const path of ['/healthz', '/readyz']) expect((await ask(url, { path })).status).toBe(200);
    }
    const keys = await ask(gateway.running.url, { path: `/v1/keys?teamId=${gateway.teamId}` });
    expect([keys.status, JSON.parse(keys.body).code]).toEqual([401, 'UNAUTHENTICATED']);
    expect((await ask(gateway.running.url, { path: `/openapi.json` })).status).toBe(200);
    const revoked = await ask(gateway.url, { method: 'DELETE', path: `/v1/keys/self`, headers });
    expect(revoked.status).toBe(200);
  });

  it('with user information, or of another scheme, is at no path', async () => {
    for (const path of ['http://user@latchkey.example/healthz', 'ftp://latchkey.example/healthz', '*']) {
      expect(
        (await send(gateway.url, { path, elsewhere: true, method: path === '*' ? 'OPTIONS' : 'GET' })).status,
      ).toBe(404);
    }
  });
});

it('health answers GET and HEAD, and any other method gets 405 with Allow', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const head = await send(gateway.url, { method: 'HEAD', path });
    expect([head.status, head.body]).toEqual([200, '']);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await send(gateway.url, { method, path });
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
    }
  }
});

describe('unknown keys of one source', () => {
  const limited = sharedGateway('sqlite', { UNKNOWN_KEY_LIMIT: '3' });
  const code = async (key: string, sourceIp?: string) => {
    const { status, headers, body } = await verifyAt(limited.url, { key, sourceIp });
    expect(headers.has('retry-after')).toBe(status === 429);
    return body.code;
  };

  it('are limited, those of an IPv6 /64 together, and other sources and known keys are served', async () => {
    const { secret, id } = await limited.issue();
    expect(await code(secret, '2001:db8::1')).toBe('VALID');
    for (let i = 0; i < 3; i += 1) expect(await code(unknownKey(), `2001:db8::${i}`)).toBe('NOT_FOUND');
    expect(await code(unknownKey(), '2001:db8::ffff')).toBe('RATE_LIMITED');
    expect(await code(unknownKey(), '2001:db8:0:1::1')).toBe('NOT_FOUND');
    // What is in the cache is decided on as ever, and so is what can't be a key.
    expect(await code(secret, '2001:db8::1')).toBe('VALID');
    expect(await code('junk', '2001:db8::1')).toBe('MALFORMED');
    await limited.revoke(id);
    expect(await code(secret, '2001:db8::1')).toBe('REVOKED');
  });

  it('are not limited where no source is known: the address of the caller is that of a gateway', async () => {
    for (let i = 0; i < 10; i += 1) expect(await code(unknownKey())).toBe('NOT_FOUND');
  });
});

it('a connection that sends rejected requests without waiting for responses is closed', async () => {
  const one = 'DELETE /v1/keys/self HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer junk\r\n\r\n';
  const received = await exchangeBytes(one.repeat(500));
  expect(received.split('HTTP/1.1 401').length - 1).toBeLessThan(500);
});
