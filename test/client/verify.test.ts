import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createVerify } from '../../src/client/fetch-verify.ts';
import { VerifierRejectedError, VerifierUnavailableError } from '../../src/client/verdict.ts';
import type { Verification } from '../../src/client/verification.ts';
import { createVerifier, type Verifier, type VerifierOptions } from '../../src/client/verify.ts';
import { verdictCodes } from '../../src/domain/verdict/verdict-code.ts';
import {
  aKey,
  answering,
  type Call,
  deadUrl,
  rateLimited,
  rejectedVerdict,
  type StandIn,
  startStandIn,
  validVerdict,
} from '../support/stand-in-verifier.ts';

const token = 'a-verifier-token-that-must-not-leak';
const signedRequest = {
  method: 'GET',
  url: 'https://api.example.com/orders',
  headers: { 'Signature-Input': 'sig1=()', signature: 'sig1=:AA==:' },
};

let standIn: StandIn;
const verifiers: Verifier[] = [];

function verifier(options: VerifierOptions = {}): Verifier {
  const made = createVerifier({ url: standIn.url, timeoutMs: 20_000, ...options });
  verifiers.push(made);
  return made;
}

/** What a verification is rejected with. It never has the key or the token in it, nor anything of Node's below it. */
async function failureOf(verdict: Promise<unknown>): Promise<VerifierUnavailableError | VerifierRejectedError> {
  const failure: unknown = await verdict.then(
    (answer) => expect.fail(`there was an answer: ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );
  if (!(failure instanceof VerifierUnavailableError || failure instanceof VerifierRejectedError)) throw failure;
  const all = `${failure.stack} ${JSON.stringify(failure)}`;
  expect(all).not.toContain(aKey);
  expect(all).not.toContain(token);
  expect(failure.cause).toBeUndefined();
  return failure;
}

async function unavailable(verdict: Promise<unknown>, reason: RegExp): Promise<VerifierUnavailableError> {
  const failure = await failureOf(verdict);
  if (!(failure instanceof VerifierUnavailableError)) throw failure;
  expect(failure.message).toMatch(reason);
  return failure;
}

beforeEach(async () => {
  standIn = await startStandIn();
});
afterEach(async () => {
  for (const made of verifiers.splice(0)) made.close();
  await standIn.close();
});

describe('the answer', () => {
  test('a valid key comes with what is known of it', async () => {
    expect(await verifier().verify({ key: aKey })).toEqual(validVerdict);
    standIn.answer = answering({ ...validVerdict, expiresAt: null });
    expect(await verifier().verify({ key: aKey })).toEqual({ ...validVerdict, expiresAt: null });
  });

  test.each(verdictCodes.filter((code) => code !== 'VALID'))('%s is an answer, not an error', async (code) => {
    standIn.answer = answering(rejectedVerdict(code));
    expect(await verifier().verify({ key: aKey })).toEqual(rejectedVerdict(code));
  });

  test('a key that was not found has no fields', async () => {
    const nothing = { keyId: null, teamId: null, name: null, env: null, prefix: null, expiresAt: null };
    const none = { ...nothing, secret: null, scopes: [], externalId: null, metadata: null };
    for (const answer of [nothing, none]) {
      standIn.answer = answering({ valid: false, code: 'NOT_FOUND', ...answer });
      const verdict = { valid: false, code: 'NOT_FOUND', ...none, rateLimit: null };
      expect(await verifier().verify({ key: aKey })).toEqual(verdict);
    }
  });

  test('has the rate limit of the key, from the header fields', async () => {
    standIn.answer = rateLimited;
    const rateLimit = { limit: 100, windowSeconds: 60, remaining: 0, resetSeconds: 17 };
    const limited = { ...rejectedVerdict('RATE_LIMITED'), rateLimit };
    expect(await verifier().verify({ key: aKey })).toEqual(limited);
    expect(await createVerify({ url: standIn.url })({ key: aKey })).toEqual(limited);
    const others = { 'ratelimit-policy': '"burst";q=5;w=1', ratelimit: 'x' };
    standIn.answer = answering(validVerdict, 200, others);
    expect(await verifier().verify({ key: aKey })).toEqual(validVerdict);
  });

  test('of an older service, without scopes, means a current secret and none of them', async () => {
    const { secret: _, scopes: __, externalId: ___, metadata: ____, ...older } = validVerdict;
    standIn.answer = answering(older);
    const none = { secret: 'current', scopes: [], externalId: null, metadata: null };
    expect(await verifier().verify({ key: aKey })).toEqual({ ...older, ...none });
    await unavailable(verifier().verify({ key: aKey, scopes: ['orders:read'] }), /other scopes/);
  });

  test.each([
    { secret: 'first' },
    { secret: null },
    { scopes: 'orders:read' },
    { scopes: [1] },
    { externalId: 1 },
    { metadata: [] },
    { metadata: 'text' },
    { metadata: JSON.parse(`${'{"a":'.repeat(9)}0${'}'.repeat(9)}`) },
  ])('with %j is not a verdict', async (wrong) => {
    standIn.answer = answering({ ...validVerdict, ...wrong });
    await unavailable(verifier().verify({ key: aKey }), /not a verdict/);
  });

  test('a field that a newer service adds does no harm, and is not passed on', async () => {
    standIn.answer = answering({ ...validVerdict, quota: 5 });
    expect(await verifier().verify({ key: aKey })).toEqual(validVerdict);
  });
});

describe('the call', () => {
  test('has the key, the environment, the source, the scopes, the request and the token, and nothing else', async () => {
    const more = { env: 'live', sourceIp: '192.0.2.1', scopes: ['orders:read'], request: signedRequest } as const;
    await verifier({ token }).verify({ key: aKey, ...more, ...{ other: 1 } });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    expect(standIn.calls).toMatchObject([{ request: { method: 'POST', url: '/v1/verify', headers } }]);
    expect(standIn.calls[0]?.asked).toEqual({ key: aKey, ...more });
  });

  test('leaves out what was not given', async () => {
    await verifier().verify({ key: aKey, env: undefined });
    expect(standIn.calls[0]?.asked).toEqual({ key: aKey });
    expect(standIn.calls[0]?.request.headers).not.toHaveProperty('authorization');
  });

  test('goes below the path of the URL', async () => {
    for (const path of ['/latchkey', '/latchkey/']) await verifier({ url: standIn.url + path }).verify({ key: aKey });
    expect(standIn.calls.map(({ request }) => request.url)).toEqual(['/latchkey/v1/verify', '/latchkey/v1/verify']);
  });
});

describe('a batch', () => {
  const questions: Verification[] = [
    { key: aKey, scopes: ['orders:read'] },
    { key: `${aKey}2`, env: 'live' },
  ];

  test('is one call, whose verdicts come in the order of the questions', async () => {
    standIn.answer = answering([validVerdict, rejectedVerdict('REVOKED')]);
    expect(await verifier().verifyAll(questions)).toEqual([validVerdict, rejectedVerdict('REVOKED')]);
    expect(standIn.calls.map(({ asked }) => asked)).toEqual([questions]);
  });

  test.each([
    [[validVerdict], /one verdict for each/],
    [validVerdict, /one verdict for each/],
    [[validVerdict, null], /not a verdict/],
    [[{ ...validVerdict, scopes: [] }, validVerdict], /other scopes/],
    [[validVerdict, { ...validVerdict, env: 'test' }], /another environment/],
  ])('fails closed for the answer %#', async (answer, reason) => {
    standIn.answer = answering(answer);
    await unavailable(verifier().verifyAll(questions), reason);
  });

  test('that is rejected reports no key', async () => {
    standIn.answer = answering({ detail: `[1].key: ${aKey}2 and ${aKey}` }, 400);
    expect((await failureOf(verifier().verifyAll(questions))).message).toContain('[1].key');
  });
});

describe('connections', () => {
  test('are kept alive: many verifications, one after the other, use one', async () => {
    const { verify } = verifier();
    for (let i = 0; i < 20; i += 1) await verify({ key: aKey });
    expect(standIn.calls).toHaveLength(20);
    expect(standIn.connections).toHaveLength(1);
  });

  test('are at most maxSockets, and each verification gets its own response, in any order', async () => {
    const waiting: Call[] = [];
    standIn.answer = (call) => {
      waiting.push(call);
      if (waiting.length < 5) return;
      for (const late of waiting.splice(0).reverse()) answering({ ...validVerdict, name: late.asked.key })(late);
    };
    const { verify } = verifier({ maxSockets: 5 });
    const keys = Array.from({ length: 50 }, (_, i) => `key-${i}`);
    const verdicts = await Promise.all(keys.map((key) => verify({ key })));
    expect(verdicts.map(({ name }) => name)).toEqual(keys);
    expect(standIn.connections).toHaveLength(5);
  });
});

describe('a kept connection that turns out to be closed', () => {
  /** Answers the first call of each connection, and resets the connection at the next, after these bytes of an answer. */
  function resetWhenReused(bytes = ''): void {
    const used = new Set<Socket>();
    standIn.answer = (call) => {
      const { socket } = call.request;
      if (used.has(socket)) {
        if (bytes === '') socket.resetAndDestroy();
        else socket.end(bytes);
      } else {
        used.add(socket);
        answering(validVerdict)(call);
      }
    };
  }

  test('is not noticed: the verification is tried again on a new one', async () => {
    resetWhenReused();
    const { verify } = verifier();
    await verify({ key: aKey });
    expect(await verify({ key: aKey, request: { ...signedRequest, headers: { signature: '' } } })).toEqual(
      validVerdict,
    );
    expect(standIn.calls).toHaveLength(3);
    expect(standIn.connections).toHaveLength(2);
  });

  test('fails a signed verification immediately, because a second attempt could look like a replay', async () => {
    resetWhenReused();
    const { verify } = verifier();
    await verify({ key: aKey, request: signedRequest });
    await unavailable(verify({ key: aKey, request: signedRequest }), /connection failed \(ECONNRESET\)/);
    expect(standIn.calls).toHaveLength(2);
  });

  test('is tried again once only', async () => {
    const { verify } = verifier();
    await verify({ key: aKey });
    standIn.answer = ({ request }) => request.socket.resetAndDestroy();
    await unavailable(verify({ key: aKey }), /connection failed \(ECONNRESET\)/);
    expect(standIn.calls).toHaveLength(3);
  });

  test('fails the verification once a byte of the answer has come', async () => {
    resetWhenReused('HTTP/1.1 20');
    const { verify } = verifier();
    await verify({ key: aKey });
    await unavailable(verify({ key: aKey }), /connection failed/);
    expect(standIn.calls).toHaveLength(2);
  });

  test('a new connection that is reset fails the verification immediately', async () => {
    standIn.answer = ({ request }) => request.socket.resetAndDestroy();
    await unavailable(verifier().verify({ key: aKey }), /connection failed \(ECONNRESET\)/);
    expect(standIn.calls).toHaveLength(1);
  });
});

describe('time', () => {
  const timeout = /gave no usable answer: there was no answer in 100 ms/;

  test('runs out when no answer comes, and the connection is given up', async () => {
    standIn.answer = () => {};
    const verdict = verifier({ timeoutMs: 100 }).verify({ key: aKey });
    await unavailable(verdict, timeout);
    await expect.poll(() => standIn.connections[0]?.closed).toBe(true);
  });

  test('runs out when the answer trickles in', async () => {
    const timers: NodeJS.Timeout[] = [];
    standIn.answer = ({ response }) => {
      response.writeHead(200);
      timers.push(setInterval(() => response.write(' '), 10));
    };
    await unavailable(verifier({ timeoutMs: 100 }).verify({ key: aKey }), timeout);
    timers.forEach(clearInterval);
  });

  test('runs out while a verification waits for a connection, and later ones find one', async () => {
    standIn.answer = () => {};
    const { verify } = verifier({ timeoutMs: 100, maxSockets: 1 });
    const both = [verify({ key: aKey }), verify({ key: aKey })];
    for (const verdict of both) await unavailable(verdict, timeout);
    standIn.answer = answering(validVerdict);
    // Repeated, because on a busy machine even this may take longer than the timeout. A lost connection never returns.
    await expect.poll(() => verify({ key: aKey })).toEqual(validVerdict);
  });

  test('runs on over the second attempt', async () => {
    const { verify } = verifier({ timeoutMs: 5000 });
    await verify({ key: aKey });
    standIn.answer = ({ request }) => {
      if (standIn.calls.length === 2) request.socket.resetAndDestroy();
    };
    await unavailable(verify({ key: aKey }), /gave no usable answer: there was no answer in 5000 ms/);
    expect(standIn.calls).toHaveLength(3);
  });
});

describe('rejects as unavailable, and never as valid:', () => {
  const { expiresAt: _, ...withoutExpiry } = validVerdict;
  const { valid: __, ...withoutValid } = validVerdict;
  test.each<[string, unknown]>([
    ['nothing', ''],
    ['no JSON', `valid ${aKey} ${token}`],
    ['JSON that is cut off', JSON.stringify(validVerdict).slice(0, -1)],
    ['JSON null', null],
    ['a list', [validVerdict]],
    ['true', true],
    ['valid, with the code of a rejection', { ...validVerdict, code: 'REVOKED' }],
    ['not valid, with the code VALID', { ...validVerdict, valid: false }],
    ['valid as text', { ...validVerdict, valid: 'true' }],
    ['valid left out', withoutValid],
    ['a code that is not known', rejectedVerdict('PAUSED')],
    ['a code that every object has', rejectedVerdict('constructor')],
    ['a field left out', withoutExpiry],
    ['a field of another type', { ...validVerdict, teamId: 7 }],
    ['an unknown environment', { ...validVerdict, env: 'prod' }],
    ['an invalid time', { ...validVerdict, expiresAt: 'soon' }],
    ['valid, of no key', { ...validVerdict, keyId: null }],
    ['valid, of no team', { ...validVerdict, teamId: null }],
    ['valid, of no environment', { ...validVerdict, env: null }],
  ])('%s', async (_, body) => {
    standIn.answer = answering(body);
    await unavailable(verifier({ token }).verify({ key: aKey }), /its answer is not a verdict$/);
  });

  test('a valid key of another environment than was asked for', async () => {
    await unavailable(verifier().verify({ key: aKey, env: 'test' }), /another environment$/);
  });

  test.each([201, 204, 301, 307, 403, 404, 429, 500, 502])('status %d with a valid verdict', async (status) => {
    standIn.answer = answering(validVerdict, status, { location: '/v1/verify' });
    const failure = await unavailable(verifier().verify({ key: aKey }), new RegExp(`it answered ${status}$`));
    expect(failure.retryAfterSeconds).toBeNull();
    expect(standIn.calls).toHaveLength(1);
  });

  test.each([
    ['7', 7],
    ['soon', null],
    ['Wed, 21 Oct 2026 07:28:00 GMT', null],
    ['-1', null],
  ])('status 503, with Retry-After %j passed on', async (retryAfter, seconds) => {
    standIn.answer = answering({}, 503, { 'retry-after': retryAfter });
    const failure = await unavailable(verifier().verify({ key: aKey }), /it answered 503$/);
    expect(failure.retryAfterSeconds).toBe(seconds);
  });

  test.each<[string, StandIn['answer'], RegExp]>([
    [
      'a body that is shorter than announced',
      ({ response, request }) => {
        response.writeHead(200, { 'content-length': 1000 });
        response.write(JSON.stringify(validVerdict), () => request.socket.destroy());
      },
      /the answer was cut off$/,
    ],
    [
      'a body that is too long, which is not read completely',
      ({ response }) => void response.writeHead(200).write(JSON.stringify({ ...validVerdict, x: 'x'.repeat(16_384) })),
      /the answer was too long$/,
    ],
    [
      'bytes that are not HTTP',
      ({ request }) => void request.socket.end(`junk ${aKey} ${token}\r\n\r\n`),
      /the connection failed \(HPE_\w+\)$/,
    ],
    [
      'a change of protocol',
      ({ request }) => void request.socket.write('HTTP/1.1 101 OK\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n'),
      /the connection was closed$/,
    ],
  ])('%s', async (_, answer, reason) => {
    standIn.answer = answer;
    await unavailable(verifier({ token }).verify({ key: aKey }), reason);
  });

  test('a port where no server listens', async () => {
    const url = await deadUrl();
    const failure = await unavailable(verifier({ url }).verify({ key: aKey }), /connection failed \(ECONNREFUSED\)$/);
    expect(failure.message).toContain(`The verifier at ${url} gave no usable answer`);
  });

  test('https, where there is only http', async () => {
    const url = standIn.url.replace('http:', 'https:');
    await unavailable(verifier({ url }).verify({ key: aKey }), /connection failed/);
    expect(standIn.calls).toEqual([]);
  });
});

describe('a rejected call is reported as an error in the program, without the key', () => {
  test.each([400, 401, 413])('%d', async (status) => {
    standIn.answer = answering({ ...validVerdict, detail: `key: must not be ${aKey} with ${token}` }, status);
    const failure = await failureOf(verifier({ token }).verify({ key: aKey }));
    expect(failure).toBeInstanceOf(VerifierRejectedError);
    expect(failure).toMatchObject({ name: 'VerifierRejectedError', status });
    expect(failure.message).toBe(
      `The verifier at ${standIn.url} rejected the call with ${status}: key: must not be [secret] with [secret]`,
    );
  });

  test.each([
    ['an empty key does not garble the message', '', { detail: 'must not be empty' }, /with 400: must not be empty$/],
    ['a response without a body', aKey, '', /rejected the call with 400$/],
  ])('%s', async (_, key, answer, message) => {
    standIn.answer = answering(answer, 400);
    expect((await failureOf(verifier().verify({ key }))).message).toMatch(message);
  });
});

describe('close', () => {
  test('fails what is under way or waiting, and every later verification, and ends the connections', async () => {
    const arrived = new Promise<Call>((resolve) => {
      standIn.answer = resolve;
    });
    const { verify, close } = verifier({ maxSockets: 1 });
    const both = [verify({ key: aKey }), verify({ key: aKey })];
    await arrived;
    close();
    for (const verdict of both) await unavailable(verdict, /this client was closed$/);
    await unavailable(verify({ key: aKey }), /this client was closed$/);
    await expect.poll(() => standIn.connections.every(({ closed }) => closed)).toBe(true);
    expect(standIn.calls).toHaveLength(1);
  });

  test('ends idle connections, and may be called twice', async () => {
    const { verify, close } = verifier();
    await verify({ key: aKey });
    close();
    close();
    await expect.poll(() => standIn.connections[0]?.closed).toBe(true);
  });
});

describe('invalid options', () => {
  test.each<[VerifierOptions, string]>([
    [{ url: 'ftp://verifier' }, 'url must be an http or https one'],
    [{ url: 'http://user:secret@verifier' }, 'url must have no user name and no password'],
    [{ token: 'two\nlines' }, 'token must be printable ASCII'],
    [{ token: '' }, 'token must be printable ASCII'],
    [{ timeoutMs: 0 }, 'timeoutMs must be a positive number'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs must be a positive number'],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, 'timeoutMs must be a positive number'],
    [{ maxSockets: 0 }, 'maxSockets must be at least 1'],
  ])('%j are rejected', (options, message) => {
    expect(() => createVerifier(options)).toThrow(message);
  });
});
