// SECURITY.md: A signed request; Headers that a client of a gateway writes
/**
 * What docs/tasks/gateways.md guarantees of each gateway, from the client's side, with the configuration that a reader copies.
 * nginx, Caddy, HAProxy and Apache httpd are real; Traefik and Envoy are stand-ins, whose limits stand-in-proxy.ts describes.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkContentDigest } from '../../src/client/express.ts';
import { signRequest } from '../../src/client/sign.ts';
import {
  listen,
  type RunningGateway,
  type Sent,
  send,
  sendOverHttp2,
  sharedGateway,
  startGateway,
  stopListening,
} from '../support/gateway.ts';
import { exchangeHalfClosed } from '../support/raw-exchange.ts';
import { type Kind, kinds, type Outcome, rejected, type Way, type Ways, warnOfAbsent } from './kinds.ts';
import { at, nextFile, recipe } from './page.ts';
import { forgedIn, spoofedHeaders } from './spoofed-headers.ts';
import type { RunningProxy } from './stand-in-proxy.ts';

warnOfAbsent();

interface ApiRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The requests that reached the API since the last call. */
let arrived: ApiRequest[] = [];
const api = createServer({ maxHeaderSize: 65_536 }, async (request, response) => {
  let body = '';
  try {
    for await (const part of request.setEncoding('utf8')) body += part;
  } catch {
    // The client is gone.
    return;
  }
  arrived.push({ method: request.method, url: request.url, headers: request.headers, body });
  response.end('from the API');
});
let apiUrl: string;

/** The same with the helper of the client package, which API_CHECKS_CONTENT_DIGEST promises. */
const checkingApi = createServer(
  express()
    .use(checkContentDigest())
    .use((request, response) => void api.emit('request', request, response)),
);
let checkingApiUrl: string;

beforeAll(async () => {
  apiUrl = await listen(api);
  checkingApiUrl = await listen(checkingApi);
});
afterAll(async () => {
  await stopListening(api);
  await stopListening(checkingApi);
});

const host = 'api.example.com';
const portOf = (url: string) => new URL(url).port;

let gateway: RunningGateway;
let proxy: RunningProxy;

const start = (kind: Kind, configuration: string, { url } = gateway, behind = apiUrl) =>
  kind.start(at(configuration, kind.addresses(portOf(url), portOf(behind))));

/** The answer's status, and what the API saw of the request: nothing, where it was rejected. */
async function request(key: string | null, { headers = {}, ...sent }: Sent = {}, { origin } = proxy) {
  arrived = [];
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
  const all = { host, ...authorization, ...headers };
  const { status, headers: answered } = await send(origin, { elsewhere: true, ...sent, headers: all });
  const [seen, ...more] = arrived;
  expect(more).toStrictEqual([]);
  return { status, challenge: answered['www-authenticate'], seen };
}

const denied = (status: number) => ({
  status,
  challenge: status === 401 ? 'Bearer' : undefined,
  seen: undefined,
});

/** Returns the headers of an accepted request, as the API got them, whose names look like Latchkey's. */
const toldBy = (seen: ApiRequest | undefined) =>
  Object.fromEntries(Object.entries(seen?.headers ?? {}).filter(([name]) => /latchkey/.test(name)));

interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
}

async function signing(to: RunningGateway) {
  const { id, secret, signingSecret } = await to.issueSigning();
  const sign = (method: string, path: string, body?: string, site = `https://${host}`) => ({
    ...signRequest({ method, url: site + path, ...(body === undefined ? {} : { body }) }, { keyId: id, signingSecret }),
  });
  return { secret, sign };
}

/** Sends a request in each way that the proxy understands, and expects the outcome, or another one of some ways. */
async function expectInEachWay(
  { origin, http2Origin }: RunningProxy,
  secret: string,
  next: () => SignedRequest,
  outcome: Outcome,
  others: Ways | undefined,
): Promise<void> {
  const overHttp1 = ({ headers, ...sent }: SignedRequest, framing: OutgoingHttpHeaders) =>
    send(origin, { elsewhere: true, ...sent, headers: { ...headers, ...framing } });
  const overHttp2 = ({ headers, ...sent }: SignedRequest, framing: OutgoingHttpHeaders) =>
    sendOverHttp2(http2Origin ?? '', { ...sent, headers: { ...headers, ...framing } });
  // Without a length, Node sends the body of a GET over HTTP/1.1 as if it were the next request.
  const lengthOf = ({ body }: SignedRequest) => (body === undefined ? {} : { 'content-length': body.length });
  const ways: Record<Way, (sent: SignedRequest) => Promise<{ readonly status: number }>> = {
    'HTTP/1.1': (sent) => overHttp1(sent, lengthOf(sent)),
    'HTTP/1.1, chunked': (sent) => overHttp1(sent, { 'transfer-encoding': 'chunked' }),
    'HTTP/2, with a length': (sent) => overHttp2(sent, { 'content-length': 0, ...lengthOf(sent) }),
    'HTTP/2': (sent) => overHttp2(sent, {}),
  };
  for (const way of Object.keys(ways) as Way[]) {
    if (way.startsWith('HTTP/2') && http2Origin === null) continue;
    arrived = [];
    const { headers, ...sent } = next();
    const { status } = await ways[way]({ ...sent, headers: { host, authorization: `Bearer ${secret}`, ...headers } });
    expect({ way, status, bodies: arrived.map(({ body }) => body) }).toStrictEqual({
      way,
      ...(others?.[way] ?? outcome),
    });
  }
}

/** The gateway of a recipe in front of another API, with a Latchkey of its own. */
function sharedFront(kind: Kind, more: NodeJS.ProcessEnv, behind: () => string) {
  const { blocks, environment } = recipe(kind.title);
  const text = blocks.join(nextFile);
  const own = sharedGateway('sqlite', { ...environment, ...more });
  let running: RunningProxy | undefined;
  beforeAll(async () => {
    if (!kind.absent) running = await start(kind, text, own, behind());
  });
  afterAll(() => running?.stop());
  return { own, front: (): RunningProxy => running ?? expect.fail('there is no proxy') };
}

describe.each(kinds)('a client of an API behind $title', (kind) => {
  const { blocks, environment } = recipe(kind.title);
  const text = blocks.join(nextFile);
  const test = it.skipIf(kind.absent);
  const token = 'a-verifier-token-of-16-or-more';
  beforeAll(async () => {
    if (kind.absent) return;
    gateway = await startGateway('sqlite', environment);
    proxy = await start(kind, text);
  });
  afterAll(async () => {
    await proxy?.stop();
    await gateway?.stop();
  });

  test('passes with a valid key, and the API gets the request as it was sent, and the id of the key', async () => {
    const { id, secret } = await gateway.issue();
    const sent = { method: 'PUT', path: '/a/%2Fb//c?d=e', body: 'more than nginx keeps in memory '.repeat(10_000) };
    const { status, seen } = await request(secret, sent);
    expect(status).toBe(200);
    expect(seen).toMatchObject({ method: sent.method, url: sent.path, body: sent.body });
    expect(toldBy(seen)['x-latchkey-key-id']).toBe(id);
    expect(Object.keys(toldBy(seen)).sort()).toStrictEqual(kind.told);
  });

  test('passes with large headers and a long URL, of which Latchkey gets only what it needs', async () => {
    const { secret } = await gateway.issue();
    const heads: IncomingHttpHeaders[] = [];
    const listener = (message: IncomingMessage) => heads.push(message.headers);
    const { gateway: port } = gateway.running.service;
    port.on('request', listener);
    const { cookies, url } = kind.accepts;
    // Node.js would send several cookies in one line.
    const lines = cookies.map((bytes, i) => [
      i === 0 ? 'cookie' : `x-cookie-${i}`,
      `session-${i}=${'x'.repeat(bytes)}`,
    ]);
    const large = { ...Object.fromEntries(lines), 'x-other': 'z' };
    const path = `/a?${'y'.repeat(url)}`;
    try {
      expect(await request(secret, { headers: large })).toMatchObject({ status: 200 });
      expect(await request(secret, { path })).toMatchObject({ status: 200, seen: { url: path } });
    } finally {
      port.off('request', listener);
    }
    expect(heads).toHaveLength(2);
    // Caddy removes headers by name only.
    const unneeded = kind.title === 'Caddy' ? /session-0|"x-forwarded/ : /session-0|"x-other/;
    for (const head of heads) expect(JSON.stringify(head)).not.toMatch(unneeded);
  });

  test('is rejected without a key and with a wrong one', async () => {
    const { secret } = await gateway.issue();
    for (const key of [null, 'a.guess', `${secret}0`]) expect(await request(key)).toStrictEqual(denied(401));
    expect(await request(null, { path: `/?key=${secret}` })).toStrictEqual(denied(401));
  });

  test('is rejected from the next request on after the key is revoked', async () => {
    const { id, secret } = await gateway.issue();
    for (let i = 0; i < 3; i++) expect((await request(secret)).status).toBe(200);
    await gateway.revoke(id);
    for (let i = 0; i < 3; i++) expect(await request(secret)).toStrictEqual(denied(401));
  });

  test('is rejected with a key of another environment, whichever environment its request names', async () => {
    const { secret } = await gateway.issue({ env: 'test' });
    expect(await request(secret)).toStrictEqual(denied(403));
    expect(await request(secret, { path: '/?env=test' })).toStrictEqual(denied(403));
    expect(await request(secret, { path: '/live/../test/?env=test' })).toStrictEqual(denied(403));
    // Which nginx itself rejects.
    expect((await request(secret, { path: '/../test/' })).seen).toBeUndefined();
  });

  test('cannot forge its source', async () => {
    const here = await gateway.issue({ allowedIps: ['127.0.0.1'] });
    const elsewhere = await gateway.issue({ allowedIps: ['203.0.113.7'] });
    expect((await request(here.secret)).status).toBe(200);
    for (const claim of ['203.0.113.7', ['203.0.113.7', '203.0.113.7']]) {
      const headers = { 'x-real-ip': claim, 'x-forwarded-for': claim, x_real_ip: claim, x_forwarded_for: claim };
      expect((await request(here.secret, { headers })).status).toBe(200);
      expect(await request(elsewhere.secret, { headers })).toStrictEqual(denied(403));
    }
  });

  test('cannot set any header of Latchkey for the API, over HTTP/1.1 and HTTP/2', async () => {
    const { id, secret } = await gateway.issue();
    const { status, seen } = await request(secret, { headers: { ...spoofedHeaders } });
    expect(status).toBe(200);
    expect(toldBy(seen)['x-latchkey-key-id']).toBe(id);
    expect(Object.keys(toldBy(seen)).sort()).toStrictEqual(kind.told);
    expect(forgedIn(seen?.headers ?? {})).toEqual([]);
    expect(await request(null, { headers: { ...spoofedHeaders } })).toStrictEqual(denied(401));
    if (proxy.http2Origin === null) return;
    arrived = [];
    const headers = { host, authorization: `Bearer ${secret}`, ...spoofedHeaders };
    expect((await sendOverHttp2(proxy.http2Origin, { headers })).status).toBe(200);
    expect(arrived.map((one) => [toldBy(one)['x-latchkey-key-id'], forgedIn(one.headers)])).toEqual([[id, []]]);
  });

  test('needs the scopes that the configuration names, and the API gets all scopes of the key', async () => {
    const scoped = text
      .replaceAll('authorize?env=live', 'authorize?env=live&scope=orders:read')
      .replaceAll('authorize/live', 'authorize/live;scope=orders%3Aread');
    const demanding = await start(kind, scoped);
    try {
      const many = Array.from({ length: 49 }, (_, i) => `scope-${i}-`.padEnd(100, 'x'));
      const scopes = ['orders:read', ...many];
      const externalId = `customer-${'x'.repeat(200)}`;
      const { secret } = await gateway.issue({ scopes, externalId });
      const lacking = await gateway.issue({ scopes: many });
      const { status, seen } = await request(secret, {}, demanding);
      expect([status, toldBy(seen)['x-latchkey-scopes'], toldBy(seen)['x-latchkey-external-id']]).toEqual([
        200,
        scopes.join(' '),
        externalId,
      ]);
      for (const path of ['/', '/;scope=scope-1-', '/?scope=scope-1-&env=live'])
        expect(await request(lacking.secret, { path }, demanding)).toMatchObject({ status: 403, seen: undefined });
      const forged = { headers: { 'x-latchkey-scopes': 'orders:read' } };
      expect((await request(lacking.secret, forged, demanding)).status).toBe(403);
    } finally {
      await demanding.stop();
    }
  });

  test('passes if the gateway has a verifier token, which the API never gets', async () => {
    const demanding = await startGateway('sqlite', { ...environment, VERIFIER_TOKENS: token });
    const [knowing, unknowing] = [
      await start(kind, kind.withToken(text, token), demanding),
      await start(kind, text, demanding),
    ];
    try {
      const { secret } = await demanding.issue();
      const { status, seen } = await request(secret, {}, knowing);
      expect(status).toBe(200);
      expect(JSON.stringify(seen)).not.toContain(token);
      expect(await request('a.guess', {}, knowing)).toStrictEqual(denied(401));
      // A client cannot add one either: the API gets nothing about its key.
      const guess = { headers: { 'x-latchkey-verifier': 'another-token-of-16-or-more' } };
      expect((await request(secret, guess, knowing)).status).toBe(200);
      expect((await request(secret, {}, unknowing)).seen).toBeUndefined();
    } finally {
      await knowing.stop();
      await unknowing.stop();
      await demanding.stop();
    }
  });

  test('gets 429 with Retry-After when its key has reached its rate limit, and the API gets nothing', async () => {
    // Traefik can't add fields to the response of the API.
    const remaining = (count: number) =>
      kind.title === 'Traefik' ? undefined : expect.stringContaining(`;r=${count};`);
    const rateLimit = { limit: 2, windowSeconds: 86_400 };
    const limited = await gateway.issue({ rateLimit });
    const ask = async (headers: OutgoingHttpHeaders = {}) => {
      arrived = [];
      const sent = {
        elsewhere: true,
        headers: { host, authorization: `Bearer ${limited.secret}`, ...headers },
      } as const;
      const { status, headers: answered } = await send(proxy.origin, sent);
      const retryAfter = Number(answered['retry-after'] ?? 0);
      return { status, retryAfter, remaining: answered.ratelimit, arrived: arrived.length };
    };
    for (const count of [1, 0]) {
      expect(await ask()).toEqual({ status: 200, retryAfter: 0, remaining: remaining(count), arrived: 1 });
    }
    for (const headers of [{}, { 'signature-input': 'sig1=("@method");tag="latchkey-v1"' }]) {
      const answer = await ask(headers);
      expect(answer).toMatchObject({ status: 429, remaining: expect.stringContaining(';r=0;'), arrived: 0 });
      expect(answer.retryAfter).toBeGreaterThan(0);
    }
    const elsewhere = await gateway.issue({ allowedIps: ['203.0.113.7'] });
    expect(await request(elsewhere.secret)).toStrictEqual(denied(403));
  });

  describe('who signs', () => {
    const method = 'POST';
    const path = '/orders';
    const [body, other] = ['{"amount": 5}', '{"amount": 9}'];

    test('cannot send a body, because none was signed', async () => {
      const { secret, sign } = await signing(gateway);
      const swapped = () => ({ method, path, headers: sign(method, path, body), body: other });
      await expectInEachWay(proxy, secret, swapped, rejected, kind.ways.someBody);
      // Nothing compares bodies here, so that even the signed body is rejected.
      const right = () => ({ method, path, headers: sign(method, path, body), body });
      await expectInEachWay(proxy, secret, right, rejected, kind.ways.someBody);
      for (const one of [method, 'GET']) {
        const added = () => ({ method: one, path, headers: sign(one, path), body });
        await expectInEachWay(proxy, secret, added, rejected, kind.ways.addedBody);
      }
      const emptied = () => ({ method, path, headers: sign(method, path, body) });
      await expectInEachWay(proxy, secret, emptied, rejected, undefined);
    });

    test.each([
      'Content-Length: 0\r\nTransfer-Encoding: chunked',
      'Transfer-Encoding: chunked\r\nContent-Length: 0',
      'Content-Length: 0\r\nContent-Length: 10',
      'Content-Length: 0, 10',
      'Content-Length: +10',
      'Transfer-Encoding: gzip, chunked',
      'Transfer-Encoding: \vchunked',
      'Transfer-Encoding : chunked',
      'Transfer-Encoding: x\r\nTransfer-Encoding: chunked',
      'Connection: content-length\r\nContent-Length: 10',
      'Connection: transfer-encoding\r\nTransfer-Encoding: chunked',
    ])('cannot hide a body behind %j', async (framing) => {
      const { secret, sign } = await signing(gateway);
      const signed = Object.entries(sign(method, path)).map(([name, value]) => `${name}: ${value}\r\n`);
      arrived = [];
      const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${secret}\r\n${signed.join('')}`;
      await exchangeHalfClosed(proxy.origin, `${head}${framing}\r\n\r\n5\r\nhello\r\n0\r\n\r\n`);
      expect(arrived.filter((one) => one.body !== '')).toEqual([]);
    });

    test('cannot hide a body behind a false length over HTTP/2', async () => {
      if (proxy.http2Origin === null) return;
      const { secret, sign } = await signing(gateway);
      arrived = [];
      const headers = { host, authorization: `Bearer ${secret}`, 'content-length': 0, ...sign(method, path) };
      // The stream can be reset.
      await sendOverHttp2(proxy.http2Origin, { method, path, headers, body }).catch(() => undefined);
      expect(arrived.filter((one) => one.body !== '')).toEqual([]);
    });

    test('passes without a body if the gateway can report that there is none', async () => {
      const { secret, sign } = await signing(gateway);
      const passed = kind.tellsOfBodies ? { status: 200, bodies: [''] } : rejected;
      for (const one of ['GET', 'DELETE', 'POST']) {
        const none = () => ({ method: one, path, headers: sign(one, path) });
        await expectInEachWay(proxy, secret, none, passed, kind.ways.noBody);
      }
    });
  });

  describe('in front of an API that compares Content-Digest', () => {
    const { own: checked, front } = sharedFront(kind, { API_CHECKS_CONTENT_DIGEST: 'true' }, () => checkingApiUrl);

    test('passes once; a replay and a request without a signature are rejected', async () => {
      const { secret, sign } = await signing(checked);
      const headers = sign('GET', '/orders?page=2');
      expect((await request(secret, { path: '/orders?page=2', headers }, front())).status).toBe(200);
      expect(await request(secret, { path: '/orders?page=2', headers }, front())).toStrictEqual(denied(401));
      expect(await request(secret, { path: '/orders?page=2' }, front())).toStrictEqual(denied(401));
    });

    test('passes only with the signed body, which the API gets', async () => {
      const { secret, sign } = await signing(checked);
      const [method, path] = ['POST', '/orders'];
      const [body, other] = ['{"amount": 5}', '{"amount": 9}'];
      const right = () => ({ method, path, headers: sign(method, path, body), body });
      await expectInEachWay(front(), secret, right, { status: 200, bodies: [body] }, kind.ways.someBody);
      const swapped = () => ({ method, path, headers: sign(method, path, body), body: other });
      await expectInEachWay(front(), secret, swapped, rejected, kind.ways.someBody);
      const added = () => ({ method, path, headers: sign(method, path), body });
      await expectInEachWay(front(), secret, added, rejected, kind.ways.addedBody);
    });

    test('cannot replace the signed body with a second Content-Digest for another one', async () => {
      const { secret, sign } = await signing(checked);
      const [method, path, body, other] = ['POST', '/orders', '{"amount": 5}', '{"amount": 9}'];
      const digestOf = (text: string) => sign(method, path, text)['content-digest'];
      for (const digests of [
        [digestOf(body), digestOf(other)],
        [digestOf(other), digestOf(body)],
      ]) {
        const signed = { ...sign(method, path, body), 'content-length': other.length };
        const headers = { ...signed, 'content-digest': digests.map(String) };
        expect(await request(secret, { method, path, headers, body: other }, front())).toMatchObject({
          status: expect.toSatisfy((status: number) => status >= 400),
          seen: undefined,
        });
      }
    });

    test('is rejected if it sends a captured signature with another method, path or host', async () => {
      const { secret, sign } = await signing(checked);
      const signed = () => sign('POST', '/a');
      const [method, path] = ['POST', '/a'];
      for (const change of [{ method: 'PUT' }, { path: '/b' }, { path: '/a?b' }]) {
        const sent = { method, path, ...change, headers: signed() };
        expect(await request(secret, sent, front())).toStrictEqual(denied(401));
      }
      // Made for another site, whose name the request carries along.
      const elsewhere = { ...sign('POST', '/a', undefined, 'https://other.example'), host: 'other.example' };
      expect(await request(secret, { method, path, headers: elsewhere }, front())).toStrictEqual(
        denied(kind.otherHost),
      );
      expect((await request(secret, { method, path, headers: signed() }, front())).status).toBe(200);
    });

    test('cannot forge its original request', async () => {
      const { secret, sign } = await signing(checked);
      const captured = sign('GET', '/a');
      const claims = {
        'x-original-method': 'GET',
        'x-original-url': `https://${host}/a`,
        'x-original-content-length': '0',
        'x-original-transfer-encoding': '',
        'x-forwarded-method': 'GET',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': host,
        'x-forwarded-uri': '/a',
        x_forwarded_uri: '/a',
      };
      const headers = { ...captured, ...claims };
      expect(await request(secret, { path: '/b', headers }, front())).toStrictEqual(denied(401));
      const more = await request(secret, { path: '/a', method: 'PUT', headers, body: 'more' }, front());
      expect(more).toStrictEqual(denied(401));
      // A false header does not break a valid request either: there was no body.
      const claimed = { ...headers, 'x-original-content-length': '5', 'x-original-url': `https://${host}/b` };
      expect((await request(secret, { path: '/a', headers: claimed }, front())).status).toBe(200);
    });
  });

  describe('without a verdict', () => {
    // In this order, and last: nothing works after them.
    test('no request passes while the store is unavailable', async () => {
      const { secret } = await gateway.issue();
      expect((await request(secret)).status).toBe(200);
      await gateway.running.service.close();
      expect(await request(secret)).toStrictEqual(denied(kind.without[0]));
    });

    test('no request passes while Latchkey is unavailable', async () => {
      await stopListening(gateway.running.service.gateway);
      expect(await request('a.guess')).toStrictEqual(denied(kind.without[1]));
    });
  });

  if (kind.title === 'nginx') {
    describe('on a connection that it could keep', () => {
      const { own: fresh, front } = sharedFront(kind, {}, () => apiUrl);

      test('sends its body only to the API: Latchkey gets none, and no header announces one', async () => {
        const { secret } = await fresh.issue();
        const latchkey = fresh.running.service.gateway;
        for (const framing of [{}, { 'transfer-encoding': 'chunked' }]) {
          const asked = new Promise<IncomingMessage>((resolve) => latchkey.once('request', resolve));
          const sent = { method: 'POST', headers: framing, body: 'the body' };
          expect((await request(secret, sent, front())).seen?.body).toBe('the body');
          // Otherwise, on a kept connection, the next request would be taken for the body.
          const { headers } = await asked;
          expect(headers).not.toHaveProperty('content-length');
          expect(headers).not.toHaveProperty('transfer-encoding');
        }
      });

      test('cannot call Latchkey through the gateway', async () => {
        const { secret } = await fresh.issue();
        expect(await request(secret, { path: '/_latchkey' }, front())).toStrictEqual(denied(404));
      });
    });
  }
});
