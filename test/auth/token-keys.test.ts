// SECURITY.md: Bytes from outside
import { createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import jwt from 'jsonwebtoken';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { jwksTokenKeys, problemOfKeySet } from '../../src/auth/key-set.ts';
import { parsePublicKey, type TokenKey } from '../../src/auth/token-keys.ts';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { checkedFetch } from '../support/checked-fetch.ts';
import { freePort } from '../support/free-port.ts';
import { graphql, type RunningService, rest, startService } from '../support/service.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const weakRsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const ed25519 = generateKeyPairSync('ed25519');

const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString();
const privatePem = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' }).toString();
const published = (kid: string, key: KeyObject, more: Readonly<Record<string, unknown>> = {}): JsonWebKey => ({
  ...key.export({ format: 'jwk' }),
  kid,
  ...more,
});

const start = 1_000_000;
const later = (milliseconds: number) => start + milliseconds;
const cooldown = 3000;
const maxAge = 10 * 60_000;

describe('a public key', () => {
  it.each([
    ['RS256', rsa.publicKey],
    ['ES256', ec.publicKey],
  ])('of RSA with 2048 bits or on P-256 checks %s', (algorithm, key) => {
    expectKey(parsePublicKey(pem(key)), key, algorithm);
  });

  it.each([
    ['RSA', privatePem(rsa.privateKey)],
    ['RSA in PKCS #1', rsa.privateKey.export({ format: 'pem', type: 'pkcs1' }).toString()],
    ['elliptic', privatePem(ec.privateKey)],
    ['elliptic in SEC 1', ec.privateKey.export({ format: 'pem', type: 'sec1' }).toString()],
    ['RSA behind its public key', pem(rsa.publicKey) + privatePem(rsa.privateKey)],
  ])('is rejected when it is a private one: %s', (_, text) => {
    expect(() => parsePublicKey(text)).toThrow('a private key does not belong here');
  });

  it.each([
    ['RSA of 1024 bits', weakRsa.publicKey],
    ['elliptic on P-384', p384.publicKey],
    ['Ed25519', ed25519.publicKey],
    ['RSA for PSS alone', generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey],
  ])('is rejected when it is %s', (_, key) => {
    expect(() => parsePublicKey(pem(key))).toThrow(
      'neither an RSA key of at least 2048 bits nor an elliptic one on P-256',
    );
  });

  it.each(['junk', '', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'])(
    'is rejected when it is not a key: %j',
    (text) => {
      expect(() => parsePublicKey(text)).toThrow();
    },
  );
});

interface KeyServer {
  readonly url: string;
  readonly port: number;
  readonly requests: () => number;
  /** From now on, this is what the server does. */
  readonly answer: (listener: RequestListener) => void;
  readonly publish: (...keys: readonly unknown[]) => void;
  readonly stop: () => Promise<void>;
}

/** A real key server, which also misbehaves as told. */
async function startKeyServer(port = 0): Promise<KeyServer> {
  let requests = 0;
  let listener: RequestListener = (_, response) => response.writeHead(404).end();
  const server = createServer((request, response) => {
    requests += 1;
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return {
    url: `http://127.0.0.1:${address.port}/jwks?tenant=a`,
    port: address.port,
    requests: () => requests,
    answer: (next) => {
      listener = next;
    },
    publish: (...keys) => {
      listener = (request, response) => {
        if (request.url !== '/jwks?tenant=a') response.writeHead(404).end();
        else response.setHeader('content-type', 'application/jwk-set+json').end(JSON.stringify({ keys }));
      };
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const servers: KeyServer[] = [];
async function keyServer(...keys: readonly unknown[]): Promise<KeyServer> {
  const server = await startKeyServer();
  servers.push(server);
  server.publish(...keys);
  return server;
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

function expectKey(found: TokenKey | null, key: KeyObject, algorithm: string): void {
  expect(found?.algorithm).toBe(algorithm);
  expect(found?.key.equals(key)).toBe(true);
}

const keysUnavailable = "The keys for session tokens can't be fetched; try again shortly.";

async function expectUnavailable(found: Promise<unknown>): Promise<void> {
  const error: unknown = await found.then(
    (found) => new Error(`found ${found}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof LatchkeyError)) throw error;
  expect(error.code).toBe('UNAVAILABLE');
  expect(error.message).toBe(keysUnavailable);
}

describe('the keys of a key server', () => {
  it('are found by their ids, each with the algorithm that it is for', async () => {
    const server = await keyServer(
      published('rsa', rsa.publicKey, { alg: 'RS256', use: 'sig' }),
      published('ec', ec.publicKey),
    );
    const keys = jwksTokenKeys(server.url);
    expectKey(await keys.find('rsa', start), rsa.publicKey, 'RS256');
    expectKey(await keys.find('ec', start), ec.publicKey, 'ES256');
    expect(server.requests()).toBe(1);
  });

  it('are fetched when they are first needed, not for a token that names none, and not found by another id', async () => {
    const server = await keyServer(published('rsa', rsa.publicKey), { ...published('', ec.publicKey), kid: undefined });
    const keys = jwksTokenKeys(server.url);
    expect(await keys.find(undefined, start)).toBeNull();
    expect(server.requests()).toBe(0);
    for (const id of ['other', '', 'undefined']) expect(await keys.find(id, start)).toBeNull();
  });

  it('are found for a token without an id if exactly one fits its algorithm, and are fetched for it as rarely', async () => {
    const server = await keyServer(published('rsa', rsa.publicKey), { ...published('', ec.publicKey), kid: undefined });
    const keys = jwksTokenKeys(server.url);
    expectKey(await keys.find(undefined, start, 'ES256'), ec.publicKey, 'ES256');
    expectKey(await keys.find(undefined, start, 'RS256'), rsa.publicKey, 'RS256');
    for (const alg of ['HS256', 'none', 'PS256', '']) {
      for (let i = 0; i < 10; i += 1) expect(await keys.find(undefined, start, alg)).toBeNull();
    }
    expect(server.requests()).toBe(1);
    server.publish(published('rsa', rsa.publicKey), { ...published('', otherRsa.publicKey), kid: undefined });
    expect(await keys.find(undefined, later(maxAge), 'RS256')).toBeNull();
    server.publish({ ...published('', ec.publicKey), kid: undefined });
    expect(await problemOfKeySet(server.url)).toBe('it has no usable key with an id (kid), which session tokens name');
    expect(await problemOfKeySet(server.url, undefined, { isIdNeeded: false })).toBeNull();
  });

  it('are fetched once for all that need them at the same time', async () => {
    const server = await keyServer(published('rsa', rsa.publicKey));
    const keys = jwksTokenKeys(server.url);
    const found = await Promise.all(Array.from({ length: 50 }, () => keys.find('rsa', start)));
    for (const key of found) expectKey(key, rsa.publicKey, 'RS256');
    expect(server.requests()).toBe(1);
  });

  it('follow a rotation: a new id is found 3 seconds after the last look, and the old one is gone then', async () => {
    const server = await keyServer(published('old', rsa.publicKey));
    const keys = jwksTokenKeys(server.url);
    expectKey(await keys.find('old', start), rsa.publicKey, 'RS256');
    server.publish(published('new', otherRsa.publicKey));
    expect(await keys.find('new', later(cooldown - 1))).toBeNull();
    expect(server.requests()).toBe(1);
    expectKey(await keys.find('new', later(cooldown)), otherRsa.publicKey, 'RS256');
    expect(server.requests()).toBe(2);
    expect(await keys.find('old', later(cooldown))).toBeNull();
  });

  it('are taken as they are now when an id gets another key', async () => {
    const server = await keyServer(published('same', rsa.publicKey));
    const keys = jwksTokenKeys(server.url);
    expectKey(await keys.find('same', start), rsa.publicKey, 'RS256');
    server.publish(published('same', otherRsa.publicKey));
    expectKey(await keys.find('same', later(maxAge)), otherRsa.publicKey, 'RS256');
  });

  it('stop being trusted 10 minutes after they were withdrawn, even if no token names another key', async () => {
    const server = await keyServer(published('stolen', rsa.publicKey), published('good', ec.publicKey));
    const keys = jwksTokenKeys(server.url);
    expectKey(await keys.find('stolen', start), rsa.publicKey, 'RS256');
    server.publish(published('good', ec.publicKey));
    expectKey(await keys.find('stolen', later(maxAge - 1)), rsa.publicKey, 'RS256');
    expect(await keys.find('stolen', later(maxAge))).toBeNull();
    expectKey(await keys.find('good', later(maxAge)), ec.publicKey, 'ES256');
    expect(server.requests()).toBe(2);
  });

  it('can not be used to flood their server: unknown ids cause one request in 3 seconds', async () => {
    const server = await keyServer(published('rsa', rsa.publicKey));
    const keys = jwksTokenKeys(server.url);
    const flood = async (at: number) => {
      const ids = Array.from({ length: 200 }, (_, index) => `invented-${at}-${index}`);
      const found = await Promise.all(ids.map((id) => keys.find(id, later(at))));
      expect(found.every((key) => key === null)).toBe(true);
      for (const id of ids.slice(0, 20)) expect(await keys.find(id, later(at))).toBeNull();
    };
    await flood(0);
    await flood(cooldown - 1);
    expect(server.requests()).toBe(1);
    await flood(cooldown);
    expect(server.requests()).toBe(2);
  });

  it.each([
    ['a weak one', published('unfit', weakRsa.publicKey)],
    ['one on another curve', published('unfit', p384.publicKey)],
    ['an Ed25519 one', published('unfit', ed25519.publicKey)],
    ['one for encryption', published('unfit', otherRsa.publicKey, { use: 'enc' })],
    ['one for another algorithm of the same key type', published('unfit', otherRsa.publicKey, { alg: 'RS512' })],
    ['one whose algorithm is for encryption', published('unfit', otherRsa.publicKey, { alg: 'RSA-OAEP' })],
    ['a private one', published('unfit', otherRsa.privateKey)],
    ['a secret one', { kty: 'oct', kid: 'unfit', k: 'c2VjcmV0' }],
    ['one without an id', { ...published('', otherRsa.publicKey), kid: undefined }],
    ['one with parts missing', { kty: 'RSA', kid: 'unfit', e: 'AQAB' }],
    ['one off its curve', { ...published('unfit', ec.publicKey), x: 'AAAA' }],
    ['one of an unknown type', { kty: 'AKP', kid: 'unfit' }],
  ])('are not spoilt by an unfit one among them: %s', async (_, unfit) => {
    const server = await keyServer(unfit, published('rsa', rsa.publicKey), unfit);
    const keys = jwksTokenKeys(server.url);
    expect(await keys.find('unfit', start)).toBeNull();
    expectKey(await keys.find('rsa', start), rsa.publicKey, 'RS256');
  });
});

describe('a key server that fails', () => {
  const timeoutMs = 5000;

  it('means UNAVAILABLE when no server listens, with the cause for the log and a problem for the operator', async () => {
    const url = `http://127.0.0.1:${await freePort()}/jwks`;
    const found = jwksTokenKeys(url, timeoutMs).find('rsa', start);
    await expectUnavailable(found);
    await expect(found).rejects.toHaveProperty('cause', expect.any(Error));
    expect(await problemOfKeySet(url, timeoutMs)).toBe(
      "it can't be reached, because no program listens there: start it, or correct host and port (ECONNREFUSED)",
    );
  });

  const failures: readonly (readonly [string, RequestListener])[] = [
    ['answers 500', (_, response) => response.writeHead(500).end('{}')],
    ['answers 404 with a key set', (_, response) => response.writeHead(404).end(validSet())],
    ['sends us elsewhere', redirect],
    ...['<html>', '', 'null', '[]', '{"keys": "none"}', '{"keys": [null]}', '{"keys": []}'].map(
      (text): [string, RequestListener] => [`answers "${text}"`, (_, response) => response.end(text)],
    ),
    ['never answers', () => undefined],
    ['stops in the middle', (_, response) => void beginning(response)],
    ['goes on for ever, a little at a time', trickle],
    ['hangs up', (_, response) => void response.destroy()],
    ['hangs up in the middle', (_, response) => void beginning(response).write(' ', () => response.destroy())],
  ];

  function validSet(): string {
    return JSON.stringify({ keys: [published('rsa', rsa.publicKey)] });
  }

  function redirect(...[request, response]: Parameters<RequestListener>): void {
    if (request.url === '/elsewhere') response.end(validSet());
    else response.writeHead(302, { location: '/elsewhere' }).end();
  }

  function beginning(response: ServerResponse): ServerResponse {
    response.writeHead(200, { 'content-length': 9999 }).write('{"keys":[');
    return response;
  }

  function trickle(...[, response]: Parameters<RequestListener>): void {
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  }

  it.concurrent.each(failures)(
    'means UNAVAILABLE within the timeout, reported without its answer, when it %s, and recovery is noticed',
    async (_, listener) => {
      const server = await startKeyServer();
      try {
        server.answer(listener);
        const keys = jwksTokenKeys(server.url, timeoutMs);
        const begin = performance.now();
        const [problem] = await Promise.all([
          problemOfKeySet(server.url, timeoutMs),
          expectUnavailable(keys.find('rsa', start)),
        ]);
        expect(performance.now() - begin).toBeLessThan(10 * timeoutMs);
        expect(problem).toMatch(
          /^it (?:answered \d+: correct the URL|has no usable key: |gave no answer within \d+ ms|can't be reached|closed the connection)|^its answer is/,
        );
        expect(problem).not.toContain('<html>');
        server.publish(published('weak', weakRsa.publicKey));
        expect(await problemOfKeySet(server.url, timeoutMs)).toMatch(/^it has no usable key/);
        server.publish(published('rsa', rsa.publicKey));
        expect(await problemOfKeySet(server.url, timeoutMs)).toBeNull();
        expectKey(await keys.find('rsa', later(1000)), rsa.publicKey, 'RS256');
      } finally {
        await server.stop();
      }
    },
  );

  it('means UNAVAILABLE when it publishes more than 100 keys, of which none is compared with the others', async () => {
    const keysOf = (count: number) =>
      Array.from({ length: count }, (_, index) => published(`ec-${index}`, ec.publicKey));
    const server = await keyServer(...keysOf(100));
    expectKey(await jwksTokenKeys(server.url).find('ec-99', start), ec.publicKey, 'ES256');
    server.publish(...keysOf(101));
    await expectUnavailable(jwksTokenKeys(server.url).find('ec-99', start));
    expect(await problemOfKeySet(server.url)).toBe(
      'it has 101 keys, and at most 100 are read: remove those not in use',
    );
  });

  it('is found again when it comes back on its port', async () => {
    const server = await startKeyServer();
    await server.stop();
    const keys = jwksTokenKeys(server.url, timeoutMs);
    await expectUnavailable(keys.find('rsa', start));
    const again = await startKeyServer(server.port);
    servers.push(again);
    again.publish(published('rsa', rsa.publicKey));
    expectKey(await keys.find('rsa', later(1000)), rsa.publicKey, 'RS256');
  });

  it('is requested once for all waiting callers, and at most once per second', async () => {
    const server = await keyServer();
    server.answer((_, response) => response.writeHead(503).end());
    const keys = jwksTokenKeys(server.url, timeoutMs);
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => expectUnavailable(keys.find(`invented-${index}`, start))),
    );
    for (let index = 0; index < 20; index += 1) await expectUnavailable(keys.find('rsa', later(999)));
    expect(server.requests()).toBe(1);
    await expectUnavailable(keys.find('rsa', later(1000)));
    expect(server.requests()).toBe(2);
  });

  it('leaves the keys that are known in use, until they are 10 minutes old', async () => {
    const server = await keyServer(published('rsa', rsa.publicKey));
    const keys = jwksTokenKeys(server.url, timeoutMs);
    expectKey(await keys.find('rsa', start), rsa.publicKey, 'RS256');
    server.answer((_, response) => response.writeHead(500).end());
    await expectUnavailable(keys.find('other', later(cooldown)));
    expectKey(await keys.find('rsa', later(cooldown)), rsa.publicKey, 'RS256');
    expectKey(await keys.find('rsa', later(maxAge - 1)), rsa.publicKey, 'RS256');
    await expectUnavailable(keys.find('rsa', later(maxAge)));
  });
});

const issuer = 'https://login.example.com';
const team = '6f1c1d0e-3b1f-4b60-9a43-0a5c8a2f7b11';

function signed(key: KeyObject, algorithm: 'RS256' | 'ES256', keyid?: string): string {
  const options = { algorithm, subject: 'ada', issuer, expiresIn: 600, ...(keyid === undefined ? {} : { keyid }) };
  return jwt.sign({ teams: { [team]: ['view_team'] } }, key, options);
}

const answerTo = (url: string, token: string) => rest(url, token, 'GET', `/v1/keys?teamId=${team}`);

async function expectPasses(url: string, token: string): Promise<void> {
  const { status, body } = await answerTo(url, token);
  expect([status, body]).toEqual([200, []]);
}

async function expectRejected(url: string, token: string, detail: string, code = 'UNAUTHENTICATED'): Promise<void> {
  const { status, headers, body } = await answerTo(url, token);
  const [challenge, retryAfter] = [headers.get('www-authenticate'), headers.get('retry-after')];
  const expected = code === 'UNAUTHENTICATED' ? [401, 'Bearer', null] : [503, null, '1'];
  expect([status, challenge, retryAfter]).toEqual(expected);
  expect(body).toMatchObject({ code, detail });
}

describe('a service with JWT_JWKS_URL', () => {
  let server: KeyServer;
  let running: RunningService;
  beforeAll(async () => {
    server = await startKeyServer();
    server.publish(published('rsa', rsa.publicKey), published('ec', ec.publicKey));
    running = await startService('sqlite', { JWT_SECRET: undefined, JWT_JWKS_URL: server.url, JWT_ISSUER: issuer });
  });
  afterAll(async () => {
    await running.stop();
    await server.stop();
  });

  it('accepts tokens that are signed with a published key', async () => {
    await expectPasses(running.url, signed(rsa.privateKey, 'RS256', 'rsa'));
    await expectPasses(running.url, signed(ec.privateKey, 'ES256', 'ec'));
  });

  it('rejects tokens that are signed with another', async () => {
    const { url } = running;
    const invalid = 'The session token is not valid: invalid signature.';
    const unknown = 'The session token names a signing key that is not known here.';
    await expectRejected(url, signed(otherRsa.privateKey, 'RS256', 'rsa'), invalid);
    await expectRejected(url, signed(rsa.privateKey, 'RS256', 'invented'), unknown);
    await expectRejected(url, signed(rsa.privateKey, 'RS256'), unknown);
    // The key set is public, so its bytes are not a secret.
    const claims = { teams: { [team]: ['view_team'] } };
    const confused = jwt.sign(claims, pem(rsa.publicKey), { subject: 'ada', expiresIn: 600, keyid: 'rsa' });
    await expectRejected(url, confused, 'The session token is not valid: invalid algorithm.');
    // At the start, to see whether it is of use, and for the first token.
    expect(server.requests()).toBe(2);
  });

  it('answers UNAVAILABLE while the key server is unavailable, and is still ready', async () => {
    const port = await freePort();
    const JWT_JWKS_URL = `http://127.0.0.1:${port}/jwks`;
    const cut = await startService('sqlite', { JWT_SECRET: undefined, JWT_JWKS_URL, JWT_ISSUER: issuer });
    try {
      const token = signed(rsa.privateKey, 'RS256', 'rsa');
      await expectRejected(cut.url, token, keysUnavailable, 'UNAVAILABLE');
      const { status, headers, body } = await graphql(cut.url, token, '{ __typename }');
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      expect(body).toMatchObject({ errors: [{ message: keysUnavailable, extensions: { code: 'UNAVAILABLE' } }] });
      expect((await checkedFetch(`${cut.url}/readyz`)).status).toBe(200);
      // What can be told without a key is told.
      await expectRejected(cut.url, 'junk', 'The bearer token is not a JWT.');
    } finally {
      await cut.stop();
    }
  });
});

it('a service with JWT_PUBLIC_KEY accepts only tokens that are signed with its private key', async () => {
  // As environment files have it, on one line.
  const JWT_PUBLIC_KEY = pem(rsa.publicKey).replaceAll('\n', '\\n');
  const { url, stop } = await startService('sqlite', { JWT_SECRET: undefined, JWT_PUBLIC_KEY });
  try {
    for (const kid of [undefined, 'any']) await expectPasses(url, signed(rsa.privateKey, 'RS256', kid));
    const [other, options] = [signed(otherRsa.privateKey, 'RS256'), { subject: 'a', expiresIn: 600 }];
    await expectRejected(url, other, 'The session token is not valid: invalid signature.');
    const confused = jwt.sign({ teams: {} }, pem(createPublicKey(rsa.privateKey)), options);
    await expectRejected(url, confused, 'The session token is not valid: invalid algorithm.');
  } finally {
    await stop();
  }
});
