/** Verifiers that are pointed at the management port: they say so, and let nothing pass. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
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

test.each(['createVerifier', 'createLocalVerifier', 'createVerify'])(
  '%s rejects with the explanation',
  async (name) => {
    const options = { url, token: 'a-token-of-this-test', timeoutMs: 20_000 };
    const verifier = (name === 'createLocalVerifier' ? createLocalVerifier : createVerifier)(options);
    const verify = name === 'createVerify' ? forFetch.createVerify(options) : verifier.verify;
    for (let i = 0; i < 3; i += 1) await expect(verify({ key })).rejects.toThrow(sentence());
    await expect(verifier.verifyAll([{ key }])).rejects.toThrow(sentence());
    await verifier.close();
  },
);

test('the middleware at the management port answers 503 and writes the explanation to the console, once', async () => {
  const written = vi.spyOn(console, 'error').mockReturnValue(undefined);
  const authenticate = forFetch.requireApiKey({ verifyUrl: url, timeoutMs: 20_000 });
  const request = new Request('http://api.example/', { headers: { authorization: `Bearer ${key}` } });
  for (let i = 0; i < 5; i += 1) expect(await authenticate(request)).toMatchObject({ status: 503 });
  expect(written.mock.calls).toEqual([
    [`@latchkey/client: a request got 503, because its key could not be verified. ${sentence()}`],
  ]);
  written.mockRestore();
});
