import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { signingFetch } from '../../src/client/signing-fetch.ts';
import type { KeyLocationText } from '../../src/domain/key-location.ts';
import { type SignatureVerdict, verifySignature } from '../../src/domain/signature/http-signature.ts';
import { digestOf, keyId, now, secret, signingSecret } from '../support/crafted-request.ts';
import { listen, stopListening } from '../support/gateway.ts';

interface Arrived {
  readonly request: IncomingMessage;
  readonly body: string;
  readonly verdict: SignatureVerdict;
}

/** A server that judges each request by what came over the wire. */
const arrived: Arrived[] = [];
const server = createServer((request, response) => void judge(request, response));
let origin = '';

async function judge(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await buffer(request)).toString('latin1');
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(request.headers)) if (value !== undefined) headers[name] = value;
  const { method = '', url = '' } = request;
  const bodyDigest = digestOf(Buffer.from(body, 'latin1'));
  const verdict = verifySignature({ request: { method, url, headers, bodyDigest }, keyId, secret, now });
  arrived.push({ request, body, verdict });
  if (url.startsWith('/moved')) response.writeHead(307, { location: '/elsewhere' }).end();
  else response.end('done');
}

beforeAll(async () => {
  origin = await listen(server);
});
afterAll(() => stopListening(server));
beforeEach(() => {
  arrived.length = 0;
});

const signed = signingFetch({ apiKey: 'lk_test_x', keyId, signingSecret, now: () => now });

function only(): Arrived {
  const [first, ...more] = arrived;
  if (first === undefined || more.length > 0) throw new Error(`${arrived.length} requests arrived, not one`);
  return first;
}

describe('signingFetch', () => {
  test('presents the key and signs, over the wire', async () => {
    const response = await signed(`${origin}/orders?limit=5&q=%20é`);
    expect(await response.text()).toBe('done');
    expect(only().verdict.outcome).toBe('valid');
    expect(only().request.headers.authorization).toBe('Bearer lk_test_x');
    expect(only().request.headers['content-digest']).toBeUndefined();
  });

  test.each<[KeyLocationText, header: string, value: string]>([
    ['header:X-API-Key', 'x-api-key', 'lk_test_x'],
    ['header:authorization', 'authorization', 'lk_test_x'],
    ['basic', 'authorization', `Basic ${btoa('lk_test_x:')}`],
    ['basic:username', 'authorization', `Basic ${btoa('lk_test_x:')}`],
    ['basic:password', 'authorization', `Basic ${btoa(':lk_test_x')}`],
  ])('presents the key at %s', async (keyLocation, header, value) => {
    const send = signingFetch({ apiKey: 'lk_test_x', keyLocation, keyId, signingSecret, now: () => now });
    await send(`${origin}/`, { headers: { 'X-API-Key': 'replaced', Authorization: 'Bearer of-the-application' } });
    const { request, verdict } = only();
    expect([verdict.outcome, request.headers[header]]).toEqual(['valid', value]);
    const other =
      header === 'authorization' ? ['x-api-key', 'replaced'] : ['authorization', 'Bearer of-the-application'];
    expect(request.headers[other[0] ?? '']).toBe(other[1]);
  });

  const bytes = Buffer.from('-bytes-');
  test.each([
    ['a string', 'é', 'text/plain;charset=UTF-8', 'Ã©'],
    ['an empty string', '', 'text/plain;charset=UTF-8', ''],
    ['a Uint8Array that is part of a buffer', bytes.subarray(1, 6), undefined, 'bytes'],
    ['an ArrayBuffer', new Uint8Array([97, 98]).buffer, undefined, 'ab'],
    ['URLSearchParams', new URLSearchParams({ a: 'b c' }), 'application/x-www-form-urlencoded;charset=UTF-8', 'a=b+c'],
    ['a Blob', new Blob(['blob'], { type: 'image/png' }), 'image/png', 'blob'],
  ])('signs and sends %s', async (_, body, contentType, text) => {
    await signed(`${origin}/`, { method: 'POST', body });
    const { request, body: sent, verdict } = only();
    expect(verdict.outcome).toBe('valid');
    expect(sent).toBe(text);
    expect(request.headers['content-type']).toBe(contentType);
    expect(request.headers['content-digest']).toBe(digestOf(Buffer.from(text, 'latin1')));
  });

  test('signs and sends FormData with the boundary that its content type names', async () => {
    const form = new FormData();
    form.set('name', 'value');
    form.set('file', new Blob(['content']), 'a.txt');
    await signed(`${origin}/`, { method: 'POST', body: form });
    const { request, body, verdict } = only();
    expect(verdict.outcome).toBe('valid');
    const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(request.headers['content-type'] ?? '')?.[1];
    expect(boundary).toBeTypeOf('string');
    expect(body.startsWith(`--${boundary}\r\n`)).toBe(true);
    expect(body.trimEnd().endsWith(`--${boundary}--`)).toBe(true);
  });

  test('signs and sends a Request object, with what is given beside it', async () => {
    const request = new Request(`${origin}/a`, { method: 'put', body: 'x', headers: { 'x-a': '1' } });
    await signed(request);
    expect(only()).toMatchObject({ body: 'x', verdict: { outcome: 'valid' } });
    expect(only().request).toMatchObject({ method: 'PUT', headers: { 'x-a': '1' } });
    arrived.length = 0;
    await signed(new Request(`${origin}/a`), { method: 'POST', body: 'y', headers: { 'x-a': '2' } });
    expect(only()).toMatchObject({ body: 'y', verdict: { outcome: 'valid' } });
    expect(only().request).toMatchObject({ method: 'POST', headers: { 'x-a': '2' } });
  });

  test('signs the method in the case in which fetch sends it', async () => {
    for (const method of ['get', 'post', 'PATCH']) await signed(`${origin}/`, { method });
    expect(arrived.map(({ request, verdict }) => [request.method, verdict.outcome])).toEqual([
      ['GET', 'valid'],
      ['POST', 'valid'],
      ['PATCH', 'valid'],
    ]);
  });

  test('signs each request anew', async () => {
    await signed(`${origin}/`);
    await signed(`${origin}/`);
    const nonces = arrived.map(({ verdict }) => (verdict.outcome === 'valid' ? verdict.nonce : ''));
    expect(new Set(nonces).size).toBe(2);
  });

  test('replaces an Authorization header and keeps the others', async () => {
    await signed(`${origin}/`, { headers: { Authorization: 'Basic x', 'X-Trace': '7' } });
    expect(only().request.headers).toMatchObject({ authorization: 'Bearer lk_test_x', 'x-trace': '7' });
  });

  test("rejects a stream, and redirect: 'follow', and nothing is sent", async () => {
    const stream = new Blob(['x']).stream();
    const generator = (async function* () {
      yield new Uint8Array([1]);
    })();
    for (const body of [stream, generator]) {
      await expect(signed(`${origin}/`, { method: 'POST', body, duplex: 'half' })).rejects.toThrow(
        new TypeError('The body of a signed request must be in memory: the digest of a stream is not known'),
      );
    }
    const follow = new TypeError('A signed request must not follow redirects');
    await expect(signed(`${origin}/moved`, { redirect: 'follow' })).rejects.toThrow(follow);
    expect(arrived).toEqual([]);
  });

  test('does not follow a redirect: the answer comes back, and neither key nor signature goes elsewhere', async () => {
    const response = await signed(`${origin}/moved`);
    expect([response.status, response.headers.get('location')]).toEqual([307, '/elsewhere']);
    await signed(new Request(`${origin}/moved`, { redirect: 'follow' }));
    expect(arrived.map(({ request }) => request.url)).toEqual(['/moved', '/moved']);
  });

  test("fails on a redirect with redirect: 'error', in the request or the options", async () => {
    await expect(signed(`${origin}/moved`, { redirect: 'error' })).rejects.toThrow(TypeError);
    await expect(signed(new Request(`${origin}/moved`, { redirect: 'error' }))).rejects.toThrow(TypeError);
    expect(arrived.map(({ request }) => request.url)).toEqual(['/moved', '/moved']);
  });

  test('is stopped by the signal of the call, or else of the Request object', async () => {
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(signed(`${origin}/`, { signal })).rejects.toThrow('stopped');
    await expect(signed(new Request(`${origin}/`, { signal }))).rejects.toThrow('stopped');
    expect(arrived).toEqual([]);
  });

  test('sends with the fetch that it is given', async () => {
    const calls: { input: unknown; init: RequestInit | undefined }[] = [];
    const recording: typeof fetch = async (input, init) => {
      calls.push({ input, init });
      return new Response('recorded');
    };
    const through = signingFetch({ apiKey: 'k', keyId, signingSecret, fetch: recording });
    expect(await (await through('https://api.example.com/a', { keepalive: true })).text()).toBe('recorded');
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({
      input: 'https://api.example.com/a',
      init: { redirect: 'manual', keepalive: true },
    });
  });
});

describe('the options of signingFetch', () => {
  const valid = { apiKey: 'lk_test_x', keyId, signingSecret };

  const [key, id, secretOf] = [
    'apiKey must be the secret of a key: visible ASCII characters',
    'keyId must be the id of a key',
    'signingSecret must be 64 hexadecimal characters',
  ];
  const swapped = 'keyId must be the id of the key, not its secret or prefix';
  test.each<[object, string]>([
    ...[undefined, '', 'Bearer lk_test_canary', 'lk_test_canary\n'].map((apiKey): [object, string] => [
      { apiKey },
      key,
    ]),
    ...[undefined, '', 'canary"'].map((keyId): [object, string] => [{ keyId }, id]),
    ...['lk_test_canary_x', 'lk_test_canary'].map((keyId): [object, string] => [
      { apiKey: 'lk_test_canary_x', keyId },
      swapped,
    ]),
    ...[undefined, 'canary', `${signingSecret}\n`].map((text): [object, string] => [{ signingSecret: text }, secretOf]),
    ...['canary', 'header:canary id', 'authorization,header:canary', 1].map((keyLocation): [object, string] => [
      { keyLocation },
      'keyLocation must be authorization, header:<name>, basic, basic:username or basic:password',
    ]),
    [
      { apiKey: 'with:canary', keyLocation: 'basic:username' },
      'apiKey has a colon, so it cannot be a user name of HTTP Basic',
    ],
    [{ fetch: 'canary' }, 'fetch must be a function'],
    [{ now: new Date() }, 'now must be a function'],
  ])('are checked when it is made, and an error never repeats a value: %j', (wrong, message) => {
    expect(() => Reflect.apply(signingFetch, undefined, [{ ...valid, ...wrong }])).toThrow(new TypeError(message));
    expect(message).not.toContain('canary');
  });
});
