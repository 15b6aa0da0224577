// SECURITY.md: A log or a trace
/** What the middleware guarantees in every framework. The tests of each framework have what differs. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import Fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import * as forExpress from '../../src/client/express.ts';
import * as forFastify from '../../src/client/fastify.ts';
import * as forFetch from '../../src/client/fetch.ts';
import { signRequest } from '../../src/client/sign.ts';
import type { AuthenticatedKey } from '../../src/client/verdict.ts';
import type { Verify } from '../../src/client/verification.ts';
import type { KeyLocationText } from '../../src/domain/key-location.ts';
import { verdictCodes } from '../../src/domain/verdict/verdict-code.ts';
import { keyId, now, signingSecret } from '../support/crafted-request.ts';
import { exchangeBytes } from '../support/raw-exchange.ts';
import {
  accepted,
  aKey,
  answering,
  type Call,
  deadUrl,
  judge,
  rateLimited,
  rateLimitFields,
  rejectedVerdict,
  type StandIn,
  startStandIn,
  statusOf,
  validVerdict,
} from '../support/stand-in-verifier.ts';

/** The options that all frameworks have. */
interface Options {
  readonly verifyUrl?: string;
  readonly verifierToken?: string;
  readonly env?: 'live' | 'test';
  readonly keyLocations?: readonly KeyLocationText[];
  readonly requireScopes?: readonly string[];
  readonly timeoutMs?: number;
  readonly verifier?: { readonly verify: Verify };
  readonly origin?: string;
  readonly bodyLimit?: number;
  readonly errorsUrl?: string;
  readonly onVerifierError?: (error: Error) => void;
}

interface Sent {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

interface Application {
  readonly url: string;
  readonly send: (sent?: Sent) => Promise<Response>;
}

/** Starts an application whose route, with the guard `requireScopes` if there are scopes, answers the key. */
type Start = (options: Options, scopes?: readonly string[]) => Promise<Application>;

const passed: (AuthenticatedKey | null | undefined)[] = [];

function sending(url: string): Application {
  const send = ({ path = '/', headers = {}, body }: Sent = {}) => {
    const method = body === undefined ? 'GET' : 'POST';
    return fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${aKey}`, ...headers },
      body: body ?? null,
    });
  };
  return { url, send };
}

const startExpress: Start = async (options, scopes) => {
  const app = express().use(forExpress.requireApiKey(options));
  if (scopes !== undefined) app.use(forExpress.requireScopes(scopes, options));
  app.use((request, response) => {
    passed.push(request.apiKey);
    response.end('done');
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return sending(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
};

const startFastify: Start = async (options, scopes) => {
  const app = Fastify({ forceCloseConnections: true });
  onTestFinished(() => app.close());
  app.register(forFastify.requireApiKey, options);
  const guard = scopes === undefined ? {} : { preValidation: forFastify.requireScopes(scopes, options) };
  app.all('/*', guard, async (request) => {
    passed.push(request.apiKey);
    return 'done';
  });
  return sending(await app.listen({ host: '127.0.0.1', port: 0 }));
};

const startFetch: Start = async (options, scopes) => {
  const authenticate = forFetch.requireApiKey(options);
  const url = 'http://api.example.com:8080';
  return {
    url,
    send: async ({ path = '/', headers = {}, body } = {}) => {
      const method = body === undefined ? 'GET' : 'POST';
      const all = { authorization: `Bearer ${aKey}`, ...headers };
      const request = new Request(url + path, { method, headers: all, body: body ?? null });
      const key = await authenticate(request, { sourceIp: '127.0.0.1' });
      const guarded = scopes === undefined ? key : forFetch.requireScopes(scopes, options)(key);
      if (guarded instanceof Response) return guarded;
      passed.push(guarded);
      return new Response('done', { headers: forFetch.rateLimitHeaders(guarded) });
    },
  };
};

let standIn: StandIn;
beforeEach(async () => {
  standIn = await startStandIn();
  passed.length = 0;
});
afterEach(() => standIn.close());

const { valid: _, code: __, ...validKey } = validVerdict;
const body = '{"amount":5}';
const challenge = 'Bearer error="insufficient_scope", scope="orders:read orders:write"';

test.each([
  ['Express', 'Authorization', startExpress],
  ['Express', 'Host', startExpress],
  ['Fastify', 'Authorization', startFastify],
  ['Fastify', 'Host', startFastify],
])('%s rejects a request with two %s fields, and verifies neither', async (_, field, start) => {
  const { url } = await start({ verifyUrl: standIn.url });
  const head = `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${aKey}`;
  expect(await exchangeBytes(url, `${head}\r\n${field.toLowerCase()}: Bearer other\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 400 .*"code":"BAD_USER_INPUT"/s,
  );
  expect([standIn.calls, passed]).toEqual([[], []]);
});

test.each([
  ['Express', startExpress],
  ['Fastify', startFastify],
])('%s rejects a repeated header with a key, and one that another server could read as it', async (_, start) => {
  const { url } = await start({ verifyUrl: standIn.url, keyLocations: ['header:x-api-key'] });
  for (const line of [`x-api-key: ${aKey}`, `X_API_Key: ${aKey}`]) {
    const head = `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-API-Key: ${aKey}`;
    const answer = await exchangeBytes(url, `${head}\r\n${line}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*"detail":"x-api-key must be .*"code":"BAD_USER_INPUT"/s);
    expect(answer).not.toContain(aKey);
  }
  expect([standIn.calls, passed]).toEqual([[], []]);
});

/** The registered problem type (draft-ietf-httpapi-ratelimit-headers-11, section 5.1). */
const quotaExceeded = {
  type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
  'violated-policies': ['default'],
};

describe.each([
  ['Express', startExpress],
  ['Fastify', startFastify],
  ['the Fetch API', startFetch],
] as const)('with %s', (_, start) => {
  const serve = (options: Options = {}, scopes?: readonly string[]) =>
    start({ verifyUrl: standIn.url, timeoutMs: 20_000, ...options }, scopes);
  const sign = ({ url }: Application, signedBody?: string) => {
    const method = signedBody === undefined ? 'GET' : 'POST';
    const request = { method, url: `${url}/`, ...(signedBody === undefined ? {} : { body: signedBody }) };
    return { ...signRequest(request, { keyId, signingSecret, now }) };
  };

  async function expectProblem(answer: Response, status: number, code: string): Promise<void> {
    const text = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    expect(answer.headers.get('www-authenticate')).toBe(
      status === 401 ? 'Bearer' : code === 'INSUFFICIENT_SCOPE' ? challenge : null,
    );
    const { type = `urn:latchkey:problem:${code}`, ...members } = code === 'RATE_LIMITED' ? quotaExceeded : {};
    expect(JSON.parse(text)).toEqual({
      ...members,
      type,
      title: expect.stringMatching(/.../),
      status,
      detail: expect.stringMatching(/^[A-Z].*\.$/),
      code,
    });
    for (const secretive of [aKey, validKey.keyId, validKey.teamId, validKey.name, validKey.prefix]) {
      expect(text + JSON.stringify([...answer.headers])).not.toContain(secretive);
    }
    expect(passed).toEqual([]);
  }

  test('a request with a valid key passes with the key, verified with the values of the options and the request', async () => {
    const answer = await (await serve({ env: 'live', verifierToken: 'the-token' })).send({ path: '/orders?limit=5' });
    expect([answer.status, await answer.text(), answer.headers.get('ratelimit')]).toEqual([200, 'done', null]);
    expect(passed).toEqual([validKey]);
    expect(standIn.calls.map(({ asked }) => asked)).toEqual([{ key: aKey, env: 'live', sourceIp: '127.0.0.1' }]);
    expect(standIn.calls[0]?.request.headers.authorization).toBe('Bearer the-token');
  });

  test('the response has the RateLimit fields of a key with a rate limit, and the key has its state', async () => {
    standIn.answer = accepted;
    const answer = await (await serve()).send();
    expect(Object.fromEntries(answer.headers)).toMatchObject(rateLimitFields);
    expect(passed).toMatchObject([{ rateLimit: { limit: 100, windowSeconds: 60, remaining: 0, resetSeconds: 17 } }]);
  });

  test('the verifier in the options is used as an object, in place of the verification port', async () => {
    const verifier = {
      verdict: { ...validVerdict, addedLater: 'not for the program' },
      async verify() {
        return this.verdict;
      },
    };
    expect((await (await serve({ verifier, verifyUrl: await deadUrl() })).send()).status).toBe(200);
    expect([standIn.calls, passed]).toEqual([[], [validKey]]);
  });

  test('the scheme Bearer may be in any case (RFC 9110, section 11.1)', async () => {
    const { send } = await serve();
    for (const scheme of ['bearer ', 'BEARER   ']) await send({ headers: { authorization: scheme + aKey } });
    expect(standIn.calls.map(({ asked }) => asked.key)).toEqual([aKey, aKey]);
  });

  test.each(['', 'Bearer', 'Bearer ', `Basic ${aKey}`, aKey, `Bearer ${aKey} ${aKey}`, `BearerX ${aKey}`])(
    'Authorization %j has no key, nor has another header or the URL, and the verifier is not called',
    async (authorization) => {
      const sent = { path: `/?access_token=${aKey}&key=${aKey}`, headers: { authorization, 'x-api-key': aKey } };
      await expectProblem(await (await serve()).send(sent), 401, 'UNAUTHENTICATED');
      expect(standIn.calls).toEqual([]);
    },
  );

  test.each(verdictCodes.filter((code) => code !== 'VALID'))('%s: the response has that code only', async (code) => {
    standIn.answer = answering(rejectedVerdict(code));
    const requireScopes = ['orders:read', 'orders:write'];
    await expectProblem(await (await serve({ requireScopes })).send(), statusOf(code), code);
    expect(standIn.calls).toMatchObject([{ asked: { scopes: requireScopes } }]);
  });

  test('with errorsUrl, `type` links to the entry of the code, also if a scope of a route is missing', async () => {
    const errorsUrl = 'https://keys.example.com/errors';
    const typeOf = async (answer: Promise<Response>) => JSON.parse(await (await answer).text()).type;
    standIn.answer = answering(rejectedVerdict('REVOKED'));
    expect(await typeOf((await serve({ errorsUrl })).send())).toBe(`${errorsUrl}#REVOKED`);
    expect(await typeOf((await serve({ errorsUrl })).send({ headers: { authorization: '' } }))).toBe(
      `${errorsUrl}#UNAUTHENTICATED`,
    );
    standIn.answer = accepted;
    expect(await typeOf((await serve({ errorsUrl }, ['orders:delete'])).send())).toBe(
      `${errorsUrl}#INSUFFICIENT_SCOPE`,
    );
  });

  test('429 has Retry-After and the RateLimit fields', async () => {
    standIn.answer = rateLimited;
    const answer = await (await serve()).send();
    await expectProblem(answer, 429, 'RATE_LIMITED');
    expect(Object.fromEntries(answer.headers)).toMatchObject({ ...rateLimitFields, 'retry-after': '17' });
  });

  describe('with keyLocations', () => {
    const basic = (credentials: string) => `Basic ${btoa(credentials)}`;
    const problemOf = async (answer: Response) => [
      answer.status,
      answer.headers.get('www-authenticate'),
      JSON.parse(await answer.text()).detail,
    ];

    test.each<[KeyLocationText, Record<string, string>]>([
      ['header:X-API-Key', { 'x-api-key': aKey }],
      ['header:x-api-key', { 'x-api-key': aKey, authorization: 'Bearer a.session.token' }],
      ['header:authorization', { authorization: aKey }],
      ['basic', { authorization: basic(`${aKey}:`) }],
      ['basic:username', { authorization: basic(`${aKey}:x`) }],
      ['basic:password', { authorization: basic(`api:${aKey}`) }],
    ])('the key is read from %s', async (location, headers) => {
      expect((await (await serve({ keyLocations: [location] })).send({ headers })).status).toBe(200);
      expect(standIn.calls.map(({ asked }) => asked.key)).toEqual([aKey]);
    });

    test('a request without a key is told where to send it, and that with another place too', async () => {
      const { send } = await serve({ keyLocations: ['header:x-api-key'] });
      for (const headers of [{}, { 'x-api-key': '' }, { authorization: basic(`${aKey}:`) }]) {
        expect(await problemOf(await send({ headers, path: `/?x-api-key=${aKey}` }))).toEqual([
          401,
          'ApiKey header="x-api-key"',
          'Send it as x-api-key: <key>.',
        ]);
      }
      expect([standIn.calls, passed]).toEqual([[], []]);
    });

    test('two different keys are rejected with the reason, and the same key twice passes', async () => {
      const { send } = await serve({ keyLocations: ['authorization', 'header:x-api-key'] });
      const answer = await send({ headers: { 'x-api-key': `${aKey}2` } });
      expect(await problemOf(answer)).toEqual([
        401,
        'Bearer, ApiKey header="x-api-key"',
        'The request contains two different API keys. Send only one.',
      ]);
      expect([standIn.calls, passed]).toEqual([[], []]);
      expect((await send({ headers: { 'x-api-key': aKey } })).status).toBe(200);
    });

    test('the challenges of verdicts and of the guard requireScopes are those of the places', async () => {
      const options: Options = { keyLocations: ['header:x-api-key'] };
      const sent = { headers: { 'x-api-key': aKey } };
      const scopes = 'ApiKey header="x-api-key", error="insufficient_scope", scope="orders:read orders:write"';
      const guarded = await serve(options, ['orders:read', 'orders:write']);
      expect((await guarded.send(sent)).headers.get('www-authenticate')).toBe(scopes);
      standIn.answer = answering(rejectedVerdict('REVOKED'));
      expect((await (await serve(options)).send(sent)).headers.get('www-authenticate')).toBe(
        'ApiKey header="x-api-key"',
      );
    });

    test('a key in another header than Authorization reaches no error and no log', async () => {
      const lines: unknown[] = [];
      const errors: Error[] = [];
      const log = vi.spyOn(console, 'error').mockImplementation((...line) => void lines.push(...line));
      onTestFinished(() => log.mockRestore());
      standIn.answer = answering({ detail: `not ${aKey}` }, 400);
      const options: Options = { keyLocations: ['header:x-api-key'] };
      const sent = { headers: { 'x-api-key': aKey } };
      await expectProblem(await (await serve(options)).send(sent), 503, 'UNAVAILABLE');
      await (await serve({ ...options, onVerifierError: (error) => void errors.push(error) })).send(sent);
      expect(lines).toHaveLength(1);
      expect(errors).toHaveLength(1);
      expect(JSON.stringify([lines, `${errors[0]?.stack}`])).not.toContain(aKey);
    });
  });

  describe('without a verdict, no request passes:', () => {
    const silence = () => undefined;
    test.each<[string, (call: Call) => void, RegExp, string]>([
      ['no answer in time', silence, /no answer in 100 ms$/, '1'],
      ['503 with Retry-After', answering({}, 503, { 'retry-after': '7' }), /it answered 503/, '7'],
      ['a reason', answering({ detail: `No\n${aKey}.` }, 404), /it answered 404: No \[secret\]\.$/, '1'],
      ['a redirect', answering('', 307, { location: 'http://127.0.0.1:9/' }), /it answered 307/, '1'],
      ['a long text', answering('x'.repeat(20_000)), /the answer was too long$/, '1'],
      ['another environment', answering({ ...validVerdict, env: 'test' }), /another environment/, '1'],
      ['the call rejected', answering({ detail: `not ${aKey}` }, 400), /rejected the call with 400/, '1'],
      ['a reset', ({ request }) => void request.socket.resetAndDestroy(), /failed/, '1'],
      ['an interrupted answer', ({ response }) => void response.destroy(), /failed/, '1'],
    ])('%s', async (_, script, message, retryAfter) => {
      standIn.answer = script;
      const errors: Error[] = [];
      const timeoutMs = script === silence ? 100 : 20_000;
      const { send } = await serve({ env: 'live', timeoutMs, onVerifierError: (error) => void errors.push(error) });
      const answer = await send();
      await expectProblem(answer, 503, 'UNAVAILABLE');
      expect(answer.headers.get('retry-after')).toBe(retryAfter);
      expect(errors.map((error) => error.message)).toEqual([expect.stringMatching(message)]);
      expect(`${errors[0]?.stack} ${errors[0]?.cause}`).not.toContain(aKey);
    });

    test('no server listens: the console names the cause, and the answer does not', async () => {
      const lines: string[] = [];
      const log = vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(line));
      onTestFinished(() => log.mockRestore());
      const verifyUrl = await deadUrl();
      const answer = await (await serve({ verifyUrl })).send();
      expect(lines).toEqual([
        expect.stringMatching(new RegExp(`The verifier at ${verifyUrl} .*: the connection failed \\(ECONNREFUSED\\)$`)),
      ]);
      expect(await answer.clone().text()).not.toMatch(/ECONNREFUSED|127\.0\.0\.1/);
      await expectProblem(answer, 503, 'UNAVAILABLE');
    });

    test('the error of a verifier of another copy of the package', async () => {
      class VerifierUnavailableError extends Error {
        override readonly name = 'VerifierUnavailableError';
        readonly status = null;
        readonly retryAfterSeconds = 7;
      }
      const errors: Error[] = [];
      const verifier = { verify: () => Promise.reject(new VerifierUnavailableError('no answer')) };
      const answer = await (await serve({ verifier, onVerifierError: (error) => void errors.push(error) })).send();
      await expectProblem(answer, 503, 'UNAVAILABLE');
      expect([answer.headers.get('retry-after'), errors[0]?.message]).toEqual(['7', 'no answer']);
    });
  });

  test('the guard requireScopes lets a key with the scopes pass, answers 403 for others, and verifies nothing again', async () => {
    standIn.answer = accepted;
    expect((await (await serve({}, ['orders:read'])).send()).status).toBe(200);
    passed.length = 0;
    const answer = await (await serve({}, ['orders:read', 'orders:write'])).send({ body: 'unread' });
    await expectProblem(answer, 403, 'INSUFFICIENT_SCOPE');
    expect(Object.fromEntries(answer.headers)).toMatchObject(rateLimitFields);
    expect(standIn.calls).toHaveLength(2);
  });

  describe('a signed request', () => {
    beforeEach(() => {
      standIn.answer = judge;
    });

    test.each<[string, signedBody: string | undefined, sentBody: string | undefined, status: number]>([
      ['with its body', body, body, 200],
      ['without a body', undefined, undefined, 200],
      ['with another body', body, '{"amount":9}', 401],
      ['with an added body', undefined, body, 401],
    ])('%s', async (_, signedBody, sentBody, status) => {
      const app = await serve();
      const headers = { ...sign(app, signedBody), 'content-type': 'application/json' };
      const answer = await app.send({ headers, ...(sentBody === undefined ? {} : { body: sentBody }) });
      if (status === 200) expect(answer.status).toBe(200);
      else await expectProblem(answer, 401, 'SIGNATURE_INVALID');
    });

    test('is verified for the configured origin, whatever its Host', async () => {
      const origin = 'https://API.example.com/';
      const app = await serve({ origin });
      expect((await app.send({ headers: sign({ ...app, url: 'https://api.example.com' }) })).status).toBe(200);
      passed.length = 0;
      await expectProblem(await app.send({ headers: sign(app) }), 401, 'SIGNATURE_INVALID');
    });

    test('gets 413 for a body above the limit, and is not verified', async () => {
      const large = 'x'.repeat(300_000);
      for (const [bodyLimit, status] of [
        [299_999, 413],
        [300_000, 200],
      ] as const) {
        const app = await serve({ bodyLimit });
        const answer = await app.send({ headers: { ...sign(app, large), 'content-type': 'text/plain' }, body: large });
        if (status === 413) await expectProblem(answer, 413, 'PAYLOAD_TOO_LARGE');
        else expect(answer.status).toBe(200);
      }
      expect(standIn.calls).toHaveLength(1);
    });
  });

  test.each<[Options, string]>([
    [{ origin: 'https://api.example.com/v1' }, 'origin must be a scheme and a host'],
    [{ origin: 'api.example.com:443' }, 'origin must be a scheme and a host'],
    [{ origin: 'https://user@api.example.com' }, 'origin must be a scheme and a host'],
    [{ bodyLimit: -1 }, 'bodyLimit must be a number of bytes'],
    [{ bodyLimit: Number.NaN }, 'bodyLimit must be a number of bytes'],
    [{ timeoutMs: 0 }, 'timeoutMs must be a positive number'],
    [{ verifyUrl: 'file:///etc' }, 'url must be an http or https one'],
    [{ keyLocations: ['header:host'] }, 'keyLocations must be a list of places'],
    [{ keyLocations: [] }, 'keyLocations must be a list of places'],
    [JSON.parse('{ "keyLocations": "header:x-api-key" }'), 'keyLocations must be a list of places'],
    [{ requireScopes: ['two words'] }, 'requireScopes must be a list of at most 50 scope tokens'],
  ])('rejects the invalid options %j', async (options, message) => {
    await expect(serve(options)).rejects.toThrow(message);
  });
});
