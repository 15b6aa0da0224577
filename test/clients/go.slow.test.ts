// SECURITY.md: A key; A signed request; Headers that a client of a gateway writes
/** The programs of clients/go/README.md against the real verification port. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { at } from '../recipes/page.ts';
import { blockOf } from '../support/documents.ts';
import { freePort } from '../support/free-port.ts';
import { send, sharedGateway, stopListening } from '../support/gateway.ts';
import {
  buildGoProgram,
  callOfNewClient,
  goReadme,
  isMissing,
  removeGoPrograms,
  runGoTool,
  whyNoGo,
} from '../support/go.ts';
import { until } from '../support/instance.ts';
import { both, rest, sessionToken } from '../support/service.ts';

if (whyNoGo !== undefined) console.warn(`The programs in Go are not run: ${whyNoGo}`);

describe.skipIf(whyNoGo !== undefined)('an API in Go', () => {
  const gateway = sharedGateway('sqlite');
  let api: ChildProcess | undefined;
  let origin = '';
  beforeAll(async () => {
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    const text = at(blockOf(goReadme, 'Protect an API'), {
      'http://127.0.0.1:4001': gateway.url,
      ':3000': `127.0.0.1:${port}`,
      '10.0.0.0/8': '127.0.0.0/8',
    });
    const child = spawn(await buildGoProgram(text), { stdio: ['ignore', 'ignore', 'pipe'] });
    api = child;
    child.stderr.on('data', (part) => {
      log += part;
    });
    await until('the API answers', () =>
      ask(null).then(
        () => true,
        () => false,
      ),
    );
  });
  afterAll(async () => {
    if (api?.exitCode === null && api.kill('SIGKILL')) await once(api, 'exit');
    await removeGoPrograms();
  });
  let log = '';

  async function ask(key: string | null, headers: Record<string, string> = {}, path = '/orders') {
    const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
    const answer = await send(origin, { elsewhere: true, path, headers: { ...authorization, ...headers } });
    return { status: answer.status, code: codeOf(answer.body), headers: answer.headers };
  }
  const codeOf = (body: string) => (body === '' ? null : (JSON.parse(body).code ?? JSON.parse(body).keyId));

  it('accepts a valid key, and rejects it at the first request after DELETE was answered', async () => {
    const token = sessionToken({ [gateway.teamId]: both });
    for (let round = 0; round < 20; round += 1) {
      const { id, secret } = await gateway.issue();
      expect(await ask(secret)).toMatchObject({ status: 200, code: id });
      expect((await rest(gateway.running.url, token, 'DELETE', `/v1/keys/${id}`)).status).toBe(200);
      expect(await ask(secret)).toMatchObject({
        status: 401,
        code: 'REVOKED',
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
  });

  it('rejects a request without a key, a key of the other environment, and a key without the scope of a route', async () => {
    expect(await ask(null)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    const { secret } = await gateway.issue({ env: 'test' });
    expect(await ask(secret)).toMatchObject({ status: 403, code: 'WRONG_ENVIRONMENT' });
    const reader = await gateway.issue({ scopes: ['reports:read'] });
    const other = await gateway.issue({ scopes: ['reports:write'] });
    expect(await ask(reader.secret, {}, '/reports')).toMatchObject({ status: 200, code: reader.id });
    expect(await ask(other.secret, {}, '/reports')).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' });
  });

  it('compares allow-lists with the address that the trusted proxy saw, not with one that the client claims', async () => {
    const { id, secret } = await gateway.issue({ allowedIps: ['203.0.113.9'] });
    expect(await ask(secret, { 'x-forwarded-for': '203.0.113.9' })).toMatchObject({ status: 200, code: id });
    const spoofed = await ask(secret, { 'x-forwarded-for': '203.0.113.9, 198.51.100.1' });
    expect(spoofed).toMatchObject({ status: 403, code: 'SOURCE_NOT_ALLOWED' });
  });

  it('sends the RateLimit fields, and 429 when the key has reached its rate limit', async () => {
    const { secret } = await gateway.issue({ rateLimit: { limit: 1, windowSeconds: 86_400 } });
    const first = await ask(secret);
    expect(first).toMatchObject({ status: 200, headers: { 'ratelimit-policy': '"default";q=1;w=86400' } });
    const second = await ask(secret);
    expect(second).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(second.headers['retry-after']).toMatch(/^\d+$/);
  });

  it('accepts a signed request once, and rejects its replay and another body', async () => {
    const { id, secret, signingSecret } = await gateway.issueSigning();
    expect(await ask(secret)).toMatchObject({ status: 401, code: 'SIGNATURE_REQUIRED' });
    const signature = (body: string) => ({
      authorization: `Bearer ${secret}`,
      ...signRequest({ method: 'POST', url: `${origin}/orders`, body }, { keyId: id, signingSecret }),
    });
    const post = async (headers: Record<string, string>, body: string) => {
      const answer = await send(origin, { elsewhere: true, method: 'POST', path: '/orders', headers, body });
      return codeOf(answer.body);
    };
    const signed = signature('{"amount": 5}');
    expect(await post(signed, '{"amount": 5}')).toBe(id);
    expect(await post(signed, '{"amount": 5}')).toBe('SIGNATURE_REPLAYED');
    expect(await post(signature('{"amount": 5}'), '{"amount": 9}')).toBe('SIGNATURE_INVALID');
  });

  it('accepts the requests of the signing client, which signs each one anew', async () => {
    const { id, secret, signingSecret } = await gateway.issueSigning();
    const program = await buildGoProgram(blockOf(goReadme, 'Sign requests'), callOfNewClient);
    const run = (given: string) => {
      const env = { API_KEY: secret, KEY_ID: id, SIGNING_SECRET: given, API_URL: `${origin}/orders` };
      return promisify(execFile)(program, { env });
    };
    for (let round = 0; round < 2; round += 1) expect((await run(signingSecret)).stdout).toBe('200 OK\n');
    expect((await run('ab'.repeat(32))).stdout).toBe('401 Unauthorized\n');
  });

  // In this order, and last: nothing works after them.
  it('answers 503 while the store does not answer, and while Latchkey is away', async () => {
    const { id, secret } = await gateway.issue();
    expect(await ask(secret)).toMatchObject({ status: 200, code: id });
    await gateway.running.service.close();
    expect(await ask(secret)).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    await stopListening(gateway.running.service.gateway);
    const away = await ask(secret);
    expect(away).toMatchObject({ status: 503, code: 'UNAVAILABLE', headers: { 'retry-after': '1' } });
    expect(log).toContain('a request got 503');
    expect(log).not.toContain(secret);
  });
});

describe.skipIf(whyNoGo !== undefined)('the Go client', () => {
  it('has no data races in its tests', async ({ skip }) => {
    if (isMissing('gcc')) skip('the race detector needs gcc');
    await runGoTool('sh', ['-c', 'CGO_ENABLED=1 go test -race -count=1 ./...']);
  });
});
