// SECURITY.md: Headers that a client of a gateway writes
/**
 * Every verdict, every failure, and unusual requests at each installed gateway with the configuration of docs/tasks/gateways.md.
 * Latchkey is its real verification port with a verifier of the test, so that a test chooses the verdict.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { rejections } from '../../src/domain/verdict/checks.ts';
import type { Outcome } from '../../src/domain/verdict/verification-call.ts';
import type { PortOptions } from '../../src/gateway/options.ts';
import { freePort } from '../support/free-port.ts';
import { edgePort, listen, type Sent, send, stopListening } from '../support/gateway.ts';
import { exchangeBytes } from '../support/raw-exchange.ts';
import { type Kind, kinds, warnOfAbsent } from './kinds.ts';
import { at, nextFile, recipe } from './page.ts';
import type { RunningProxy } from './stand-in-proxy.ts';

warnOfAbsent();

const host = 'api.example.com';
const keyId = '0197a2b4-6c1e-7d3f-8a55-2f9b1c0d4e6a';
const secret = 'the-secret-of-a-key';
const authorization = `Bearer ${secret}`;

const key = {
  id: keyId,
  teamId: 'a-team',
  env: 'live',
  scopeText: 'orders:read',
  externalId: 'c-1',
  presentedVersion: 1,
  described: '',
  createdAt: null,
  expiresAt: null,
  secretExpiresAt: null,
} as const;
const valid: Outcome = { code: 'VALID', key, rateLimit: null };
const counted = { limit: 10, windowSeconds: 60, remaining: 3, resetSeconds: 7 };
const fields = { 'ratelimit-policy': '"default";q=10;w=60', ratelimit: '"default";r=3;t=7' };

type Verify = PortOptions['verifier']['verify'];
const answering =
  (outcome: Outcome): Verify =>
  (_, respond) =>
    respond.answer(outcome);
let verify: Verify;

interface ApiRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The requests that reached the API, and the calls that reached Latchkey, in this test. */
let arrived: ApiRequest[];
let asked: IncomingMessage[];
beforeEach(() => {
  [arrived, asked, verify] = [[], [], answering(valid)];
});

const api = createServer(async (incoming, response) => {
  const { method, url, headers } = incoming;
  arrived.push({ method, url, headers, body: await textOf(incoming) });
  response.end('from the API');
});
api.on('upgrade', ({ method, url, headers }, socket: Socket) => {
  arrived.push({ method, url, headers, body: '' });
  // The GUID is that of RFC 6455, section 1.3. HAProxy checks the field.
  const accepted = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = `Sec-WebSocket-Accept: ${createHash('sha1').update(accepted).digest('base64')}`;
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket', accept];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  socket.on('error', () => undefined).pipe(socket);
});
/** The answer of a server that knows nothing of keys. nginx passes a request on after every 200. */
const ok = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
const isAnotherService: [string, (socket: Socket) => unknown] = ['is another service', (socket) => socket.end(ok)];
let apiPort: string;
const portOf = (url: string) => new URL(url).port;
beforeAll(async () => {
  apiPort = portOf(await listen(api));
});
afterAll(() => stopListening(api));

const start = (kind: Kind, latchkeyPort: string, configuration = recipe(kind.title).blocks.join(nextFile)) =>
  kind.start(at(configuration, kind.addresses(latchkeyPort, apiPort)));

const installed = kinds.filter(({ absent, packages }) => packages !== null && !absent);

describe.each(installed)('$title', (kind) => {
  let latchkey: Server;
  let latchkeyUrl: string;
  let proxy: RunningProxy;
  beforeAll(async () => {
    const convention = kind.title === 'nginx' ? 'nginx' : 'generic';
    latchkey = edgePort((call, respond) => verify(call, respond), { convention, apiChecksContentDigest: true });
    latchkey.on('request', (incoming) => asked.push(incoming));
    latchkeyUrl = await listen(latchkey);
    proxy = await start(kind, portOf(latchkeyUrl));
  });
  afterAll(async () => {
    await proxy.stop();
    await stopListening(latchkey);
  });

  const ask = ({ headers = {}, ...sent }: Sent = {}, { origin } = proxy) =>
    send(origin, { elsewhere: true, ...sent, headers: { host, authorization, ...headers } });

  it.each(Object.entries(rejections))(
    'answers %s as Latchkey does, and the API gets nothing',
    async (code, { status }) => {
      verify = answering({ code, key: null, rateLimit: null } as Outcome);
      const { headers, ...answer } = await ask();
      expect(answer.status).toBe(status);
      if (status === 401) expect(headers['www-authenticate']).toBe('Bearer');
      expect(arrived).toEqual([]);
      expect(asked).toHaveLength(1);
    },
  );

  it('answers 503 if the store is unavailable, and the API gets nothing', async () => {
    verify = (_, respond) => respond.fail(new LatchkeyError('UNAVAILABLE', 'The store does not answer.'));
    expect((await ask()).status).toBe(503);
    expect(arrived).toEqual([]);
  });

  it('answers a server error if Latchkey fails, and the API gets nothing', async () => {
    verify = () => {
      throw new Error('a bug');
    };
    expect((await ask()).status).toBeGreaterThanOrEqual(500);
    expect(arrived).toEqual([]);
  });

  it.each<[string, (socket: Socket) => unknown]>([
    ['answers nothing', () => undefined],
    ['closes the connection', (socket) => socket.destroy()],
    ['answers half a response', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le')],
    ...(kind.title === 'nginx' ? [] : [isAnotherService]),
    ['answers another protocol', (socket) => socket.end('220 mail.example.com ESMTP\r\n')],
  ])('answers a server error if Latchkey %s, and the API gets nothing', async (_, answer) => {
    const sockets = new Set<Socket>();
    const broken = createTcpServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).once('data', () => answer(socket));
    });
    broken.listen(0, '127.0.0.1');
    await once(broken, 'listening');
    const address = broken.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const hasty = at(recipe(kind.title).blocks.join(nextFile), kind.timeouts);
    const front = await start(kind, String(address.port), hasty);
    try {
      expect((await ask({}, front)).status).toBeGreaterThanOrEqual(500);
      expect(arrived).toEqual([]);
    } finally {
      await front.stop();
      for (const socket of sockets) socket.destroy();
      broken.close();
    }
  });

  it('answers a server error if the API is unavailable', async () => {
    const addresses = kind.addresses(portOf(latchkeyUrl), String(await freePort()));
    const front = await kind.start(at(recipe(kind.title).blocks.join(nextFile), addresses));
    try {
      expect((await ask({}, front)).status).toBeGreaterThanOrEqual(500);
    } finally {
      await front.stop();
    }
  });

  it('passes on the rate limit of a key, with every answer', async () => {
    verify = answering({ ...valid, rateLimit: counted });
    expect(await ask()).toMatchObject({ status: 200, headers: fields });
    verify = answering({ code: 'RATE_LIMITED', key: null, rateLimit: { ...counted, remaining: 0 } });
    const rejected = { ratelimit: '"default";r=0;t=7', 'retry-after': '7' };
    expect(await ask()).toMatchObject({ status: 429, headers: { ...fields, ...rejected } });
    verify = answering(valid);
    const { headers } = await ask();
    for (const name of [...Object.keys(fields), 'retry-after']) expect(headers).not.toHaveProperty(name);
  });

  it('keeps the key from the API', async () => {
    await ask({ headers: { 'signature-input': 'sig1=("@method");tag="latchkey-v1"', 'content-length': '0' } });
    await ask({ method: 'POST', body: 'a body' });
    expect(arrived).toHaveLength(2);
    expect(JSON.stringify(arrived)).not.toContain(secret);
  });

  it('does not let a client remove what it tells the API or Latchkey', async () => {
    const names = ['x-latchkey-key-id', 'X-Latchkey-Scopes', 'x-latchkey-external-id', 'x-original-method'];
    const connection = [...names, 'x-original-url', 'x-original-content-length', 'x-real-ip', 'close'].join(', ');
    for (const headers of [{ connection }, { connection: connection.split(', ') }]) {
      [arrived, asked] = [[], []];
      const { status } = await ask({ path: '/orders', headers });
      if (status === 400) continue;
      expect(status).toBe(200);
      expect(arrived[0]?.headers.connection ?? '').not.toMatch(/latchkey/i);
      expect(arrived[0]?.headers).toMatchObject({
        'x-latchkey-key-id': keyId,
        'x-latchkey-scopes': 'orders:read',
        'x-latchkey-external-id': 'c-1',
      });
      expect(asked[0]?.headers).toMatchObject({
        'x-original-method': 'GET',
        'x-original-url': `https://${host}/orders`,
        'x-real-ip': '127.0.0.1',
      });
    }
  });

  it('does not let a client remove a signature or a digest after Latchkey has checked it', async () => {
    const signed = {
      'content-digest': 'sha-256=:AA==:',
      'signature-input': 'sig1=();tag="latchkey-v1"',
      signature: 's',
    };
    const signatureOf = (headers: IncomingHttpHeaders = {}) => Object.keys(signed).map((name) => headers[name]);
    for (const name of Object.keys(signed)) {
      [arrived, asked] = [[], []];
      await ask({ method: 'POST', body: 'another', headers: { ...signed, connection: `close, ${name}` } });
      if (arrived.length > 0) expect(signatureOf(arrived[0]?.headers)).toEqual(signatureOf(asked[0]?.headers));
      // Nor have the next proxy remove it.
      expect(arrived[0]?.headers.connection ?? '').not.toMatch(/signature|digest/i);
    }
  });

  it.each([
    ...[
      '/a/../b',
      '/../b',
      '//a//b',
      '/./a',
      '/%2e%2e/b',
      '/a%2Fb',
      '/a%5Cb',
      '/a\\b',
      '/a;b=c',
      '/a?',
      '/a??b',
      '/a?b=%2F../c',
    ],
    ...['/a%00b', '/%zz', '/a%0d%0ab', '/a|b', '/a"b', '/a<b>', '/%C3%A4', '/ä', '/a#b', '/a?b#c', '*'],
    ...[`http://${host}/a`, 'http://other.example/a', `https://${host}/a`, '@other.example/a', 'a'],
  ])('forwards %j only if the signature was checked for what the API gets', async (path) => {
    const head = [`GET ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: ${authorization}`, 'Connection: close'];
    await exchangeBytes(proxy.origin, `${head.join('\r\n')}\r\n\r\n`);
    expectSigned();
    [arrived, asked] = [[], []];
    await overHttp2(proxy.http2Origin, { path });
    expectSigned();
  });

  it('passes on a body of any length, however it is sent', async () => {
    const large = 'x'.repeat(900_000);
    for (const body of ['', 'a', large]) {
      for (const headers of [{ 'content-length': body.length }, { 'transfer-encoding': 'chunked' }]) {
        expect((await ask({ method: 'POST', body, headers })).status).toBe(200);
      }
      for (const headers of [{ 'content-length': body.length }, {}]) {
        expect((await overHttp2(proxy.http2Origin, { method: 'POST', body, headers })).status).toBe(200);
      }
      expect(arrived.map((one) => one.body === body)).toEqual([true, true, true, true]);
      arrived = [];
    }
  });

  it('serves a client that waits for 100 (Continue), whose body reaches the API only with a valid key', async () => {
    const headers = { host, authorization, expect: '100-continue', 'content-length': 4 };
    const sendExpecting = async () => {
      const outgoing = request(proxy.origin, { method: 'PUT', headers, agent: false });
      outgoing.once('continue', () => outgoing.end('body')).on('error', () => undefined);
      outgoing.flushHeaders();
      const [response] = await once(outgoing, 'response');
      outgoing.destroy();
      return response.statusCode;
    };
    expect(await sendExpecting()).toBe(200);
    expect(arrived.map(({ body }) => body)).toEqual(['body']);
    verify = answering({ code: 'REVOKED', key: null, rateLimit: null });
    expect(await sendExpecting()).toBe(401);
    expect(arrived).toHaveLength(1);
  });

  if (kind.title === 'HAProxy') {
    it('does not forward a signed request whose body does not begin in time', async () => {
      const hasty = at(recipe(kind.title).blocks.join(nextFile), { 'time 10s': 'time 300ms' });
      const front = await start(kind, portOf(latchkeyUrl), hasty);
      const signature = ['Signature-Input: sig1=("@method");tag="latchkey-v1"', 'Transfer-Encoding: chunked'];
      const head = [`PUT / HTTP/1.1`, `Host: ${host}`, `Authorization: ${authorization}`, ...signature];
      try {
        expect(await exchangeBytes(front.origin, `${head.join('\r\n')}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 408 /);
        expect([asked, arrived]).toEqual([[], []]);
      } finally {
        await front.stop();
      }
    });
  }

  if (!kind.upgrades) return;
  it('upgrades a connection to a WebSocket only with a valid key', async () => {
    const upgrade = async () => {
      const headers = { host, authorization, connection: 'Upgrade', upgrade: 'websocket' };
      const outgoing = request(proxy.origin, {
        headers: { ...headers, 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' },
        agent: false,
      });
      outgoing.end();
      return await Promise.race([
        once(outgoing, 'upgrade').then(async ([, socket]) => {
          socket.write('echo');
          const [data] = await once(socket, 'data');
          socket.destroy();
          return String(data);
        }),
        once(outgoing, 'response').then(([response]) => response.statusCode),
      ]);
    };
    expect(await upgrade()).toBe('echo');
    expect(arrived[0]?.headers).toMatchObject({ 'x-latchkey-key-id': keyId });
    verify = answering({ code: 'REVOKED', key: null, rateLimit: null });
    expect(await upgrade()).toBe(401);
    expect(arrived).toHaveLength(1);
  });
});

/** A signature for this site can only be valid for the target that Latchkey got. The API gets the same one, or nothing. */
function expectSigned() {
  for (const { url = '' } of arrived) {
    const signed = asked[0]?.headers['x-original-url']?.toString() ?? '';
    const [, target] = /^https:\/\/api\.example\.com(?![^/?])(.*)$/.exec(signed) ?? [];
    if (target !== undefined) expect(target).toBe(url.replace(/^https?:\/\/[^/?]*/, ''));
  }
  expect(arrived.length).toBeLessThanOrEqual(1);
}

/** Status 0 if the stream was reset. */
async function overHttp2(origin: string | null, { method = 'GET', path = '/', headers = {}, body }: Sent) {
  const session = connectHttp2(origin ?? '');
  session.on('error', () => undefined);
  try {
    const target = { ':method': method, ':path': path, ':authority': host };
    const stream = session.request({ ...target, authorization, ...headers }, { endStream: body === undefined });
    let status = 0;
    stream
      .on('error', () => undefined)
      .on('response', (answered) => {
        status = answered[':status'] ?? 0;
      });
    if (body !== undefined) stream.end(body);
    stream.resume();
    await once(stream, 'close').catch(() => undefined);
    return { status };
  } finally {
    session.destroy();
  }
}
