/** What an identity provider can do wrong before anyone signs in, and how it is reported to the operator. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { IdentityProvider } from '../../src/auth/oidc/identity-provider.ts';
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
  ['has another issuer', json({ issuer: 'https://other.example.test' }), /names another issuer: set OIDC_ISSUER to/],
])('a provider that %s is reported with what to do', async (_, reply, problem) => {
  if (reply === null) server.answers.delete(discoveryPath);
  else server.answers.set(discoveryPath, reply);
  expect(await providerAt(server.url).problem()).toMatch(problem);
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
    const metadata = { issuer: server.url, jwks_uri: `${server.url}/jwks`, token_endpoint: `${server.url}/token` };
    server.answers.set(discoveryPath, json(metadata)).set('/token', reply);
    expect(await providerAt(server.url).credentialsProblem()).toEqual(problem);
    expect(server.bodies.at(-1)).toMatch(/grant_type=authorization_code/);
  },
);
