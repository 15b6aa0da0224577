import { once } from 'node:events';
import {
  Agent,
  type ClientRequest,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
} from 'node:http';
import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RequireApiKeyOptions, requireApiKey, requireScopes } from '../../src/client/express.ts';
import { signRequest } from '../../src/client/sign.ts';
import { digestOf, keyId, now, signingSecret } from '../support/crafted-request.ts';
import { listen as listenOn, stopListening } from '../support/gateway.ts';
import { aKey, answering, judge, rejectedVerdict, type StandIn, startStandIn } from '../support/stand-in-verifier.ts';

let standIn: StandIn;
const servers: Server[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const errors: unknown[] = [];
/** What got past the middleware. */
const passed: express.Request[] = [];

const keepError: ErrorRequestHandler = (error, _request, response, _next) => {
  errors.push(error);
  response.status(500).end('an error');
};

const done: RequestHandler = (_request, response) => {
  response.end('done');
};

async function listen(app: Express): Promise<string> {
  app.use(keepError);
  const server = createServer(app);
  servers.push(server);
  return await listenOn(server);
}

function guard(options: RequireApiKeyOptions = {}): RequestHandler {
  return requireApiKey({ verifyUrl: standIn.url, timeoutMs: 20_000, ...options });
}

/** An application behind the middleware. */
function serve(options: RequireApiKeyOptions = {}, ...handlers: RequestHandler[]): Promise<string> {
  const app = express();
  app.use(guard(options));
  app.use((request, _response, next) => {
    passed.push(request);
    next();
  });
  app.use(...handlers, done);
  return listen(app);
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function answerTo(request: ClientRequest): Promise<Answer> {
  const [response]: IncomingMessage[] = await once(request, 'response');
  const body = response === undefined ? '' : await text(response);
  expect(body).not.toContain(aKey);
  expect(JSON.stringify(response?.rawHeaders)).not.toContain(aKey);
  return { status: response?.statusCode ?? 0, headers: response?.headers ?? {}, body };
}

type Sent = { method?: string; headers?: Record<string, string>; body?: string | Buffer; path?: string };

function open(url: string, { method = 'GET', headers = {}, path }: Sent = {}): ClientRequest {
  const all = { authorization: `Bearer ${aKey}`, ...headers };
  return httpRequest(url, { agent, method, headers: all, ...(path === undefined ? {} : { path }) });
}

function send(url: string, sent: Sent = {}): Promise<Answer> {
  const request = open(url, sent);
  request.end(sent.body);
  return answerTo(request);
}

/** The headers of a signed request; with a content type, so that body parsers take its body. */
function sign(url: string, { method = 'POST', body }: Sent = {}): Record<string, string> {
  const request = { method, url, ...(body === undefined ? {} : { body }) };
  return { 'content-type': 'application/json', ...signRequest(request, { keyId, signingSecret, now }) };
}

function sendSigned(url: string, sent: Sent): Promise<Answer> {
  return send(url, { method: 'POST', ...sent, headers: { ...sign(url, sent), ...sent.headers } });
}

function expectProblem(answer: Answer, status: number, code: string): void {
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
  expect(JSON.parse(answer.body)).toEqual({
    type: `urn:latchkey:problem:${code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    code,
  });
  expect(passed).toEqual([]);
}

beforeEach(async () => {
  standIn = await startStandIn();
  passed.length = 0;
  errors.length = 0;
});
afterEach(async () => {
  await standIn.close();
  for (const server of servers.splice(0)) await stopListening(server);
});

test("takes the source from Express's 'trust proxy', or from the application", async () => {
  const headers = { 'x-forwarded-for': '198.51.100.7' };
  const app = express().set('trust proxy', 'loopback');
  await send(await listen(app.use(guard(), done)), { headers });
  await send(await serve({ sourceIp: () => '203.0.113.9' }), { headers });
  await send(await serve({ sourceIp: () => undefined }), { headers });
  await send(await serve(), { headers });
  const sources = standIn.calls.map(({ asked }) => asked.sourceIp);
  expect(sources).toEqual(['198.51.100.7', '203.0.113.9', undefined, '127.0.0.1']);
});

test('sends the address that a proxy reports with a port, and none for something else than an address', async () => {
  const app = express().set('trust proxy', 'loopback');
  const url = await listen(app.use(guard(), done));
  for (const reported of ['203.0.113.9:51234', '203.0.113.9, 127.0.0.1:443', 'unknown']) {
    expect(await send(url, { headers: { 'x-forwarded-for': reported } })).toMatchObject({ status: 200 });
  }
  await send(await serve({ sourceIp: () => '[2001:db8::9]:443' }));
  await send(await serve({ sourceIp: () => 'unknown' }));
  const sources = standIn.calls.map(({ asked }) => asked.sourceIp);
  expect(sources).toEqual(['203.0.113.9', '203.0.113.9', undefined, '2001:db8::9', undefined]);
});

test('a rejected request leaves the connection fit for the next one, its body read or not', async () => {
  standIn.answer = answering(rejectedVerdict('REVOKED'));
  const url = await serve();
  const body = Buffer.alloc(200_000, 'x');
  await send(url, { method: 'POST', body });
  await sendSigned(url, { body });
  const { port } = new URL(url);
  const before = agent.freeSockets[`127.0.0.1:${port}:`]?.[0];
  expect(before).toBeDefined();
  expectProblem(await send(url), 401, 'REVOKED');
  expect(agent.freeSockets[`127.0.0.1:${port}:`]?.[0]).toBe(before);
});

describe('the guard requireScopes', () => {
  test('without requireApiKey before it is an error of the application, and lets nothing pass', async () => {
    const url = await listen(express().use(requireScopes(['orders:read']), done));
    expect((await send(url)).status).toBe(500);
    expect(errors).toMatchObject([{ name: 'TypeError', message: expect.stringContaining('requireApiKey') }]);
  });

  test.each([[[]], [['two words']], ['orders:read'], [[7]], [undefined], [Array(51).fill('a')]])(
    'is not made for %j',
    (scopes) => {
      expect(() => Reflect.apply(requireScopes, undefined, [scopes])).toThrow(
        new TypeError(
          scopes?.length === 0
            ? 'requireScopes must have at least one scope'
            : 'requireScopes must be a list of at most 50 scope tokens',
        ),
      );
    },
  );
});

test.each<[string, RequireApiKeyOptions]>([
  ['sourceIp', { sourceIp: () => expect.fail('thrown') }],
  ['onVerifierError', { onVerifierError: () => expect.fail('thrown') }],
])('passes what %s throws to the application, and lets nothing pass', async (_, options) => {
  standIn.answer = answering({}, 503);
  expect((await send(await serve(options))).status).toBe(500);
  expect(errors).toMatchObject([{ message: 'thrown' }]);
  expect(passed).toEqual([]);
});

describe('a signed request', () => {
  beforeEach(() => {
    standIn.answer = judge;
  });

  test('is sent along as it was addressed, with the header fields that matter and no others', async () => {
    const router = express.Router().use('/orders', guard(), done);
    const url = `${await listen(express().use('/shop', router))}/shop/orders/%7e?limit=5&q=%20a`;
    const headers = sign(url, { method: 'PUT', body: 'text' });
    await send(url, { method: 'PUT', body: 'text', headers: { ...headers, cookie: 'session=1' } });
    expect(standIn.calls[0]?.asked.request).toEqual({
      method: 'PUT',
      url,
      headers: {
        'content-digest': headers['content-digest'],
        signature: headers.signature,
        'signature-input': headers['signature-input'],
        host: new URL(url).host,
        'content-length': '4',
      },
      bodyDigest: `${digestOf('text')}, ${digestOf('text', 'sha-512')}`,
    });
  });

  test('has the authority of its Host, or of `origin`, at which a request for another service is worth nothing', async () => {
    const elsewhere = 'http://other.example.com/orders';
    const forged = { ...sign(elsewhere, { method: 'GET' }), host: 'other.example.com' };
    expect((await send(`${await serve()}/orders`, { headers: forged })).status).toBe(200);
    passed.length = 0;
    const strict = `${await serve({ origin: 'https://API.example.com/' })}/orders`;
    expectProblem(await send(strict, { headers: forged }), 401, 'SIGNATURE_INVALID');
  });

  test('may have an absolute URL in its request line', async () => {
    const url = `${await serve()}/orders?a=b`;
    expect((await send(url, { path: url, headers: sign(url, { method: 'GET' }) })).status).toBe(200);
  });

  test.each(['signature', 'signature-input'])('with %s only is one that is not valid', async (field) => {
    const url = await serve();
    const headers = { [field]: sign(url, { method: 'GET' })[field] ?? '' };
    expectProblem(await send(url, { headers }), 401, 'SIGNATURE_INVALID');
  });
});

const body = JSON.stringify({ amount: 5, note: 'é'.repeat(5) });
const chunked = { 'transfer-encoding': 'chunked' };
const large = JSON.stringify({ note: 'é'.repeat(200_000) });
const echoParsed: RequestHandler = (request, response) => void response.end(JSON.stringify(request.body));
const echoBytes: RequestHandler = (request, response) => void response.end(request.body);
const echoStream: RequestHandler = async (request, response) => void response.end(await buffer(request));
const echoPipe: RequestHandler = (request, response) => void request.pipe(response);
const echoEvents: RequestHandler = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk)).on('end', () => response.end(Buffer.concat(chunks)));
};
const readers: [string, RequestHandler[]][] = [
  ['express.json()', [express.json({ limit: '1mb' }), echoParsed]],
  ['express.raw()', [express.raw({ type: () => true, limit: '1mb' }), echoBytes]],
  ['for await', [echoStream]],
  ['pipe', [echoPipe]],
  ["on('data')", [echoEvents]],
];

describe('the body of a signed request', () => {
  beforeEach(() => {
    standIn.answer = judge;
  });

  describe.each(readers)('can still be read by %s,', (_, handlers) => {
    test.each([
      ['small', body],
      ['large', large],
    ])('%s, chunked or of a known length', async (_, sent) => {
      const url = await serve({}, ...handlers);
      expect(await sendSigned(url, { body: sent })).toMatchObject({ status: 200, body: sent });
      expect(await sendSigned(url, { body: sent, headers: chunked })).toMatchObject({ status: 200, body: sent });
      expect(standIn.calls[1]?.asked.request?.headers).toHaveProperty('transfer-encoding', 'chunked');
    });

    test('a few bytes at a time', async () => {
      const url = await serve({}, ...handlers);
      const request = open(url, { method: 'POST', headers: sign(url, { body }) });
      const answer = answerTo(request);
      for (const byte of Buffer.from(body)) await new Promise((resolve) => request.write(Buffer.from([byte]), resolve));
      request.end();
      expect(await answer).toMatchObject({ status: 200, body });
    });
  });

  test.each([
    ['in one packet', ['0\r\n\r\n']],
    ['in several', ['0\r', '\n\r\n']],
  ])('may be empty and chunked, %s, and its end is still seen', async (_, rest) => {
    const seen: string[] = [];
    const url = await serve({}, (request, response) => {
      seen.push('handler');
      request.resume().on('end', () => response.end('the end'));
    });
    const { host, port } = new URL(url);
    const fields = { ...sign(url, { body: '' }), authorization: `Bearer ${aKey}`, host, connection: 'close' };
    const head = Object.entries({ ...fields, ...chunked }).map(([name, value]) => `${name}: ${value}`);
    const socket = connect(Number(port), '127.0.0.1');
    const answer = text(socket);
    const packets = [`POST / HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${rest[0]}`, ...rest.slice(1)];
    for (const packet of packets) {
      await new Promise((resolve) => socket.write(packet, resolve));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await answer).toMatch(/^HTTP\/1\.1 200 (?:.|\s)*the end/);
    expect(seen).toEqual(['handler']);
  });

  test.each<[string, Sent, Sent]>([
    ['swapped for one of the same start', { body }, { body: `${body} ` }],
    ['taken away, though one is announced', { body }, { body: '', headers: chunked }],
    ['added in chunks', { method: 'POST' }, { body, headers: chunked }],
  ])('that was %s after signing is rejected', async (_, signed, sent) => {
    const url = await serve();
    const answer = await send(url, { method: 'POST', ...sent, headers: { ...sign(url, signed), ...sent.headers } });
    expectProblem(answer, 401, 'SIGNATURE_INVALID');
  });

  test('that never arrives completely is not verified', async () => {
    const app = express();
    const left = new Promise<void>((resolve) => {
      app.use((request, _response, next) => {
        request.on('close', resolve);
        next();
      });
    });
    const url = await listen(app.use(guard(), done));
    const request = open(url, { method: 'POST', headers: sign(url, { body }) });
    request.on('error', () => {});
    await new Promise((resolve) => request.write('{', resolve));
    request.destroy();
    await left;
    expect((await sendSigned(url, { body })).status).toBe(200);
    expect(standIn.calls).toHaveLength(1);
    expect(errors).toEqual([]);
  });
});

describe('the body of a signed request over the limit', () => {
  beforeEach(() => {
    standIn.answer = judge;
  });

  const bodyLimit = Buffer.byteLength(body) - 1;

  test('is rejected by its announced length, before any of it is sent', async () => {
    const url = await serve({ bodyLimit });
    const length = String(Buffer.byteLength(body));
    const request = open(url, { method: 'POST', headers: { ...sign(url, { body }), 'content-length': length } });
    const answer = answerTo(request);
    request.flushHeaders();
    expectProblem(await answer, 413, 'PAYLOAD_TOO_LARGE');
    request.destroy();
    expect(standIn.calls).toEqual([]);
  });

  test('is by default more than a mebibyte', async () => {
    const url = await serve();
    expect((await sendSigned(url, { body: Buffer.alloc(1_048_576) })).status).toBe(200);
    passed.length = 0;
    expectProblem(await sendSigned(url, { body: Buffer.alloc(1_048_577), headers: chunked }), 413, 'PAYLOAD_TOO_LARGE');
  });
});

describe('the body of a signed request behind a body parser', () => {
  beforeEach(() => {
    standIn.answer = judge;
  });

  function serveBehind(parser: RequestHandler): Promise<string> {
    return listen(express().use(parser, guard(), echoParsed));
  }
  const keepBytes = express.json({
    limit: '1mb',
    verify: (request, _response, bytes) => {
      Reflect.set(request, 'rawBody', bytes);
    },
  });

  test('is taken from request.rawBody', async () => {
    const url = await serveBehind(keepBytes);
    expect(await sendSigned(url, { body: large })).toMatchObject({ status: 200, body: large });
    const swapped = await send(url, { method: 'POST', body: '{}', headers: sign(url, { body }) });
    expectProblem(swapped, 401, 'SIGNATURE_INVALID');
  });

  test.each<[string, RequestHandler]>([
    ['there is no rawBody', express.json()],
    ['it is no Buffer', express.json({ verify: (request) => void Reflect.set(request, 'rawBody', body) })],
  ])('is an error of the application where %s', async (_, parser) => {
    expect(await sendSigned(await serveBehind(parser), { body })).toMatchObject({ status: 500, body: 'an error' });
    expect(errors).toMatchObject([{ name: 'TypeError', message: expect.stringMatching(/rawBody/) }]);
    expect(standIn.calls).toEqual([]);
  });

  test('that did not want it, is read here', async () => {
    const url = await serveBehind(express.urlencoded());
    expect((await sendSigned(url, { body })).status).toBe(200);
  });
});

describe('the body of an unsigned request', () => {
  test('is not read: the handler runs before it has come, however long it is', async () => {
    const handler: RequestHandler = async (request, response) => {
      response.flushHeaders();
      response.end(String((await buffer(request)).length));
    };
    const upload = open(await serve({ bodyLimit: 1 }, handler), { method: 'POST' });
    upload.write('first');
    const [response]: IncomingMessage[] = await once(upload, 'response');
    expect(passed[0]?.complete).toBe(false);
    upload.end(' and last');
    expect(response === undefined ? '' : await text(response)).toBe('14');
    expect(standIn.calls[0]?.asked).not.toHaveProperty('request');
  });
});
