/** The applications of docs/tasks/gateways.md, each as a process of its own, on the built client and the real verification port. */
import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { send, sharedGateway, stopListening } from '../support/gateway.ts';
import { until } from '../support/instance.ts';
import { listening, startApplication } from './application.ts';
import { at, recipe } from './page.ts';

describe.each(['Express', 'Fastify'] as const)('a client of an API with the recipe for %s', (title) => {
  const gateway = sharedGateway('sqlite');
  let application: ChildProcess;
  let origin: string;
  beforeAll(async () => {
    const program = at(recipe(title).text, { 'http://127.0.0.1:4001': gateway.url });
    ({ child: application, origin } = await startApplication(`${program}\n${listening[title]}`));
    // Its client allows a second for a verdict, which may not suffice for the first one.
    await until('it verifies', async () => (await ask('a.guess')).status === 401);
  });
  afterAll(() => void application?.kill('SIGKILL'));

  async function ask(key: string | null, headers: Record<string, string> = {}) {
    const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
    const sent = { elsewhere: true, headers: { ...authorization, ...headers } } as const;
    const { status, headers: answered, body } = await send(origin, sent);
    return { status, challenge: answered['www-authenticate'], body };
  }
  const rejected = (status: number) => ({
    status,
    challenge: status === 401 ? 'Bearer' : undefined,
    body: expect.not.stringContaining('127.0.0.1'),
  });

  it('passes with a valid key, and the application gets its id and team', async () => {
    const { id, secret } = await gateway.issue();
    const { status, body } = await ask(secret);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ keyId: id, teamId: gateway.teamId, env: 'live' });
    expect(body).not.toContain(secret);
  });

  it('is rejected without a key, with a wrong one, one of another environment and a revoked one', async () => {
    for (const key of [null, 'a.guess']) expect(await ask(key)).toStrictEqual(rejected(401));
    expect(await ask((await gateway.issue({ env: 'test' })).secret)).toStrictEqual(rejected(403));
    const { id, secret } = await gateway.issue();
    expect((await ask(secret)).status).toBe(200);
    await gateway.revoke(id);
    expect(await ask(secret)).toStrictEqual(rejected(401));
  });

  it('is checked by its real address, whatever its headers say', async () => {
    const here = await gateway.issue({ allowedIps: ['127.0.0.1'] });
    const elsewhere = await gateway.issue({ allowedIps: ['203.0.113.7'] });
    const claims = { 'x-forwarded-for': '203.0.113.7', 'x-real-ip': '203.0.113.7', forwarded: 'for=203.0.113.7' };
    expect((await ask(here.secret, claims)).status).toBe(200);
    expect(await ask(elsewhere.secret, claims)).toStrictEqual(rejected(403));
  });

  it('with a key that must sign, is rejected without a signature, and passes once with one', async () => {
    const { id, secret, signingSecret } = await gateway.issueSigning();
    expect(await ask(secret)).toStrictEqual(rejected(401));
    const signature = { ...signRequest({ method: 'GET', url: `${origin}/` }, { keyId: id, signingSecret }) };
    expect((await ask(secret, signature)).status).toBe(200);
    expect(await ask(secret, signature)).toStrictEqual(rejected(401));
  });

  // In this order, and last: nothing works after them.
  it('nothing passes while the store does not answer, nor while Latchkey is away', async () => {
    const { secret } = await gateway.issue();
    expect((await ask(secret)).status).toBe(200);
    await gateway.running.service.close();
    expect(await ask(secret)).toStrictEqual(rejected(503));
    await stopListening(gateway.running.service.gateway);
    expect(await ask(secret)).toStrictEqual(rejected(503));
  });
});

describe('an API behind a gateway with the recipe for signed bodies', () => {
  let api: ChildProcess;
  let origin: string;
  beforeAll(async () => {
    const program = `${recipe('Signed bodies behind a gateway').text}\n${listening.Express}`;
    ({ child: api, origin } = await startApplication(program));
  });
  afterAll(() => void api?.kill('SIGKILL'));

  it('gets the body that was signed, and no other', async () => {
    const keyId = '0197a2b4-6c1e-7d3f-8a55-2f9b1c0d4e6a';
    const post = async (signed: string | undefined, body: string) => {
      const request = { method: 'POST', url: `${origin}/`, ...(signed === undefined ? {} : { body: signed }) };
      const signature = signRequest(request, { keyId, signingSecret: '8f'.repeat(32) });
      const headers = { 'content-type': 'application/json', ...signature };
      const answer = await send(origin, { elsewhere: true, method: 'POST', headers, body });
      return answer.status === 200 ? answer.body : answer.status;
    };
    expect(await post('{"amount": 5}', '{"amount": 5}')).toBe('{"amount":5}');
    expect(await post('{"amount": 5}', '{"amount": 9}')).toBe(401);
    expect(await post(undefined, '{"amount": 9}')).toBe(401);
  });
});
