/** What an identity provider can do wrong before anyone signs in, and how it is reported to the operator. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { IdentityProvider } from '../../src/auth/oidc/identity-provider.ts';
import { signInErrorOf } from '../../src/auth/oidc/provider-errors.ts';
import { freePort } from '../support/free-port.ts';
import { inTests } from '../support/in-tests.ts';

type Answer = (response: ServerResponse) => void;

const clientSecret = 'canary-of-a-client-secret';
const server = inTests(async () => {
  const state = { url: '', answers: new Map<string, Answer>(), bodies: [] as string[] };
  const listener = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const part of request) body += String(part);
    state.bodies.push(body);
    const reply = state.answers.get(request.url ?? '');
    if (reply === undefined) response.writeHead(404).end();
    else reply(response);
  };
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  state.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const stop = async () => {
    listener.closeAllConnections();
    listener.close();
  };
  return { ...state, stop };
});

const json =
  (body: unknown, status = 200, headers = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

const providerAt = (issuer: string) =>
  new IdentityProvider({
    issuer: new URL(issuer),
    clientId: 'latchkey',
    clientSecret,
    scopes: 'openid',
    publicUrl: new URL('https://latchkey.example.test'),
    claims: { teamsClaim: 'teams', teamNamesClaim: 'team_names' },
  });

const discoveryPath = '/.well-known/openid-configuration';

it.each<[string, Answer | null, RegExp]>([
  ['has no discovery document', null, /it answered 404 at \/\.well-known\/openid-configuration below OIDC_ISSUER/],
  ['fails', json({}, 500), /it answered 500 .* see the log of the provider/],
  ['sends a page', (response) => response.setHeader('content-type', 'text/html').end('<p>'), /no discovery document/],
  ['sends no JSON', (response) => response.setHeader('content-type', 'application/json').end('<p>'), /no discovery/],
  [
    'has another issuer',
    json({ issuer: 'https://other.example.test' }),
    /names another issuer, https:.*: set OIDC_ISSUER to/,
  ],
])('a provider that %s is reported with what to do', async (_, reply, problem) => {
  if (reply === null) server.answers.delete(discoveryPath);
  else server.answers.set(discoveryPath, reply);
  expect(await providerAt(server.url).problem()).toMatch(problem);
});

const documentOf = (changes: object = {}) => ({
  issuer: server.url,
  jwks_uri: `${server.url}/jwks`,
  token_endpoint: `${server.url}/token`,
  authorization_endpoint: `${server.url}/authorize`,
  id_token_signing_alg_values_supported: ['ES256'],
  ...changes,
});

it.each<[string, () => Answer, RegExp, string]>([
  [
    'names another issuer',
    () => json({ issuer: 'https://other.test' }),
    /names another issuer, https:.*: set/,
    'unusable',
  ],
  ['names no issuer', () => json({ jwks_uri: 'x' }), /document names no issuer/, 'unusable'],
  ['names a text as issuer', () => json({ issuer: 'x' }), /an issuer that is not a URL/, 'unusable'],
  ['names no keys', () => json(documentOf({ jwks_uri: undefined })), /document has no jwks_uri/, 'unusable'],
  ['names a number as keys', () => json(documentOf({ jwks_uri: 7 })), /has no URL as jwks_uri/, 'unusable'],
  ['is a list', () => json([]), /no discovery document/, 'unusable'],
  ['answers 404', () => json({}, 404), /it answered 404/, 'unusable'],
  ['answers 503', () => json({}, 503), /it answered 503/, 'unavailable'],
  ['hangs up', () => (response) => response.destroy(), /it closed the connection/, 'unavailable'],
])('a provider whose discovery %s fails each sign-in with that reason, also right after the first', async (...row) => {
  const [, reply, problem, failure] = row;
  server.answers.set(discoveryPath, reply());
  const provider = providerAt(server.url);
  for (let i = 0; i < 2; i += 1) {
    const error = await provider.startSignIn().then(() => null, signInErrorOf);
    expect([error?.failure, error?.message]).toEqual([failure, expect.stringMatching(problem)]);
  }
  expect(await provider.problem()).toMatch(problem);
});

it('a provider that does not listen, has an unknown name, or speaks no TLS is reported with what to do', async () => {
  expect(await providerAt(`http://127.0.0.1:${await freePort()}`).problem()).toMatch(/no program listens there: start/);
  expect(await providerAt('http://no-such-host.invalid').problem()).toMatch(/host name is not known/);
  expect(await providerAt(server.url.replace('http:', 'https:')).problem()).toMatch(/does not speak TLS on this port/);
});

const rejected = expect.stringContaining('check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET');
it.each<[string, Answer, unknown]>([
  ['accepts the credentials, but not the code', json({ error: 'invalid_grant' }, 400), null],
  ['rejects the client (RFC 6749)', json({ error: 'invalid_client' }, 400), rejected],
  ['rejects it with a challenge', json({}, 401, { 'www-authenticate': 'Basic realm="a"' }), rejected],
  ['rejects it as Keycloak does', json({ error: 'unauthorized_client' }, 401), rejected],
  ['complains of something else', json({ error: 'invalid_request' }, 400), undefined],
  ['fails', json({}, 503), undefined],
])(
  'credentials are checked with a code of our own, which redeems nothing: a provider that %s',
  async (_, reply, problem) => {
    server.answers.set(discoveryPath, json(documentOf())).set('/token', reply);
    expect(await providerAt(server.url).credentialsProblem()).toEqual(problem);
    expect(server.bodies.at(-1)).toMatch(/grant_type=authorization_code/);
  },
);

describe('finishing a sign-in', () => {
  const finish = async (answers: Record<string, Answer>) => {
    server.answers.set(discoveryPath, json(documentOf({ userinfo_endpoint: `${server.url}/me` })));
    for (const [path, reply] of Object.entries(answers)) server.answers.set(path, reply);
    const checks = { state: 'a', nonce: 'n', codeVerifier: 'v'.repeat(43) };
    const error = await providerAt(server.url)
      .finishSignIn('?state=a&code=c', checks)
      .then(() => null, signInErrorOf);
    return [error?.failure, error?.message];
  };
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const tokens = async (changes: object = {}, kid?: string) => {
    const seconds = Math.floor(Date.now() / 1000);
    const claims = {
      iss: server.url,
      aud: 'latchkey',
      sub: 'ada',
      nonce: 'n',
      iat: seconds,
      exp: seconds + 60,
      teams: {},
    };
    const header = { alg: 'ES256', ...(kid === undefined ? {} : { kid }) };
    const id_token = await new SignJWT({ ...claims, ...changes }).setProtectedHeader(header).sign(key.privateKey);
    return json({ access_token: 'a', token_type: 'Bearer', id_token });
  };
  const published = ({ publicKey }: typeof key, more: object = {}) => ({
    ...publicKey.export({ format: 'jwk' }),
    ...more,
  });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });

  it.each<[string, object[]]>([
    ['without an id', [published(key)]],
    ['with an id', [published(key, { kid: '1' })]],
    ['of its algorithm', [{ ...rsa, kid: '2' }, published(key, { kid: '1' }), published(otherKey, { use: 'enc' })]],
  ])('accepts an ID token without kid if the provider has one key %s', async (_, keys) => {
    expect(await finish({ '/token': await tokens(), '/jwks': json({ keys }) })).toEqual([undefined, undefined]);
  });

  it('rejects an ID token without kid if several keys fit, and one with a kid that no key has', async () => {
    const several = [published(key), published(otherKey, { kid: '1' })];
    const problem =
      'a token names no signing key (kid), and the provider does not publish exactly one for its algorithm';
    expect(await finish({ '/token': await tokens(), '/jwks': json({ keys: several }) })).toEqual(['rejected', problem]);
    expect(await finish({ '/token': await tokens({}, '1'), '/jwks': json({ keys: [published(key)] }) })).toEqual([
      'rejected',
      'a token names a signing key that the provider does not publish',
    ]);
  });

  it.each<[string, object, boolean]>([
    ['for one client, issued to it', { azp: 'latchkey' }, true],
    ['for one client, issued to another', { azp: 'another' }, false],
    ['for several, issued to this one', { aud: ['latchkey', 'b'], azp: 'latchkey' }, true],
    ['for several, issued to another', { aud: ['latchkey', 'b'], azp: 'b' }, false],
    ['for several, without azp', { aud: ['latchkey', 'b'] }, false],
    ['for one in a list, issued to another', { aud: ['latchkey'], azp: 'b' }, false],
    ['with a number as azp', { azp: 7 }, false],
  ])('checks azp of an ID token %s', async (_, changes, isAccepted) => {
    const answers = { '/token': await tokens(changes), '/jwks': json({ keys: [published(key)] }) };
    expect((await finish(answers))[0]).toBe(isAccepted ? undefined : 'rejected');
  });

  it.each<[string, Answer, string, RegExp]>([
    ['answers 404', json({}, 404), 'unusable', /\(jwks_uri\) can't be used: it answered 404/],
    ['answers 503', json({}, 503), 'unavailable', /\(jwks_uri\) can't be used: it answered 503/],
    [
      'hangs up',
      (response) => response.destroy(),
      'unavailable',
      /\(jwks_uri\) can't be used: it closed the connection/,
    ],
    ['is no JSON', (response) => response.end('<p>'), 'unusable', /not a JSON Web Key Set/],
    ['has no usable key', json({ keys: [{ kty: 'oct', k: 'YQ' }] }), 'unusable', /it has no usable key/],
  ])('says what is wrong with a key set that %s', async (_, reply, failure, problem) => {
    expect(await finish({ '/token': await tokens(), '/jwks': reply })).toEqual([
      failure,
      expect.stringMatching(problem),
    ]);
  });

  it.each<[string, Answer, string, RegExp]>([
    [
      'sends a page',
      (response) => response.end('<p>'),
      'rejected',
      /^OAUTH_RESPONSE_IS_NOT_JSON: its answer is not JSON$/,
    ],
    [
      'sends cut JSON',
      (response) => response.setHeader('content-type', 'application/json').end('{'),
      'rejected',
      /not JSON$/,
    ],
    ['sends no token', json({}), 'rejected', /^OAUTH_INVALID_RESPONSE: a member of its answer is missing/],
    ['answers 500', json({}, 500), 'unavailable', /it answered 500$/],
    ['rejects the code', json({ error: 'invalid_grant' }, 400), 'rejected', /invalid_grant/],
    ['hangs up', (response) => response.destroy(), 'unavailable', /^it closed the connection/],
    [
      'encrypts the ID token',
      json({ access_token: 'a', token_type: 'Bearer', id_token: 'a.b.c.d.e' }),
      'rejected',
      /it encrypts ID tokens, which is not supported: turn it off/,
    ],
  ])('says what is wrong with a token endpoint that %s', async (_, reply, failure, problem) => {
    expect(await finish({ '/token': reply })).toEqual([failure, expect.stringMatching(problem)]);
  });

  it.each<[string, Answer, string, RegExp]>([
    ['is about another user', json({ sub: 'bob', teams: {} }), 'rejected', /userinfo is about another subject/],
    ['answers 404', json({}, 404), 'rejected', /userinfo answered 404/],
    ['answers 503', json({}, 503), 'unavailable', /userinfo answered 503/],
    ['sends a page', (response) => response.end('<p>'), 'rejected', /userinfo is neither a JSON object/],
    [
      'is encrypted',
      (response) => response.setHeader('content-type', 'application/jwt').end('a.b.c.d.e'),
      'rejected',
      /userinfo is encrypted, which is not supported: turn it off for this client/,
    ],
    [
      'has no teams',
      json({ sub: 'ada', groups: [] }),
      'no-teams',
      /^teams is missing; .* sub \(text\), .*groups \(list of 0\)/,
    ],
  ])('says what is wrong with userinfo that %s', async (_, reply, failure, problem) => {
    const answers = {
      '/token': await tokens({ teams: undefined }),
      '/jwks': json({ keys: [published(key)] }),
      '/me': reply,
    };
    expect(await finish(answers)).toEqual([failure, expect.stringMatching(problem)]);
  });
});
