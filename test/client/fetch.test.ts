import { createContext, runInContext } from 'node:vm';
import { build } from 'vite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createVerify,
  type RequireApiKeyOptions,
  rateLimitHeaders,
  requireApiKey,
  requireScopes,
} from '../../src/client/fetch.ts';
import { signRequest } from '../../src/client/sign.ts';
import { verifySignature } from '../../src/domain/signature/http-signature.ts';
import { verdictCodes } from '../../src/domain/verdict/verdict-code.ts';
import { keyId, now, secret, signingSecret } from '../support/crafted-request.ts';
import {
  accepted,
  aKey,
  answering,
  type Call,
  deadUrl,
  rateLimited,
  rateLimitFields,
  rejectedVerdict,
  type StandIn,
  startStandIn,
  statusOf,
  validVerdict,
} from '../support/stand-in-verifier.ts';

let standIn: StandIn;
const url = 'https://api.example.com/orders?limit=5';
const body = '{"amount":5}';
const { valid: _, code: __, ...key } = validVerdict;

beforeEach(async () => {
  standIn = await startStandIn();
});
afterEach(() => standIn.close());

function authenticator(options: RequireApiKeyOptions = {}) {
  return requireApiKey({ verifyUrl: standIn.url, timeoutMs: 20_000, ...options });
}

function requestWith(headers: Record<string, string> = {}): Request {
  return new Request(url, { headers: { authorization: `Bearer ${aKey}`, ...headers } });
}

/** A request with one body that was signed and another that is sent. */
function signed(signedBody: string | undefined, sent: string | undefined): Request {
  const request = { method: 'POST', url, ...(signedBody === undefined ? {} : { body: signedBody }) };
  const headers = { authorization: `Bearer ${aKey}`, ...signRequest(request, { keyId, signingSecret, now }) };
  return new Request(url, { method: 'POST', headers, body: sent ?? null });
}

/** The stand-in judges signatures as the service does. */
function judge(call: Call): void {
  const request = call.asked.request ?? { method: 'GET', url: '/', headers: {} };
  const { outcome } = verifySignature({ request, keyId, secret, now });
  answering(outcome === 'valid' ? validVerdict : rejectedVerdict(outcome))(call);
}

async function problemOf(answer: unknown) {
  if (!(answer instanceof Response)) return expect.fail('the request passed');
  const text = await answer.text();
  expect(text).not.toContain(aKey);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('www-authenticate')).toBe(answer.status === 401 ? 'Bearer' : null);
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), code: JSON.parse(text).code };
}

test('resolves to the key of a request that passes', async () => {
  const authenticate = authenticator({ env: 'live', verifierToken: 'the-token' });
  expect(await authenticate(requestWith(), { sourceIp: '203.0.113.9' })).toEqual(key);
  expect(standIn.calls.map(({ asked }) => asked)).toEqual([{ key: aKey, env: 'live', sourceIp: '203.0.113.9' }]);
  expect(standIn.calls[0]?.request.headers.authorization).toBe('Bearer the-token');
});

test.each(verdictCodes.filter((code) => code !== 'VALID' && code !== 'INSUFFICIENT_SCOPE'))(
  'answers %s with that code only',
  async (code) => {
    standIn.answer = answering(rejectedVerdict(code));
    const retryAfter = code === 'RATE_LIMITED' ? '1' : null;
    expect(await problemOf(await authenticator()(requestWith()))).toEqual({ status: statusOf(code), retryAfter, code });
  },
);

test('answers 429 with Retry-After and the RateLimit fields when the key has reached its rate limit', async () => {
  standIn.answer = rateLimited;
  const answer = await authenticator()(requestWith());
  if (!(answer instanceof Response)) return expect.fail('the request passed');
  expect(Object.fromEntries(answer.headers)).toMatchObject(rateLimitFields);
  expect(await problemOf(answer)).toEqual({ status: 429, retryAfter: '17', code: 'RATE_LIMITED' });
});

test('asks the verifier that is given, such as a local one, in place of the verification port', async () => {
  const asked: unknown[] = [];
  const verifier = {
    verdict: validVerdict,
    async verify(verification: unknown) {
      asked.push(verification);
      return this.verdict;
    },
  };
  expect(await authenticator({ verifier, env: 'live' })(requestWith(), { sourceIp: '203.0.113.9' })).toEqual(key);
  expect(asked).toEqual([{ key: aKey, env: 'live', sourceIp: '203.0.113.9' }]);
  expect(standIn.calls).toEqual([]);
});

test('answers 403 with the scopes that are needed to a key that lacks one', async () => {
  standIn.answer = answering(rejectedVerdict('INSUFFICIENT_SCOPE'));
  const answer = await authenticator({ requireScopes: ['orders:write'] })(requestWith());
  if (!(answer instanceof Response)) return expect.fail('the request passed');
  expect([answer.status, JSON.parse(await answer.text()).code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="orders:write"');
  expect(() => authenticator({ requireScopes: ['two words'] })).toThrow(TypeError);
});

test('tells a key with an allow-list from a request without a source, which the program did not give', async () => {
  standIn.answer = answering(rejectedVerdict('SOURCE_NOT_ALLOWED'));
  const detailOf = async (source?: { readonly sourceIp: string }) => {
    const answer = await authenticator()(requestWith(), source);
    if (!(answer instanceof Response)) return expect.fail('the request passed');
    const { status, code, detail } = JSON.parse(await answer.text());
    expect([status, code]).toEqual([403, 'SOURCE_NOT_ALLOWED']);
    return detail;
  };
  expect(await detailOf()).toBe(
    'The API key has an allow-list, and the caller of the middleware gave no source to compare: it must pass sourceIp.',
  );
  expect(await detailOf({ sourceIp: '203.0.113.9' })).toBe('The source is not among the allowed ones.');
});

test('returns the RateLimit fields of a key with a rate limit, for the response of the application', async () => {
  const headersOf = async () => {
    const passed = await authenticator()(requestWith());
    return passed instanceof Response ? expect.fail('the request did not pass') : rateLimitHeaders(passed);
  };
  expect(await headersOf()).toEqual({});
  standIn.answer = accepted;
  expect(await headersOf()).toEqual(rateLimitFields);
});

describe('the guard requireScopes', () => {
  test('returns a key with the scopes, and for others the answer 403, and verifies nothing again', async () => {
    standIn.answer = accepted;
    const authenticated = await authenticator()(requestWith());
    expect(requireScopes(['orders:read'])(authenticated)).toBe(authenticated);
    const answer = requireScopes(['orders:read', 'orders:write'])(authenticated);
    if (!(answer instanceof Response)) return expect.fail('the request passed');
    expect([answer.status, JSON.parse(await answer.text()).code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...rateLimitFields,
      'www-authenticate': 'Bearer error="insufficient_scope", scope="orders:read orders:write"',
    });
    expect(standIn.calls).toHaveLength(1);
  });

  test('returns an answer as it is', async () => {
    const rejection = await authenticator()(new Request(url));
    expect(rejection).toBeInstanceOf(Response);
    expect(requireScopes(['orders:read'])(rejection)).toBe(rejection);
  });
});

test('does not ask about a request without a key', async () => {
  const answer = await authenticator()(new Request(`${url}&access_token=${aKey}`, { headers: { 'x-api-key': aKey } }));
  expect(await problemOf(answer)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  expect(standIn.calls).toEqual([]);
});

describe('a signed request', () => {
  beforeEach(() => {
    standIn.answer = judge;
  });

  test('passes with the signed body, which can be read again, and with no other', async () => {
    const request = signed(body, body);
    expect(await authenticator()(request)).toEqual(key);
    expect(await request.text()).toBe(body);
    for (const [signedBody, sent] of [
      [body, '{"amount":9}'],
      [body, undefined],
      [undefined, body],
    ]) {
      const answer = await authenticator()(signed(signedBody, sent));
      expect(await problemOf(answer)).toMatchObject({ status: 401, code: 'SIGNATURE_INVALID' });
    }
    expect(await authenticator()(signed(undefined, undefined))).toEqual(key);
  });

  test('is verified for the configured origin', async () => {
    expect(await authenticator({ origin: 'https://api.example.com' })(signed(body, body))).toEqual(key);
    const elsewhere = await authenticator({ origin: 'https://other.example.com' })(signed(body, body));
    expect(await problemOf(elsewhere)).toMatchObject({ code: 'SIGNATURE_INVALID' });
  });

  test('gets 413 for a body above the limit', async () => {
    const large = 'x'.repeat(300_000);
    const answer = await authenticator({ bodyLimit: 299_999 })(signed(large, large));
    expect(await problemOf(answer)).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
    expect(standIn.calls).toEqual([]);
  });

  test('is an error of the program where its body was already read', async () => {
    const request = signed(body, body);
    await request.text();
    await expect(authenticator()(request)).rejects.toThrow(TypeError);
    expect(standIn.calls).toEqual([]);
  });

  test('whose body is cut off is not verified, and does not pass', async () => {
    const cutOff = new ReadableStream({ pull: (controller) => controller.error(new Error('cut off')) });
    const { method, headers } = signed(body, body);
    const answer = await authenticator()(new Request(url, { method, headers, body: cutOff, duplex: 'half' }));
    expect(answer).toBeInstanceOf(Response);
    expect(standIn.calls).toEqual([]);
  });
});

describe('without a verdict', () => {
  const hung = () => {};
  const redirect = answering('', 307, { location: 'http://127.0.0.1:9/' });
  test.each<[string, (call: Call) => void, RegExp]>([
    ['in time', hung, /no answer in 50 ms/],
    ['but a status', answering('', 502), /it answered 502$/],
    ['but a reason', answering({ detail: `No\n${aKey}.` }, 404), /it answered 404: No \[secret\]\.$/],
    ['but a redirect, which is not followed', redirect, /it answered 307/],
    ['but a long text', answering('x'.repeat(20_000)), /the request failed/],
    ['but other JSON', answering({ valid: true }), /its answer is not a verdict/],
    ['of the environment', answering({ ...validVerdict, env: 'test' }), /another environment/],
    ['but an interrupted answer', ({ response }) => response.destroy(), /the request failed/],
  ])('%s, answers 503 and reports an error without the key', async (_, answer, message) => {
    standIn.answer = answer;
    const errors: Error[] = [];
    const timeoutMs = answer === hung ? 50 : 20_000;
    const options = { env: 'live', timeoutMs, onVerifierError: (error: Error) => void errors.push(error) } as const;
    expect(await problemOf(await authenticator(options)(requestWith()))).toMatchObject({
      status: 503,
      retryAfter: '1',
    });
    expect(errors.map((error) => error.message)).toEqual([expect.stringMatching(message)]);
    expect(`${errors[0]?.stack} ${errors[0]?.cause}`).not.toContain(aKey);
  });

  test('from a verifier of another copy of the package, answers 503', async () => {
    class VerifierUnavailableError extends Error {
      override readonly name = 'VerifierUnavailableError';
      readonly status = null;
      readonly retryAfterSeconds = 7;
    }
    const verifier = { verify: () => Promise.reject(new VerifierUnavailableError('no answer')) };
    const errors: Error[] = [];
    const answer = await authenticator({ verifier, onVerifierError: (error) => errors.push(error) })(requestWith());
    expect(await problemOf(answer)).toMatchObject({ status: 503, retryAfter: '7', code: 'UNAVAILABLE' });
    expect(errors).toMatchObject([{ message: 'no answer' }]);
  });

  test('since nothing listens, answers 503', async () => {
    const answer = await authenticator({ verifyUrl: await deadUrl() })(requestWith());
    expect(await problemOf(answer)).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
  });

  test('passes the Retry-After of the verifier on', async () => {
    standIn.answer = answering('', 503, { 'retry-after': '7' });
    expect(await problemOf(await authenticator()(requestWith()))).toMatchObject({ status: 503, retryAfter: '7' });
  });
});

test('createVerify rejects with VerifierRejectedError when the call is wrong, without the key in the message', async () => {
  standIn.answer = answering({ detail: `key: ${aKey}` }, 401);
  const rejection = await createVerify({ url: standIn.url })({ key: aKey }).catch((error: unknown) => error);
  expect(rejection).toMatchObject({
    name: 'VerifierRejectedError',
    status: 401,
    message: expect.not.stringContaining(aKey),
  });
});

test.each<[RequireApiKeyOptions, string]>([
  [{ origin: 'https://api.example.com/v1' }, 'origin must be a scheme and a host'],
  [{ bodyLimit: Number.NaN }, 'bodyLimit must be a number of bytes'],
  [{ timeoutMs: 0 }, 'timeoutMs must be a positive number'],
  [{ verifyUrl: 'file:///etc' }, 'url must be an http or https one'],
])('rejects invalid options: %j', (options, message) => {
  expect(() => requireApiKey(options)).toThrow(message);
});

test('runs where there is nothing of Node, but only the web standards', async () => {
  standIn.answer = judge;
  const bundle = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: false,
      lib: { entry: 'src/client/fetch.ts', formats: ['iife'], name: 'latchkey' },
    },
  });
  const [{ output } = expect.fail('there is no bundle')] = Array.isArray(bundle) ? bundle : [];
  const web = { fetch, Request, Response, Headers, URL, AbortSignal, TextDecoder, btoa, crypto };
  const context = createContext({ ...web, verifyUrl: standIn.url, good: signed(body, body), bad: signed(body, '{}') });
  runInContext(output[0].code, context);
  expect(runInContext('[typeof process, typeof Buffer, typeof require]', context)).toEqual(Array(3).fill('undefined'));
  runInContext('const authenticate = latchkey.requireApiKey({ verifyUrl, timeoutMs: 20_000 })', context);
  expect(await runInContext('authenticate(good)', context)).toMatchObject(key);
  expect(await problemOf(await runInContext('authenticate(bad)', context))).toMatchObject({
    code: 'SIGNATURE_INVALID',
  });
});
