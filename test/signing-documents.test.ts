/** docs/signing.md, its vectors and its Python signer say what the service accepts. */
import { execFile } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, test } from 'vitest';
import { signRequest } from '../src/client/sign.ts';
import { verifySignature } from '../src/domain/signature/http-signature.ts';
import { digestOf } from './support/crafted-request.ts';
import { listen, sharedGateway, stopListening, verifyAt } from './support/gateway.ts';
import { both, graphql, sessionToken } from './support/service.ts';

interface Vector {
  readonly name: string;
  readonly request: { readonly method: string; readonly url: string; readonly body?: string };
  readonly keyId: string;
  readonly signingSecret: string;
  readonly created: number;
  readonly expires: number;
  readonly nonce: string;
  readonly signatureBase: string;
  readonly headers: Readonly<Record<string, string>>;
}

const run = promisify(execFile);
const page = readFileSync('docs/signing.md', 'utf8');
const vectors: readonly Vector[] = JSON.parse(readFileSync('docs/signing-vectors.json', 'utf8'));

function blockOf(language: string): string {
  const [block, ...more] = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, written]) => written === language);
  if (block === undefined || more.length > 0) throw new Error(`docs/signing.md has not one block of ${language}`);
  return block[2] ?? '';
}

const lowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Runs Python where `sign.py` can be imported. */
async function python(program: string, environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, PYTHONPATH: 'docs', PYTHONDONTWRITEBYTECODE: '1' };
  return (await run('python3', ['-c', program], { env: { ...env, ...environment } })).stdout;
}

describe.each(vectors)('the vector "$name"', (vector) => {
  const { request, keyId, signingSecret, created, expires, nonce, signatureBase, headers } = vector;
  const secret = Buffer.from(signingSecret, 'hex');

  it('follows from the rules of the page, by hash functions alone', () => {
    const [, authority, path, query = ''] = /^https:\/\/([^/]+)(\/[^?]*)(\?.*)?$/.exec(request.url) ?? [];
    const digest =
      request.body === undefined
        ? undefined
        : `sha-256=:${createHash('sha256').update(request.body).digest('base64')}:`;
    const parameters = `("@method" "@authority" "@path" "@query"${digest === undefined ? '' : ' "content-digest"'});created=${created};expires=${expires};nonce="${nonce}";keyid="${keyId}";alg="hmac-sha256";tag="latchkey-v1"`;
    const lines = [
      `"@method": ${request.method}`,
      `"@authority": ${authority}`,
      `"@path": ${path}`,
      `"@query": ${query === '' ? '?' : query}`,
      ...(digest === undefined ? [] : [`"content-digest": ${digest}`]),
      `"@signature-params": ${parameters}`,
    ];
    expect(signatureBase).toBe(lines.join('\n'));
    expect(headers).toEqual({
      ...(digest === undefined ? {} : { 'Content-Digest': digest }),
      'Signature-Input': `sig1=${parameters}`,
      Signature: `sig1=:${createHmac('sha256', secret).update(signatureBase, 'ascii').digest('base64')}:`,
    });
  });

  it('is accepted by the verifier, and is what the JavaScript client makes', () => {
    const { body, ...target } = request;
    const signed = { ...target, headers, ...(body === undefined ? {} : { bodyDigest: digestOf(body) }) };
    const now = new Date(created * 1000);
    expect(verifySignature({ request: signed, keyId, secret, now })).toMatchObject({ outcome: 'valid', nonce });
    const options = { keyId, signingSecret, now, nonce, expiresInSeconds: expires - created };
    expect(signRequest(request, options)).toEqual(lowerCase(headers));
  });

  it('is what sign.py makes', async () => {
    const { method, url, body } = request;
    const given = JSON.stringify({ method, url, key_id: keyId, signing_secret: signingSecret, created, nonce });
    const text = JSON.stringify(body ?? null);
    const made = await python(
      `import json, os; from sign import sign; body = json.loads(os.environ["BODY"]); print(json.dumps(sign(**json.loads(os.environ["GIVEN"]), body=body and body.encode())))`,
      { GIVEN: given, BODY: text },
    );
    expect(JSON.parse(made)).toEqual(headers);
  });
});

test('the vectors have a GET without a query, a POST with a body, and one with another secret', () => {
  expect(vectors.map(({ request }) => request.method)).toEqual(['GET', 'POST', 'GET']);
  expect(new Set(vectors.map(({ signingSecret }) => signingSecret)).size).toBe(2);
  expect(new Set(vectors.map(({ keyId }) => keyId)).size).toBe(1);
});

test('the signature base on the page is that of the second vector', () => {
  expect(blockOf('text').trimEnd()).toBe(vectors[1]?.signatureBase);
});

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

  it('the Python program of the page signs a request that is valid', async () => {
    const origin = await listen(api);
    const { id, secret, signingSecret } = await gateway.issueSigning();
    const program = blockOf('python');
    expect(program).toContain('https://api.example.com');
    const here = program.replace('https://api.example.com', origin);
    const keys = { KEY_ID: id, API_KEY: secret };
    expect(await python(here, { ...keys, SIGNING_SECRET: signingSecret })).toBe('VALID\n');
    expect(await python(here, { ...keys, SIGNING_SECRET: 'ab'.repeat(32) })).toBe('SIGNATURE_INVALID\n');
  });

  it.each([
    ['HTTP://LOCALHOST:80', 'http://localhost/'],
    ['https://API.example.com:443/a%20b?', 'https://api.example.com/a%20b'],
    ['http://[::1]:8080/a;b?q=%C3%A9', 'http://[::1]:8080/a;b?q=%C3%A9'],
  ])('sign.py signs %s as the client of Node would send it', async (url, sent) => {
    const { id, secret, signingSecret } = await gateway.issueSigning();
    const program = `import json, os; from sign import sign; print(json.dumps(sign("GET", os.environ["URL"], os.environ["ID"], os.environ["SECRET"])))`;
    const headers = JSON.parse(await python(program, { URL: url, ID: id, SECRET: signingSecret }));
    const request = { method: 'GET', url: sent, headers };
    expect((await verifyAt(gateway.url, { key: secret, request })).body.code).toBe('VALID');
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
      signature: { failedCheck: 'KEY_ID', signatureBase: vectors[0]?.signatureBase },
    });
  });
});
