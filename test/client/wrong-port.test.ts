/** Verifiers that are pointed at the management port: they say so, and let nothing pass. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import Fastify from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as forExpress from '../../src/client/express.ts';
import * as forFastify from '../../src/client/fastify.ts';
import * as forFetch from '../../src/client/fetch.ts';
import { createLocalVerifier } from '../../src/client/local-verifier.ts';
import { createVerifier } from '../../src/client/verify.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

const explanation = 'This is the management port (PORT). The path is on the verification port (VERIFY_PORT).';
let gateway: RunningGateway;
let url: string;
let key: string;
beforeAll(async () => {
  gateway = await startGateway('sqlite');
  url = gateway.running.url;
  key = (await gateway.issue()).secret;
});
afterAll(() => gateway.stop());

const sentence = () => `The verifier at ${url} gave no usable answer: it answered 404: ${explanation}`;

describe('at the management port', () => {
  test('createVerifier rejects with the explanation', async () => {
    const verifier = createVerifier({ url, token: 'a-verifier-token-of-this-test', timeoutMs: 20_000 });
    await expect(verifier.verify({ key })).rejects.toThrow(sentence());
    await expect(verifier.verifyAll([{ key }])).rejects.toThrow(sentence());
    verifier.close();
  });

  test('createLocalVerifier rejects with the explanation, for questions that follow each other too', async () => {
    const verifier = createLocalVerifier({ url, token: 'a-feed-token-of-this-test', timeoutMs: 20_000 });
    for (let i = 0; i < 3; i += 1) await expect(verifier.verify({ key })).rejects.toThrow(sentence());
    await verifier.close();
  });

  test('createVerify of the Fetch API rejects with the explanation', async () => {
    await expect(forFetch.createVerify({ url, timeoutMs: 20_000 })({ key })).rejects.toThrow(sentence());
  });
});

describe('the middleware at the management port answers 503 and writes the explanation to the console, once', () => {
  const written = vi.spyOn(console, 'error');
  const headers = () => ({ authorization: `Bearer ${key}` });
  const options = () => ({ verifyUrl: url, timeoutMs: 20_000 });
  beforeEach(() => {
    written.mockReset();
  });
  afterAll(() => written.mockRestore());

  const ask: Record<string, () => Promise<number[]>> = {
    Express: async () => {
      const server = express().use(forExpress.requireApiKey(options())).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const statuses = [];
      for (let i = 0; i < 5; i += 1) {
        const { status } = await fetch(`http://127.0.0.1:${port}/`, { headers: headers() });
        statuses.push(status);
      }
      server.closeAllConnections();
      server.close();
      return statuses;
    },
    Fastify: async () => {
      const app = Fastify();
      app.register(forFastify.requireApiKey, options());
      const statuses = [];
      for (let i = 0; i < 5; i += 1) statuses.push((await app.inject({ url: '/', headers: headers() })).statusCode);
      await app.close();
      return statuses;
    },
    'the Fetch API': async () => {
      const authenticate = forFetch.requireApiKey(options());
      const statuses = [];
      for (let i = 0; i < 5; i += 1) {
        const answer = await authenticate(new Request('http://api.example/', { headers: headers() }));
        statuses.push(answer instanceof Response ? answer.status : 200);
      }
      return statuses;
    },
  };

  test.each(Object.entries(ask))('for %s', async (_, statuses) => {
    expect(await statuses()).toEqual(Array(5).fill(503));
    expect(written.mock.calls).toEqual([
      [`@latchkey/client: a request got 503, because its key could not be verified. ${sentence()}`],
    ]);
  });
});
