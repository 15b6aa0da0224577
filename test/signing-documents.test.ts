/** docs/tasks/signing.md shows how to sign, and says what the service accepts. test/conformance has its vectors. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { signatureVectors } from './conformance/vectors.ts';
import { at } from './recipes/page.ts';
import { digestOf } from './support/crafted-request.ts';
import { blockOf } from './support/documents.ts';
import { listen, sharedGateway, stopListening, verifyAt } from './support/gateway.ts';
import { buildGoProgram, removeGoPrograms, whyNoGo } from './support/go.ts';
import { pythonWith, runPython } from './support/python.ts';
import { both, graphql, sessionToken } from './support/service.ts';

const run = promisify(execFile);
const page = 'docs/tasks/signing.md';
const python = await pythonWith();

/** Where the examples send their request. */
const site = 'https://api.example.com';
const path = process.env.PATH;

interface Signer {
  /** The section of the page. */
  readonly title: string;
  readonly missing?: string | undefined;
  /** Runs the example, with the keys in its environment. Resolves to what it prints. */
  readonly run: (block: string, origin: string, keys: Readonly<Record<string, string>>) => Promise<string>;
}

const signers: readonly Signer[] = [
  {
    title: 'curl',
    run: async (block, origin, keys) => {
      const script = at(block, { 'https://': 'http://', 'api.example.com': origin.replace('http://', '') });
      return (await run('sh', ['-euc', script], { env: { PATH: path, ...keys } })).stdout;
    },
  },
  {
    title: 'Node.js',
    run: async (block, origin, keys) => {
      const args = ['--input-type=module', '-e', at(block, { [site]: origin })];
      return (await run('node', args, { env: { PATH: path, ...keys } })).stdout;
    },
  },
  {
    title: 'Python',
    missing: python === undefined ? 'there is no Python 3.11' : undefined,
    run: (block, origin, keys) => runPython(python ?? '', ['-c', at(block, { [site]: origin })], keys),
  },
  {
    title: 'Go',
    missing: whyNoGo,
    run: async (block, origin, keys) => {
      const program = await buildGoProgram(at(block, { [site]: origin }));
      return (await run(program, [], { env: keys })).stdout;
    },
  },
];

test('the signature base on the page is that of the second vector', () => {
  expect(blockOf(page, 'Signature base').trimEnd()).toBe(signatureBase(1));
});

function signatureBase(vector: number): string | undefined {
  const expected = signatureVectors[vector]?.expected;
  return expected?.error ? undefined : expected?.signatureBase;
}

describe('against the service', () => {
  const gateway = sharedGateway('sqlite');
  let origin: string;
  beforeAll(async () => {
    origin = await listen(api);
  });
  afterAll(async () => {
    await stopListening(api);
    await removeGoPrograms();
  });

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

  it('the page switches signing on, after which a request without a signature is rejected', async () => {
    const { id, secret } = await gateway.issue();
    const management = gateway.running.url.replace('http://', '');
    const environment = { PATH: path, KEY_ID: id, TOKEN: sessionToken({ [gateway.teamId]: both }) };
    const command = at(blockOf(page, 'Switch it on'), { 'localhost:4000': management });
    const { stdout } = await run('sh', ['-euc', command], { env: environment });
    expect(JSON.parse(stdout)).toEqual({ signingSecret: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await (await fetch(origin, { headers: { authorization: `Bearer ${secret}` } })).text()).toBe(
      'SIGNATURE_REQUIRED',
    );
  });

  for (const { title, missing, run } of signers) {
    if (missing !== undefined) console.warn(`The example for ${title} in ${page} is not run: ${missing}`);
    it.skipIf(missing !== undefined)(`the example for ${title} sends a request with a valid signature`, async () => {
      const { id, secret, signingSecret } = await gateway.issueSigning();
      const send = async (key: string) =>
        (await run(blockOf(page, title), origin, { KEY_ID: id, API_KEY: secret, SIGNING_SECRET: key })).trim();
      expect(await send(signingSecret)).toBe('VALID');
      expect(await send('ab'.repeat(32))).toBe('SIGNATURE_INVALID');
    });
  }

  it('the query of the page explains its request', async () => {
    const { input } = JSON.parse(blockOf(page, 'Debugging', 1));
    const { secret } = await gateway.issueSigning();
    const { prefix: _, ...question } = input;
    const variables = { input: { ...question, teamId: gateway.teamId, secret } };
    const answer = await graphql(
      gateway.running.url,
      sessionToken({ [gateway.teamId]: both }),
      blockOf(page, 'Debugging'),
      variables,
    );
    expect(answer.body.data.explainVerification).toMatchObject({
      code: 'SIGNATURE_INVALID',
      signature: { failedCheck: 'KEY_ID', signatureBase: signatureBase(0) },
    });
  });
});
