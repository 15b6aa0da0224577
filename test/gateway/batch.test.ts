// SECURITY.md: Bytes from outside
/** `POST /v1/verify` with a list of verifications. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import type { Responder } from '../../src/verify/verification.ts';
import { theProvider } from '../support/databases.ts';
import { sharedGateway, startPort, verifyAt } from '../support/gateway.ts';

describe('a batch', () => {
  const gateway = sharedGateway(theProvider, { UNKNOWN_KEY_LIMIT: '3' });
  const verify = (body: unknown) => verifyAt(gateway.url, body);

  it('gets the verdicts of single calls, in the order of the verifications', async () => {
    const key = await gateway.issue({ scopes: ['a'] });
    const signing = await gateway.issueSigning();
    const revoked = await gateway.issue();
    await gateway.revoke(revoked.id);
    const expected = [
      ['VALID', { key: key.secret, scopes: ['a'] }],
      ['MALFORMED', { key: 'a.guess' }],
      ['REVOKED', { key: revoked.secret }],
      ['WRONG_ENVIRONMENT', { key: key.secret, env: 'test' }],
      ['SIGNATURE_REQUIRED', { key: signing.secret }],
      ['INSUFFICIENT_SCOPE', { key: key.secret, scopes: ['b'] }],
      ['NOT_FOUND', { key: mintSecret('lk', 'live', randomBytes).secret }],
    ] as const;
    const questions = expected.map(([, question]) => question);
    const { status, body } = await verify(questions);
    expect(status).toBe(200);
    const single = await Promise.all(questions.map(async (question) => (await verify(question)).body));
    expect(body).toEqual(single);
    expect(body.map(({ code }: { code: string }) => code)).toEqual(expected.map(([code]) => code));
  });

  it('is confirmed once if its keys are cached, and otherwise in as many rounds as its look-ups need', async () => {
    const keys = await Promise.all(Array.from({ length: 100 }, () => gateway.issue()));
    const rounds = () => gateway.running.service.readings.verification?.().confirmation.answered ?? 0;
    // On SQLite, one round looks up 16 keys.
    const missing = theProvider === 'sqlite' ? Math.ceil(100 / 16) : 1;
    for (const expected of [missing, 1]) {
      const before = rounds();
      const { body } = await verify(keys.map(({ secret: key }) => ({ key })));
      expect(body.map(({ keyId }: { keyId: string }) => keyId)).toEqual(keys.map(({ id }) => id));
      expect(rounds()).toBe(before + expected);
    }
  });

  it('accepts a signature once, whether it is repeated in the batch or later', async () => {
    const { id, secret: key, signingSecret } = await gateway.issueSigning();
    const request = { method: 'GET', url: 'http://api.example/a' };
    const question = { key, request: { ...request, headers: signRequest(request, { keyId: id, signingSecret }) } };
    const codesOf = async () => (await verify([question, question])).body.map(({ code }: { code: string }) => code);
    expect((await codesOf()).toSorted()).toEqual(['SIGNATURE_REPLAYED', 'VALID']);
    expect(await codesOf()).toEqual(['SIGNATURE_REPLAYED', 'SIGNATURE_REPLAYED']);
  });

  it('fails as a whole where a verification gets no verdict', async () => {
    const { secret } = await gateway.issue();
    const unknown = () => ({ key: mintSecret('lk', 'live', randomBytes).secret, sourceIp: '203.0.113.9' });
    expect((await verify([unknown(), unknown(), unknown()])).status).toBe(200);
    const { status, body } = await verify([{ key: secret }, unknown()]);
    expect([status, body.code]).toEqual([429, 'RATE_LIMITED']);
    expect((await verify([{ key: secret }])).body).toHaveLength(1);
  });

  it.each([
    ['no question', [], ['body']],
    ['101 questions', Array(101).fill({ key: 'x' }), ['body']],
    [
      'invalid questions',
      [{ key: 'x' }, 1, null, {}, { key: 'x', env: 'prod', scopes: [''] }, [], { key: 1, request: {} }],
      [
        ...['[1]', '[2]', '[3].key', '[4].env', '[4].scopes[0]', '[5]', '[6].key'],
        ...['[6].request.method', '[6].request.url', '[6].request.headers'],
      ],
    ],
  ])('of %s is rejected, and the fields are named', async (_, questions, fields) => {
    const { status, body } = await verify(questions);
    expect([status, body.code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  it('may have 128 kB, and a single verification 64 kB', async () => {
    const ofLength = (length: number) => [{ key: 'x'.repeat(length - 12) }];
    expect((await verify(ofLength(131_072))).body).toMatchObject([{ code: 'MALFORMED' }]);
    expect((await verify(ofLength(131_073))).status).toBe(413);
    expect((await verify(ofLength(70_000)[0])).status).toBe(413);
    expect((await verify(`  \n${JSON.stringify(ofLength(70_000))}`)).status).toBe(200);
  });
});

it('each verification of a batch takes a place of the capacity until it has its verdict', async () => {
  const waiting: Responder[] = [];
  const verifier = {
    verify: (_: unknown, respond: Responder) => void waiting.push(respond),
    find: async () => undefined,
  };
  const { url, requests } = await startPort({ verifier, capacity: 6 });
  const questions = (count: number) => Array(count).fill({ key: 'x' });
  const first = verifyAt(url, questions(2));
  await expect.poll(() => waiting.length).toBe(2);
  expect((await verifyAt(url, questions(3))).status).toBe(503);
  expect(requests.underWay).toBe(2);
  const second = verifyAt(url, questions(1));
  await expect.poll(() => waiting.length).toBe(3);
  for (const respond of waiting.slice(1)) respond.answer({ code: 'NOT_FOUND', key: null, rateLimit: null });
  expect((await second).body).toHaveLength(1);
  expect(requests.underWay).toBe(1);
  waiting[0]?.reject(new LatchkeyError('UNAVAILABLE', 'Too many wait'));
  expect((await first).status).toBe(503);
  expect(requests.underWay).toBe(0);
});
