/** docs/tasks/signing.md says what the service accepts. test/conformance has its vectors. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, it, test } from 'vitest';
import { signatureVectors } from './conformance/vectors.ts';
import { digestOf } from './support/crafted-request.ts';
import { listen, sharedGateway, stopListening, verifyAt } from './support/gateway.ts';
import { pythonWith, runPython } from './support/python.ts';
import { both, graphql, sessionToken } from './support/service.ts';

const page = readFileSync('docs/tasks/signing.md', 'utf8');
const python = await pythonWith();
if (python === undefined)
  console.warn('the Python program of docs/tasks/signing.md is not tested: there is no Python 3.11');

function blockOf(language: string): string {
  const [block, ...more] = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, written]) => written === language);
  if (block === undefined || more.length > 0) throw new Error(`docs/tasks/signing.md has not one block of ${language}`);
  return block[2] ?? '';
}

test('the signature base on the page is that of the second vector', () => {
  expect(blockOf('text').trimEnd()).toBe(signatureBase(1));
});

function signatureBase(vector: number): string | undefined {
  const expected = signatureVectors[vector]?.expected;
  return expected?.error ? undefined : expected?.signatureBase;
}

describe('against the service', () => {
  const gateway = sharedGateway('sqlite');
  afterAll(() => stopListening(api));

  /** An API that answers each request with its verdict. */
  const api = createServer(async (request, response) => {
    const { authorization = '', host, ...others } = request.headers;
    const headers = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)]));
    const { method, url } = request;
    const body = await buffer(request);
    const told = { method, url: `http://${host}${url}`, headers, bodyDigest: digestOf(body) };
    const key = authorization.replace('Bearer ', '');
    response.end((await verifyAt(gateway.url, { key, request: told })).body.code);
  });

  it.skipIf(python === undefined)('the Python program of the page signs a request that is valid', async () => {
    const origin = await listen(api);
    const { id, secret, signingSecret } = await gateway.issueSigning();
    const program = blockOf('python');
    expect(program).toContain('https://api.example.com');
    const here = program.replace('https://api.example.com', origin);
    const keys = { KEY_ID: id, API_KEY: secret };
    const run = (environment: NodeJS.ProcessEnv) => runPython(python ?? '', ['-c', here], { ...keys, ...environment });
    expect(await run({ SIGNING_SECRET: signingSecret })).toBe('VALID\n');
    expect(await run({ SIGNING_SECRET: 'ab'.repeat(32) })).toBe('SIGNATURE_INVALID\n');
  });

  it('the query of the page explains its request', async () => {
    const { input } = JSON.parse(blockOf('json'));
    const { secret } = await gateway.issueSigning();
    const { prefix: _, ...question } = input;
    const variables = { input: { ...question, teamId: gateway.teamId, secret } };
    const answer = await graphql(
      gateway.running.url,
      sessionToken({ [gateway.teamId]: both }),
      blockOf('graphql'),
      variables,
    );
    expect(answer.body.data.explainVerification).toMatchObject({
      code: 'SIGNATURE_INVALID',
      signature: { failedCheck: 'KEY_ID', signatureBase: signatureBase(0) },
    });
  });
});
