// SECURITY.md: A signed request
import { createContext, runInContext } from 'node:vm';
import { build } from 'vite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createVerify, type RequireApiKeyOptions, requireApiKey, requireScopes } from '../../src/client/fetch.ts';
import { signRequest } from '../../src/client/sign.ts';
import { keyId, now, signingSecret } from '../support/crafted-request.ts';
import {
  aKey,
  answering,
  judge,
  rejectedVerdict,
  type StandIn,
  startStandIn,
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

/** A request that was signed with `body`. */
function signed(sent = body): Request {
  const signature = signRequest({ method: 'POST', url, body }, { keyId, signingSecret, now });
  return new Request(url, { method: 'POST', headers: { authorization: `Bearer ${aKey}`, ...signature }, body: sent });
}

test('tells a key with an allow-list from a request without a source, which the program did not give', async () => {
  standIn.answer = answering(rejectedVerdict('SOURCE_NOT_ALLOWED'));
  const detailOf = async (source?: { readonly sourceIp: string }) => {
    const answer = await authenticator()(new Request(url, { headers: { authorization: `Bearer ${aKey}` } }), source);
    if (!(answer instanceof Response)) return expect.fail('the request passed');
    const { status, code, detail } = JSON.parse(await answer.text());
    expect([status, code]).toEqual([403, 'SOURCE_NOT_ALLOWED']);
    return detail;
  };
  expect(await detailOf()).toBe(
    'The API key has an allow-list, and the address of the caller is not known: the application must trust its proxies, or pass an IP address as sourceIp.',
  );
  expect(await detailOf({ sourceIp: '203.0.113.9' })).toBe('The source is not among the allowed ones.');
});

test('rejects a header that another server could read as the one with the key', async () => {
  const authenticate = requireApiKey({ verifyUrl: standIn.url, keyLocations: ['header:x-api-key'] });
  const headers = { 'x-api-key': aKey, X_API_Key: 'other' };
  const answer = await authenticate(new Request('http://api.example.com/', { headers }));
  expect(answer).toMatchObject({ status: 400 });
  expect(standIn.calls).toEqual([]);
});

test('the guard requireScopes returns an answer as it is', async () => {
  const rejection = await authenticator()(new Request(url));
  expect(rejection).toBeInstanceOf(Response);
  expect(requireScopes(['orders:read'])(rejection)).toBe(rejection);
});

describe('a signed request', () => {
  beforeEach(() => {
    standIn.answer = judge;
  });

  test('passes with the signed body, which can be read again, and with no other', async () => {
    const request = signed();
    expect(await authenticator()(request)).toEqual(key);
    expect(await request.text()).toBe(body);
    expect(await authenticator()(signed('{}'))).toMatchObject({ status: 401 });
  });

  test('is an error of the program where its body was already read', async () => {
    const request = signed();
    await request.text();
    await expect(authenticator()(request)).rejects.toThrow(TypeError);
    expect(standIn.calls).toEqual([]);
  });

  test('whose body is cut off is not verified, and does not pass', async () => {
    const cutOff = new ReadableStream({ pull: (controller) => controller.error(new Error('cut off')) });
    const { method, headers } = signed();
    const answer = await authenticator()(new Request(url, { method, headers, body: cutOff, duplex: 'half' }));
    expect(answer).toBeInstanceOf(Response);
    expect(standIn.calls).toEqual([]);
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
  const context = createContext({ ...web, verifyUrl: standIn.url, good: signed(), bad: signed('{}') });
  runInContext(output[0].code, context);
  expect(runInContext('[typeof process, typeof Buffer, typeof require]', context)).toEqual(Array(3).fill('undefined'));
  runInContext('const authenticate = latchkey.requireApiKey({ verifyUrl, timeoutMs: 20_000 })', context);
  expect(await runInContext('authenticate(good)', context)).toMatchObject(key);
  expect(await runInContext('authenticate(bad)', context)).toMatchObject({ status: 401 });
});
