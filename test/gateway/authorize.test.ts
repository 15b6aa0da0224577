// SECURITY.md: Who may do what; Bytes from outside
/** `/v1/authorize` over a listening port, with the requests of nginx, Traefik and Envoy. */
import { METHODS } from 'node:http';
import { describe, expect, it } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { ConfigurationError, readConfiguration } from '../../src/config/configuration.ts';
import { theProvider } from '../support/databases.ts';
import {
  type IssuedKey,
  type Received,
  type RunningGateway,
  type Sent,
  send,
  sharedGateway,
} from '../support/gateway.ts';

const authorize = '/v1/authorize';

function ask({ url }: RunningGateway, key: string, { path = authorize, headers = {}, ...sent }: Sent = {}) {
  return send(url, { ...sent, path, headers: { authorization: `Bearer ${key}`, ...headers } });
}

/** Status, headers of Latchkey and body of a response. */
function answer({ status, headers, body }: Received) {
  const told = Object.entries(headers).filter(([name]) => name.startsWith('x-latchkey-'));
  return { status, told: Object.fromEntries(told), challenge: headers['www-authenticate'], body };
}

const rejected = (status: 401 | 403, code: string) => ({
  status,
  told: { 'x-latchkey-code': code },
  challenge: status === 401 ? 'Bearer' : undefined,
  body: '',
});

function permitted({ teamId }: RunningGateway, { id }: IssuedKey, env = 'live') {
  return {
    status: 200,
    told: {
      'x-latchkey-code': 'VALID',
      'x-latchkey-key-id': id,
      'x-latchkey-team-id': teamId,
      'x-latchkey-env': env,
      'x-latchkey-scopes': '',
      'x-latchkey-external-id': '',
    },
    challenge: undefined,
    body: '',
  };
}

const codeOf = (received: Received) => received.headers['x-latchkey-code'];

function expectError(received: Received, status: number, code: string): void {
  const { told, body } = answer(received);
  const found = { status: received.status, told, code: JSON.parse(body).code };
  expect(found).toStrictEqual({ status, told: { 'x-latchkey-code': code }, code });
}

describe('the answer', () => {
  const gateway = sharedGateway(theProvider);

  it('a valid key passes, and the upstream can get its id and team', async () => {
    const live = await gateway.issue();
    const test = await gateway.issue({ env: 'test' });
    expect(answer(await ask(gateway, live.secret))).toStrictEqual(permitted(gateway, live));
    expect(answer(await ask(gateway, test.secret))).toStrictEqual(permitted(gateway, test, 'test'));
  });

  it('every method is answered alike', async () => {
    const key = await gateway.issue();
    // CONNECT asks for a tunnel, and there is none.
    for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
      expect(answer(await ask(gateway, key.secret, { method }))).toStrictEqual(permitted(gateway, key));
      expect(answer(await ask(gateway, 'a.guess', { method }))).toStrictEqual(rejected(401, 'MALFORMED'));
    }
    await expect(ask(gateway, key.secret, { method: 'CONNECT' })).rejects.toThrow();
  });

  it('ignores the body', async () => {
    const key = await gateway.issue();
    const body = 'x'.repeat(1_000_000);
    expect(answer(await ask(gateway, key.secret, { method: 'POST', body }))).toStrictEqual(permitted(gateway, key));
  });

  it('without a Bearer key it is 401 MISSING, wherever else the key stands', async () => {
    const { secret } = await gateway.issue();
    const basic = Buffer.from(`${secret}:`).toString('base64');
    for (const authorization of ['', secret, 'Bearer', `Bearer${secret}`, `Basic ${basic}`, `Bearer ${secret} x`]) {
      expect(answer(await ask(gateway, '', { headers: { authorization } }))).toStrictEqual(rejected(401, 'MISSING'));
    }
    const elsewhere = { 'x-api-key': secret, cookie: `key=${secret}`, 'proxy-authorization': `Bearer ${secret}` };
    const received = await send(gateway.url, { path: authorize, headers: elsewhere });
    expect(answer(received)).toStrictEqual(rejected(401, 'MISSING'));
  });

  it('the scheme may be in any case (RFC 9110, section 11.1)', async () => {
    const key = await gateway.issue();
    for (const authorization of [`bearer ${key.secret}`, `BEARER   ${key.secret}`]) {
      const received = await ask(gateway, '', { headers: { authorization } });
      expect(answer(received)).toStrictEqual(permitted(gateway, key));
    }
  });
});

describe('the environment', () => {
  const gateway = sharedGateway(theProvider);

  it('each environment takes its own keys only; without one, all are taken', async () => {
    const live = await gateway.issue();
    const test = await gateway.issue({ env: 'test' });
    const codes = async (path: string) => [
      codeOf(await ask(gateway, live.secret, { path })),
      codeOf(await ask(gateway, test.secret, { path })),
    ];
    expect(await codes(`${authorize}?env=live`)).toStrictEqual(['VALID', 'WRONG_ENVIRONMENT']);
    expect(await codes(`${authorize}?env=test`)).toStrictEqual(['WRONG_ENVIRONMENT', 'VALID']);
    expect(await codes(authorize)).toStrictEqual(['VALID', 'VALID']);
  });

  it.each([
    ...['?env=staging', '?env=LIVE', '?env=', '?env', '?env=live&env=live', '?env=test&env=live'],
    ...['?environment=live', '?env=live&team=x', '?env=live?env=test'],
  ])('%s is rejected instead of guessed at', async (query) => {
    const { secret } = await gateway.issue();
    expectError(await ask(gateway, secret, { path: authorize + query }), 400, 'BAD_USER_INPUT');
  });

  it.each(['/live', '/live/a', '/', '/any/a', '/live?env=live', 'd'])(
    'answers 404 to Envoy\u2019s path %s, and any other, with another gateway, which could not name an environment in it',
    async (path) => {
      const { secret } = await gateway.issue({ env: 'test' });
      const { status, headers } = await ask(gateway, secret, { path: authorize + path });
      // Of another path, no gateway reads the headers.
      expect([status, headers['x-latchkey-code']]).toEqual([404, path === 'd' ? undefined : 'NOT_FOUND']);
      expect(headers).not.toHaveProperty('x-latchkey-key-id');
    },
  );
});

describe('the source, from the header that the gateway writes', () => {
  const direct = sharedGateway(theProvider, { SOURCE_HEADER: 'X-Real-IP' });
  const oneHop = sharedGateway(theProvider, { SOURCE_HEADER: 'X-Forwarded-For' });
  const twoHops = sharedGateway(theProvider, { SOURCE_HEADER: 'x-forwarded-for', SOURCE_HOPS: '2' });
  const none = sharedGateway(theProvider);

  async function codeFrom(gateway: RunningGateway, headers: Sent['headers'], allowedIps = ['203.0.113.7', '10.0.0.1']) {
    const { secret } = await gateway.issue({ allowedIps });
    const received = await ask(gateway, secret, headers === undefined ? {} : { headers });
    expect(received.status).toBe(codeOf(received) === 'VALID' ? 200 : 403);
    return codeOf(received);
  }

  it('an allowed source passes, another source does not', async () => {
    expect(await codeFrom(direct, { 'x-real-ip': '203.0.113.7' })).toBe('VALID');
    expect(await codeFrom(direct, { 'x-real-ip': '::ffff:203.0.113.7' })).toBe('VALID');
    expect(await codeFrom(direct, { 'x-real-ip': '203.0.113.8' })).toBe('SOURCE_NOT_ALLOWED');
    expect(await codeFrom(direct, { 'x-real-ip': '203.0.113.7:5678' })).toBe('VALID');
    expect(await codeFrom(direct, { 'x-real-ip': 'for="203.0.113.7:5678";proto=https' })).toBe('VALID');
    expect(await codeFrom(direct, { 'x-real-ip': '[2001:db8::7]:5678' }, ['2001:db8::/32'])).toBe('VALID');
    expect(await codeFrom(direct, { 'x-real-ip': '2001:db8::7' }, ['2001:db8::/32'])).toBe('VALID');
    expect(await codeFrom(direct, { 'x-real-ip': '2001:db9::7' }, ['2001:db8::/32'])).toBe('SOURCE_NOT_ALLOWED');
  });

  it.each([
    ...[undefined, '', 'unknown', '203.0.113.7:port', '[2001:db8::7', '010.0.0.1', '203.0.113.7/32'],
    ...['203.0.113.7%eth0', '203.0.113.7;10.0.0.1', '203.0.113.7,', 'localhost', '3405803783'],
  ])(
    'with %s the source is unknown, and no allow-list contains an unknown source, not even one with all addresses',
    async (value) => {
      const headers = value === undefined ? {} : { 'x-real-ip': value };
      expect(await codeFrom(direct, headers, ['203.0.113.7', '0.0.0.0/0', '::/0'])).toBe('SOURCE_NOT_ALLOWED');
    },
  );

  it('a hint says that an allow-list was compared with no address, and there is none with an address', async () => {
    const { secret } = await direct.issue({ allowedIps: ['203.0.113.7'] });
    const hintFor = async (address: string) => {
      const answer = await ask(direct, secret, { headers: { 'x-real-ip': address } });
      expect(codeOf(answer)).toBe('SOURCE_NOT_ALLOWED');
      return answer.headers['x-latchkey-hint'];
    };
    expect(await hintFor('unknown')).toBe(
      'The key has an allow-list, and the gateway sent no IP address of the client: check SOURCE_HEADER and SOURCE_HOPS.',
    );
    expect(await hintFor('203.0.113.8')).toBeUndefined();
  });

  it('what a client writes into other headers is ignored', async () => {
    const others = ['x-forwarded-for', 'true-client-ip', 'x-client-ip'].map((name) => [name, '203.0.113.7']);
    const forged = { forwarded: 'for=203.0.113.7', ...Object.fromEntries(others) };
    expect(await codeFrom(direct, forged)).toBe('SOURCE_NOT_ALLOWED');
    expect(await codeFrom(direct, { ...forged, 'x-real-ip': '203.0.113.8' })).toBe('SOURCE_NOT_ALLOWED');
    expect(await codeFrom(oneHop, { 'x-real-ip': '203.0.113.7' })).toBe('SOURCE_NOT_ALLOWED');
  });

  it('with no SOURCE_HEADER no source is known, neither from a header nor from the connection', async () => {
    const headers = { 'x-real-ip': '203.0.113.7', 'x-forwarded-for': '203.0.113.7' };
    expect(await codeFrom(none, headers, ['203.0.113.7', '127.0.0.1'])).toBe('SOURCE_NOT_ALLOWED');
  });

  it('counted from the right: what a client put further left never counts', async () => {
    const from = (gateway: RunningGateway, list: string | string[]) => codeFrom(gateway, { 'x-forwarded-for': list });
    expect(await from(oneHop, '198.51.100.1, 203.0.113.7')).toBe('VALID');
    expect(await from(oneHop, '203.0.113.7, 198.51.100.1')).toBe('SOURCE_NOT_ALLOWED');
    expect(await from(oneHop, '203.0.113.7, 203.0.113.7, unknown')).toBe('SOURCE_NOT_ALLOWED');
    expect(await from(twoHops, '198.51.100.1,203.0.113.7 ,\t198.51.100.2')).toBe('VALID');
    expect(await from(twoHops, '203.0.113.7, 198.51.100.1, 198.51.100.2')).toBe('SOURCE_NOT_ALLOWED');
    expect(await from(twoHops, '198.51.100.1, 203.0.113.7')).toBe('SOURCE_NOT_ALLOWED');
    // Fewer addresses than hops name no source.
    expect(await from(twoHops, '203.0.113.7')).toBe('SOURCE_NOT_ALLOWED');
  });

  it('a header in several lines is one list, in their order: a line that came first never counts', async () => {
    const lines = ['203.0.113.7', '198.51.100.1'];
    expect(await codeFrom(oneHop, { 'x-forwarded-for': lines })).toBe('SOURCE_NOT_ALLOWED');
    expect(await codeFrom(twoHops, { 'x-forwarded-for': lines })).toBe('VALID');
    expect(await codeFrom(direct, { 'x-real-ip': lines })).toBe('SOURCE_NOT_ALLOWED');
  });
});

interface Original {
  readonly method: string;
  readonly scheme: string;
  readonly host: string;
  readonly uri: string;
}

const inOriginalHeaders = ({ method, scheme, host, uri }: Original) => ({
  headers: { 'x-original-method': method, 'x-original-url': `${scheme}://${host}${uri}` },
});

/** How each gateway reports the original request. */
const conventions = {
  nginx: inOriginalHeaders,
  generic: inOriginalHeaders,
  traefik: ({ method, scheme, host, uri }: Original) => ({
    headers: {
      'x-forwarded-method': method,
      'x-forwarded-proto': scheme,
      'x-forwarded-host': host,
      'x-forwarded-uri': uri,
    },
  }),
  envoy: ({ method, scheme, host, uri }: Original) => ({
    method,
    path: `${authorize}/live${uri}`,
    headers: { host, 'x-forwarded-proto': scheme },
  }),
} as const satisfies Record<string, (original: Original) => Sent>;

const names = ['nginx', 'traefik', 'envoy', 'generic'] as const;
const apiChecks = { API_CHECKS_CONTENT_DIGEST: 'true' };
const harmless: Original = { method: 'GET', scheme: 'https', host: 'api.example:8443', uri: '/a?q=%20x' };
const harmful: Original = { ...harmless, uri: '/b' };

function signatureOf(
  { id, signingSecret }: IssuedKey & { readonly signingSecret: string },
  { method, scheme, host, uri }: Original,
  body?: string,
) {
  const target = { method, url: `${scheme}://${host}${uri}`, ...(body === undefined ? {} : { body }) };
  return { ...signRequest(target, { keyId: id, signingSecret }) };
}

describe.each(names)('a signed request, reported as by %s', (name) => {
  const gateway = sharedGateway(theProvider, { GATEWAY: name, ...apiChecks });
  const tell: (original: Original) => Sent = conventions[name];
  const codeFor = async (secret: string, sent: Sent, more: Sent['headers'] = {}) =>
    codeOf(await ask(gateway, secret, { ...sent, headers: { ...more, ...sent.headers } }));

  it('passes once', async () => {
    const key = await gateway.issueSigning();
    const signature = signatureOf(key, harmless);
    expect(await codeFor(key.secret, tell(harmless), signature)).toBe('VALID');
    expect(await codeFor(key.secret, tell(harmless), signature)).toBe('SIGNATURE_REPLAYED');
  });

  it('passes with a body, by its digest, and with every part of the URL as it was sent', async () => {
    const key = await gateway.issueSigning();
    const originals: readonly Original[] = [
      { method: 'POST', scheme: 'http', host: 'api.example', uri: '/' },
      { method: 'PUT', scheme: 'https', host: '[2001:db8::1]:8443', uri: '//a/../b//%2F?x=1&x=2?y' },
      { method: 'PROPFIND', scheme: 'https', host: 'api.example', uri: '/a?' },
    ];
    for (const original of originals) {
      const { pathname, search } = new URL(`${original.scheme}://${original.host}${original.uri}`);
      const sent = { ...original, uri: pathname + (original.uri.endsWith('?') ? '?' : search) };
      expect(await codeFor(key.secret, tell(sent), signatureOf(key, sent, '{}'))).toBe('VALID');
    }
  });

  it('passes for the handshake of a WebSocket, whose scheme the gateway names ws or wss', async () => {
    const key = await gateway.issueSigning();
    for (const [scheme, signed, port] of [
      ['ws', 'http', ':80'],
      ['wss', 'https', ':443'],
      ['WSS', 'https', ''],
    ] as const) {
      const original = { method: 'GET', scheme: signed, host: 'api.example', uri: '/socket?a' };
      const told = tell({ ...original, scheme, host: `api.example${port}` });
      expect(await codeFor(key.secret, told, signatureOf(key, original))).toBe('VALID');
    }
  });

  it('is rejected for another method, authority, path or query', async () => {
    const key = await gateway.issueSigning();
    const uris = ['/b', '/a', '/a?q=%20y'].map((uri) => ({ uri }));
    for (const other of [{ method: 'DELETE' }, { host: 'other.example' }, ...uris]) {
      const signature = signatureOf(key, harmless);
      expect(await codeFor(key.secret, tell({ ...harmless, ...other }), signature)).toBe('SIGNATURE_INVALID');
    }
  });

  it.each(names.filter((other) => other !== name))(
    'a captured signature for /a is not valid for /b if the client adds the headers of %s',
    async (other) => {
      const key = await gateway.issueSigning();
      const signature = signatureOf(key, harmless);
      const added: Sent = conventions[other](harmless);
      // A client can't write the gateway's own headers; those win.
      expect(await codeFor(key.secret, tell(harmful), { ...added.headers, ...signature })).toBe('SIGNATURE_INVALID');
      // It is still good for what it was made for, whatever is added.
      const addedToo: Sent = conventions[other](harmful);
      expect(await codeFor(key.secret, tell(harmless), { ...addedToo.headers, ...signature })).toBe('VALID');
    },
  );

  it('if the gateway does not send the original request, headers of another gateway do not replace it', async () => {
    const key = await gateway.issueSigning();
    const others = names.filter((other) => conventions[other] !== conventions[name]);
    const added = others.map((other) => conventions[other](harmless).headers);
    const headers = Object.assign({}, ...added, signatureOf(key, harmless));
    const received = await ask(gateway, key.secret, { path: authorize + (name === 'envoy' ? '/live' : ''), headers });
    expect(received.status).toBe(401);
    expect(codeOf(received)).toMatch(/^SIGNATURE_(?:REQUIRED|INVALID)$/);
  });

  it('rejects a signed request with 401 SIGNATURE_INVALID if a header of the original request came twice', async () => {
    const key = await gateway.issueSigning();
    const { headers = {}, ...sent }: Sent = tell(harmful);
    const { headers: others = {} }: Sent = tell(harmless);
    // Node joins the values of each, except Host, of which it takes the first (RFC 9112, section 3.2).
    for (const field of Object.keys(headers).filter((header) => header !== 'host')) {
      const twice = { ...headers, [field]: [String(others[field]), String(headers[field])] };
      const signature = signatureOf(key, harmless);
      const received = await ask(gateway, key.secret, { ...sent, headers: { ...signature, ...twice } });
      expect(answer(received)).toStrictEqual(rejected(401, 'SIGNATURE_INVALID'));
    }
  });
});

const [length, encoding] = ['x-original-content-length', 'x-original-transfer-encoding'];
const inOriginalFraming = {
  none: [{ [length]: '0' }],
  some: [
    ...['5', 'what?', '0, 5'].map((text) => ({ [length]: text })),
    ...[{ [encoding]: 'chunked' }, { [length]: '0', [encoding]: 'chunked' }],
  ],
};
/** How each gateway says that a request has no body, if it can, and that it has one. */
const framings = [
  { name: 'nginx', ...inOriginalFraming },
  { name: 'generic', ...inOriginalFraming },
  { name: 'traefik', none: [], some: [{ 'content-length': '2' }] },
  { name: 'envoy', none: [{ 'content-length': '0' }], some: [{ 'content-length': '2' }] },
] as const;

describe.each(framings)('the body of a signed request, reported as by $name', ({ name, none, some }) => {
  const gateway = sharedGateway('sqlite', { GATEWAY: name });
  const trusting = sharedGateway('sqlite', { GATEWAY: name, ...apiChecks });
  const post: Original = { ...harmless, method: 'POST' };

  async function codeFor({ to, signedBody }: { to: RunningGateway; signedBody?: string }, framing: Sent['headers']) {
    const key = await to.issueSigning();
    const { headers, ...sent }: Sent = conventions[name](post);
    const body = framing?.['content-length'] === '2' ? '{}' : undefined;
    const all = { ...headers, ...signatureOf(key, post, signedBody), ...framing };
    return codeOf(await ask(to, key.secret, { ...sent, headers: all, ...(body === undefined ? {} : { body }) }));
  }

  it('passes only if the gateway reports that there is none', async () => {
    for (const framing of none) {
      expect(await codeFor({ to: gateway }, framing)).toBe('VALID');
      expect(await codeFor({ to: gateway, signedBody: '' }, framing)).toBe('VALID');
      expect(await codeFor({ to: gateway, signedBody: '{}' }, framing)).toBe('SIGNATURE_INVALID');
    }
    expect(await codeFor({ to: gateway }, { 'transfer-encoding': 'chunked' })).toBe('SIGNATURE_INVALID');
    // A request over HTTP/2 may have a body and say nothing of it. Envoy always says a length.
    if (name !== 'envoy') expect(await codeFor({ to: gateway }, {})).toBe('SIGNATURE_INVALID');
  });

  it('is rejected if there is one, signed or not, as nothing compares it', async () => {
    for (const framing of some) {
      expect(await codeFor({ to: gateway, signedBody: '{}' }, framing)).toBe('SIGNATURE_INVALID');
      expect(await codeFor({ to: gateway }, framing)).toBe('SIGNATURE_INVALID');
    }
  });

  it('is accepted with API_CHECKS_CONTENT_DIGEST if its digest was signed, because the API compares it', async () => {
    for (const framing of some) {
      expect(await codeFor({ to: trusting, signedBody: '{}' }, framing)).toBe('VALID');
      expect(await codeFor({ to: trusting }, framing)).toBe('SIGNATURE_INVALID');
    }
    expect(await codeFor({ to: trusting }, {})).toBe('VALID');
  });
});

describe('parts of a URL that come separately', () => {
  const traefik = sharedGateway('sqlite', { GATEWAY: 'traefik', ...apiChecks });
  const envoy = sharedGateway('sqlite', { GATEWAY: 'envoy', ...apiChecks });

  // What was signed is https://api.example/a/b or https://api.example/a?x=/b; the requested path is /b.
  it.each([
    ['/a/b', { host: 'api.example/a', uri: '/b' }],
    ['/a?x=/b', { host: 'api.example/a?x=', uri: '/b' }],
    ['/?x=/b', { host: 'api.example?x=', uri: '/b' }],
    ['/a?://api.example/b', { scheme: 'https://api.example/a?', uri: '/b' }],
  ])('a captured signature for %s does not open /b through a host or scheme with a path in it', async (uri, forged) => {
    const signed: Original = { method: 'GET', scheme: 'https', host: 'api.example', uri };
    for (const [gateway, tell] of [
      [traefik, conventions.traefik],
      [envoy, conventions.envoy],
    ] as const) {
      const key = await gateway.issueSigning();
      const { headers, ...sent }: Sent = tell({ ...signed, ...forged });
      const all = { ...headers, ...signatureOf(key, signed) };
      expect(codeOf(await ask(gateway, key.secret, { ...sent, headers: all }))).toBe('SIGNATURE_INVALID');
    }
  });
});

describe('Envoy, which puts a prefix before the path', () => {
  const gateway = sharedGateway('sqlite', { GATEWAY: 'envoy' });

  it('/live/ and /test/ take the keys of their environment, /any/ takes all', async () => {
    const live = await gateway.issue();
    const test = await gateway.issue({ env: 'test' });
    const codes = async (env: string) => [
      codeOf(await ask(gateway, live.secret, { path: `${authorize}/${env}/orders?env=test` })),
      codeOf(await ask(gateway, test.secret, { path: `${authorize}/${env}/orders?env=test` })),
    ];
    expect(await codes('live')).toStrictEqual(['VALID', 'WRONG_ENVIRONMENT']);
    expect(await codes('test')).toStrictEqual(['WRONG_ENVIRONMENT', 'VALID']);
    expect(await codes('any')).toStrictEqual(['VALID', 'VALID']);
  });

  it.each(['', '/', '?env=live', '/staging/a', '/liveorders', '//a', '/%6cive/a', '/../live/a'])(
    'a prefix that names no environment is rejected: %s',
    async (path) => {
      const { secret } = await gateway.issue();
      expectError(await ask(gateway, secret, { path: authorize + path }), 400, 'BAD_USER_INPUT');
    },
  );

  it('an error, which Envoy sends to its client, links to no page of the API', async () => {
    const { body } = await send(gateway.url, { path: authorize });
    expect(JSON.parse(body).type).toBe('urn:latchkey:problem:BAD_USER_INPUT');
  });
});

describe('where VERIFIER_TOKENS are set', () => {
  const tokens = ['first-token-of-16-or-more', 'second-token-of-16-or-more'];
  const gateway = sharedGateway('sqlite', { VERIFIER_TOKENS: tokens.join(', ') });

  it('a gateway with one of the tokens is answered', async () => {
    const key = await gateway.issue();
    for (const token of tokens) {
      const received = await ask(gateway, key.secret, { headers: { 'x-latchkey-verifier': token } });
      expect(answer(received)).toStrictEqual(permitted(gateway, key));
    }
  });

  it.each([
    ['none', []],
    ['an empty one', ''],
    ['a wrong one', 'third-token-of-16-or-more'],
    ['the start of one', 'first-token-of-16-or-mor'],
    ['all of them', tokens.join(', ')],
    ['one twice', ['first-token-of-16-or-more', 'first-token-of-16-or-more']],
    ['one with a scheme', 'Bearer first-token-of-16-or-more'],
  ])('a client with %s gets 401 and no data of the key', async (_, token) => {
    const headers = { 'x-latchkey-verifier': token };
    const [good, revoked] = [await gateway.issue(), await gateway.issue()];
    await gateway.revoke(revoked.id);
    // A verifier token in Authorization is not accepted: a key is expected there.
    for (const secret of [good.secret, revoked.secret, 'a.guess', ...tokens]) {
      // Errors of the call itself are not reported either.
      for (const path of [authorize, `${authorize}?env=x`]) {
        expect(answer(await ask(gateway, secret, { headers, path }))).toStrictEqual(rejected(401, 'UNAUTHENTICATED'));
      }
    }
  });
});

describe('a port that is reachable from other machines', () => {
  const secret = { JWT_SECRET: 'a secret for tests, of at least 32 bytes' };

  it.each(['0.0.0.0', '::', '10.0.0.1', '::ffff:127.0.0.1', 'latchkey.internal', '127.0.0.1.example'])(
    'with VERIFY_HOST=%s and without VERIFIER_TOKENS, the service does not start, and says why',
    (host) => {
      expect(() => readConfiguration({ ...secret, VERIFY_HOST: host })).toThrow(
        new ConfigurationError([
          'VERIFIER_TOKENS: expected at least one, because VERIFY_HOST is not the loopback interface',
        ]),
      );
      const token = { VERIFIER_TOKENS: 'a-token-of-16-or-more' };
      expect(readConfiguration({ ...secret, ...token, VERIFY_HOST: host }).VERIFY_HOST).toBe(host);
    },
  );

  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost', undefined])('VERIFY_HOST=%s needs no token', (host) => {
    const environment = host === undefined ? secret : { ...secret, VERIFY_HOST: host };
    expect(readConfiguration(environment).VERIFIER_TOKENS).toBeUndefined();
  });
});
