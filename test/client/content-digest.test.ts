// SECURITY.md: A signed request
import { createServer, IncomingMessage, type Server } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import express, { type RequestHandler } from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { matchesContentDigest } from '../../src/client/content-digest.ts';
import { checkContentDigest } from '../../src/client/express.ts';
import { readBody } from '../../src/client/middleware/node-request.ts';
import { signRequest } from '../../src/client/sign.ts';
import { digestOf, keyId, signingSecret } from '../support/crafted-request.ts';
import { listen, send, stopListening } from '../support/gateway.ts';

const body = '{"amount": 5}';
const other = '{"amount": 9}';
const signature = { signature: 'sig1=:AA==:', 'signature-input': 'sig1=()' };

describe('a body matches its Content-Digest', () => {
  test('by sha-256, by sha-512 and by both, and only if every given digest agrees', async () => {
    const both = `${digestOf(body)}, ${digestOf(body, 'sha-512')}`;
    for (const digest of [digestOf(body), digestOf(body, 'sha-512'), both]) {
      expect(await matchesContentDigest({ ...signature, 'content-digest': digest }, body)).toBe(true);
      expect(await matchesContentDigest({ 'Content-Digest': [digest] }, Buffer.from(body))).toBe(true);
      expect(await matchesContentDigest({ ...signature, 'content-digest': digest }, other)).toBe(false);
      expect(await matchesContentDigest({ 'content-digest': digest }, other)).toBe(false);
      expect(await matchesContentDigest({ ...signature, 'content-digest': digest }, '')).toBe(false);
    }
    const mixed = `${digestOf(body)}, ${digestOf(other, 'sha-512')}`;
    expect(await matchesContentDigest({ 'content-digest': mixed }, body)).toBe(false);
  });

  test('not by a digest that is malformed or of another algorithm', async () => {
    for (const digest of ['', 'x', 'md5=:AAAA:', 'sha-256=:AAAA:', 'sha=:2jmj7l5rSw0yVb/vlWAYkK/YBwk=:']) {
      expect(await matchesContentDigest({ 'content-digest': digest }, body)).toBe(false);
    }
  });

  test('without one only if it is empty or the request is not signed', async () => {
    expect(await matchesContentDigest(signature, '')).toBe(true);
    expect(await matchesContentDigest({}, body)).toBe(true);
    expect(await matchesContentDigest(signature, body)).toBe(false);
    expect(await matchesContentDigest({ signature: 'sig1=:AA==:' }, body)).toBe(false);
    expect(await matchesContentDigest({ 'signature-input': 'sig1=()' }, body)).toBe(false);
  });

  test('in parts of any size, whose errors are passed on', async () => {
    const headers = { 'content-digest': digestOf('é'.repeat(100_000)) };
    const parts = Array.from({ length: 1000 }, () => 'é'.repeat(100));
    expect(await matchesContentDigest(headers, Readable.from(parts))).toBe(true);
    expect(await matchesContentDigest(headers, Readable.from([...parts, 'x']))).toBe(false);
    expect(await matchesContentDigest(signature, Readable.from([]))).toBe(true);
    const failing = async function* () {
      yield 'a part';
      throw new Error('cut off');
    };
    await expect(matchesContentDigest(headers, failing())).rejects.toThrow('cut off');
  });
});

describe('the middleware', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await stopListening(server);
  });

  /** Bodies that got past it. */
  const passed: unknown[] = [];
  async function serve(...before: RequestHandler[]): Promise<string> {
    passed.length = 0;
    const app = express().use(...before, checkContentDigest({ bodyLimit: 1000 }), express.text({ type: () => true }));
    app.use((request, response) => {
      passed.push(request.body);
      response.end();
    });
    const server = createServer(app);
    servers.push(server);
    return await listen(server);
  }

  const sign = (origin: string, signed?: string) => {
    const request = { method: 'POST', url: `${origin}/` };
    return { ...signRequest(signed === undefined ? request : { ...request, body: signed }, { keyId, signingSecret }) };
  };
  const chunked = { 'transfer-encoding': 'chunked' };
  const post = (origin: string, headers: object, sent = '') =>
    send(origin, { elsewhere: true, method: 'POST', headers: { ...headers }, body: sent });

  test('accepts only the signed body, and passes it on complete and readable', async () => {
    const origin = await serve();
    for (const framing of [{}, chunked]) {
      expect((await post(origin, { ...sign(origin, body), ...framing }, body)).status).toBe(200);
      expect(passed.splice(0)).toEqual([body]);
      for (const [signed, sent] of [
        [body, other],
        [body, ''],
        [undefined, body],
      ] as const) {
        const answer = await post(origin, { ...sign(origin, signed), ...framing }, sent);
        expect([answer.status, answer.headers['content-type']]).toEqual([401, 'application/problem+json']);
        expect(JSON.parse(answer.body)).toMatchObject({ code: 'SIGNATURE_INVALID' });
      }
    }
    expect(passed).toEqual([]);
  });

  test('does not read what is neither signed nor has a digest, and rejects what is too long to be compared', async () => {
    const origin = await serve();
    const long = 'x'.repeat(1001);
    expect((await post(origin, {}, long)).status).toBe(200);
    expect(passed).toEqual([long]);
    for (const framing of [{}, chunked]) {
      expect((await post(origin, { ...sign(origin, long), ...framing }, long)).status).toBe(413);
    }
    expect(passed).toEqual([long]);
  });

  test('rejects a request whose body was read before', async () => {
    const lost = await serve(express.json());
    const json = { 'content-type': 'application/json' };
    expect((await post(lost, { ...json, ...sign(lost, body) }, body)).status).toBe(500);
  });

  test('rejects an invalid limit', () => {
    expect(() => checkContentDigest({ bodyLimit: Number.NaN })).toThrow(RangeError);
  });
});

test('over HTTP/2, a request without a length is not taken for one without a body', async () => {
  const request = new IncomingMessage(new Socket());
  request.httpVersionMajor = 2;
  await expect(readBody(request, 1000)).rejects.toThrow(TypeError);
  request.httpVersionMajor = 1;
  expect(await readBody(request, 1000)).toHaveLength(0);
});
