// SECURITY.md: Headers that a client of a gateway writes
/** What a CheckRequest of Envoy may contain, and what the API behind Envoy then gets. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { contentDigest } from '../../src/domain/signature/content-digest.ts';
import { theProvider } from '../support/databases.ts';
import { type EnvoyAnswer, type EnvoyRequest, extAuthzClient, passedOn } from '../support/ext-authz.ts';
import { type IssuedKey, type RunningGateway, sharedGateway } from '../support/gateway.ts';

const bearer = ({ secret }: Pick<IssuedKey, 'secret'>) => ['authorization', `Bearer ${secret}`] as const;
const verdictOf = ({ allowed, headers }: EnvoyAnswer) => (allowed ? 'VALID' : headers['x-latchkey-code']);

/** A gateway with a client of its port for Envoy, for the tests of a block. */
function withClient(environment: NodeJS.ProcessEnv = {}) {
  const gateway = sharedGateway(theProvider, { EXT_AUTHZ_PORT: '0', ...environment });
  let client: ReturnType<typeof extAuthzClient> | undefined;
  beforeAll(() => {
    client = extAuthzClient(gateway.extAuthz);
  });
  afterAll(() => client?.close());
  const check = async (request: EnvoyRequest) => {
    if (client === undefined) throw new Error('only tests can use it');
    return await client.check(request);
  };
  return { gateway, check };
}

describe('the headers', () => {
  const { gateway, check } = withClient();

  it('the API gets the identity of the key instead of what the client sent in its place, and no key', async () => {
    const key = await gateway.issue({ scopes: ['orders:read'] });
    const spoofed = [
      ['x-latchkey-key-id', 'spoofed'],
      ['x-latchkey-key-id', 'twice'],
      ['x-latchkey-external-id', 'spoofed'],
      ['x-latchkey-role', 'admin'],
      ['x_latchkey_key_id', 'spoofed'],
      ['x-latchkey_team-id', 'spoofed'],
    ] as const;
    for (const encodeRawHeaders of [true, false]) {
      const request = { headers: [bearer(key), ...spoofed, ['accept', '*/*'] as const], encodeRawHeaders };
      expect(passedOn(request, await check(request))).toEqual({
        accept: ['*/*'],
        'x-latchkey-code': ['VALID'],
        'x-latchkey-key-id': [key.id],
        'x-latchkey-team-id': [gateway.teamId],
        'x-latchkey-env': ['live'],
        'x-latchkey-scopes': ['orders:read'],
        'x-latchkey-external-id': [''],
      });
    }
  });

  it('a repeated Authorization is seen with encode_raw_headers, and is no key without it', async () => {
    const [one, other] = [await gateway.issue(), await gateway.issue()];
    const request = { headers: [bearer(one), bearer(other)] };
    const raw = await check({ ...request, encodeRawHeaders: true });
    expect([raw.status, JSON.parse(raw.body).code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(verdictOf(await check({ ...request, encodeRawHeaders: false }))).toBe('MISSING');
  });

  it('8 kB of headers, most of them repeated, and names of object prototypes change no verdict', async () => {
    const key = await gateway.issue();
    const many = Array.from({ length: 200 }, (_, i) => ['x-filler', `${i}`.padEnd(30, '.')] as const);
    const odd = ['__proto__', 'constructor', 'toString', 'x-latchkey-'].map((name) => [name, 'x'] as const);
    for (const encodeRawHeaders of [true, false]) {
      const headers = [...many, ...odd, bearer(key), ...many];
      expect(verdictOf(await check({ headers, encodeRawHeaders }))).toBe('VALID');
      expect(verdictOf(await check({ headers: [...many, ...odd], encodeRawHeaders }))).toBe('MISSING');
    }
  });
});

describe('with KEY_LOCATIONS', () => {
  const { gateway, check } = withClient({ KEY_LOCATIONS: 'header:x-api-key,basic' });
  const basic = (secret: string) => ['authorization', `Basic ${Buffer.from(`${secret}:`).toString('base64')}`] as const;

  it('a key is found at each place, and the API gets neither', async () => {
    const { secret } = await gateway.issue();
    for (const headers of [
      [['x-api-key', secret] as const],
      [basic(secret)],
      [['x-api-key', secret] as const, basic(secret)],
    ]) {
      const request = { headers };
      const answer = await check(request);
      expect(verdictOf(answer)).toBe('VALID');
      expect(Object.keys(passedOn(request, answer)).filter((name) => !name.startsWith('x-latchkey-'))).toEqual([]);
    }
  });

  it('two different keys, a repeated header and one with underscores are denied', async () => {
    const [one, other] = [await gateway.issue(), await gateway.issue()];
    const two = await check({ headers: [['x-api-key', one.secret], basic(other.secret)] });
    expect([two.status, verdictOf(two), JSON.parse(two.body).code]).toEqual([401, 'AMBIGUOUS', 'UNAUTHENTICATED']);
    for (const name of ['x-api-key', 'x_api_key']) {
      const answer = await check({
        headers: [
          ['x-api-key', one.secret],
          [name, other.secret],
        ],
      });
      expect([answer.status, verdictOf(answer)]).toEqual([400, 'BAD_USER_INPUT']);
    }
  });

  it('the challenge and the text name the places', async () => {
    const { secret } = await gateway.issue();
    const answer = await check({ headers: [bearer({ secret })] });
    expect([verdictOf(answer), answer.headers['www-authenticate']]).toEqual([
      'MISSING',
      'ApiKey header="x-api-key", Basic realm="API key"',
    ]);
    expect(JSON.parse(answer.body).detail).toContain('x-api-key: <key>');
  });
});

describe('the context_extensions', () => {
  const { gateway, check } = withClient();

  it.each<[context: Record<string, string>, verdict: string]>([
    [{}, 'VALID'],
    [{ env: 'live' }, 'VALID'],
    [{ env: 'test' }, 'WRONG_ENVIRONMENT'],
    [{ scopes: 'orders:read' }, 'VALID'],
    [{ scopes: 'orders:read orders:write' }, 'VALID'],
    [{ scopes: 'orders:read orders:delete' }, 'INSUFFICIENT_SCOPE'],
  ])('%j make a key %s', async (context, verdict) => {
    const key = await gateway.issue({ scopes: ['orders:read', 'orders:write'] });
    expect(verdictOf(await check({ headers: [bearer(key)], context }))).toBe(verdict);
  });

  it.each<Record<string, string>>([
    { env: 'production' },
    { env: '' },
    { Env: 'live' },
    { scope: 'orders:read' },
    { scopes: '' },
    { scopes: 'orders:read  orders:write' },
    { scopes: '"' },
    { body: 'whole' },
    { environment: 'live', scopes: 'orders:read' },
  ])('%j are denied as a wrong configuration, also for a valid key', async (context) => {
    const key = await gateway.issue({ scopes: ['orders:read', 'orders:write'] });
    const answer = await check({ headers: [bearer(key)], context });
    expect([answer.status, verdictOf(answer), JSON.parse(answer.body).code]).toEqual([
      400,
      'BAD_USER_INPUT',
      'BAD_USER_INPUT',
    ]);
  });

  it('a client cannot send them as headers', async () => {
    const key = await gateway.issue({ env: 'test' });
    const headers = [bearer(key), ['env', 'test'] as const, ['context_extensions', 'env=test'] as const];
    expect(verdictOf(await check({ headers, context: { env: 'live' } }))).toBe('WRONG_ENVIRONMENT');
  });
});

describe('the source', () => {
  const forwarded = ['x-forwarded-for', '203.0.113.9, 192.0.2.8'] as const;
  const verdicts = async ({ gateway, check }: ReturnType<typeof withClient>) => {
    const found: Record<string, string | undefined> = {};
    for (const address of ['192.0.2.7', '192.0.2.8', '203.0.113.9']) {
      const key = await gateway.issue({ allowedIps: [address] });
      found[address] = verdictOf(await check({ address: '192.0.2.7', headers: [bearer(key), forwarded] }));
    }
    return found;
  };
  const only = (allowed: string) =>
    Object.fromEntries(
      ['192.0.2.7', '192.0.2.8', '203.0.113.9'].map((address) => [
        address,
        address === allowed ? 'VALID' : 'SOURCE_NOT_ALLOWED',
      ]),
    );

  describe('without SOURCE_HEADER', () => {
    const port = withClient();
    it('is the address that connected to Envoy', async () => {
      expect(await verdicts(port)).toEqual(only('192.0.2.7'));
    });
  });

  describe('with SOURCE_HEADER and GATEWAY=envoy', () => {
    const port = withClient({ GATEWAY: 'envoy', SOURCE_HEADER: 'X-Forwarded-For' });
    it('is the entry of the header that Envoy added', async () => {
      expect(await verdicts(port)).toEqual(only('192.0.2.8'));
    });
    it('is not known without the header', async () => {
      const key = await port.gateway.issue({ allowedIps: ['192.0.2.7'] });
      expect(verdictOf(await port.check({ headers: [bearer(key)] }))).toBe('SOURCE_NOT_ALLOWED');
    });
  });

  describe('with the SOURCE_HEADER of another gateway', () => {
    const port = withClient({ GATEWAY: 'nginx', SOURCE_HEADER: 'X-Forwarded-For' });
    it('is the address that connected to Envoy, because clients of Envoy could send the header', async () => {
      expect(await verdicts(port)).toEqual(only('192.0.2.7'));
    });
  });
});

describe('the body of a signed request', () => {
  const { gateway, check } = withClient();
  const comparing = withClient({ API_CHECKS_CONTENT_DIGEST: 'true' });
  const body = '{"order": 7}';
  const length = ['content-length', String(body.length)] as const;

  const signed = async (
    of: RunningGateway,
    { method = 'POST', sent = body }: { method?: string; sent?: string } = {},
  ) => {
    const { id: keyId, secret, signingSecret } = await of.issueSigning();
    const request = { method, url: 'https://api.example.com/', ...(sent === '' ? {} : { body: sent }) };
    const signature = Object.entries({ ...signRequest(request, { keyId, signingSecret }) });
    return {
      method,
      headers: [bearer({ secret }), ...signature.map(([name, value]) => [name.toLowerCase(), value] as const)],
    };
  };
  type Change = (request: EnvoyRequest) => EnvoyRequest;
  interface Case {
    readonly name: string;
    readonly change: Change;
    readonly verdict: string;
  }
  const adding =
    (...headers: NonNullable<EnvoyRequest['headers']>): Change =>
    (request) => ({ ...request, headers: [...(request.headers ?? []), ...headers] });

  it.each<Case>([
    { name: 'in raw_body', change: adding(length), verdict: 'VALID' },
    { name: 'in body', change: (request) => ({ ...adding(length)(request), packAsBytes: false }), verdict: 'VALID' },
    {
      name: 'without encode_raw_headers',
      change: (request) => ({ ...adding(length)(request), encodeRawHeaders: false }),
      verdict: 'VALID',
    },
    {
      name: 'as long as the buffer',
      change: (request) => ({ ...adding(length)(request), maxRequestBytes: body.length }),
      verdict: 'VALID',
    },
    {
      name: 'another one of the same length',
      change: (request) => ({ ...adding(length)(request), body: '{"order": 8}' }),
      verdict: 'SIGNATURE_INVALID',
    },
    {
      name: 'longer than the buffer',
      change: (request) => ({ ...adding(length)(request), maxRequestBytes: 4 }),
      verdict: 'SIGNATURE_INVALID',
    },
    {
      name: 'that Envoy calls partial',
      change: (request) => ({ ...adding(length)(request), isPartial: true }),
      verdict: 'SIGNATURE_INVALID',
    },
    { name: 'without a length', change: (request) => request, verdict: 'SIGNATURE_INVALID' },
    {
      name: 'with more behind it than the buffer takes',
      change: (request) => ({ ...request, body: `${body}!`, maxRequestBytes: body.length }),
      verdict: 'SIGNATURE_INVALID',
    },
    {
      name: 'with a length that it does not have',
      change: adding(['content-length', '13']),
      verdict: 'SIGNATURE_INVALID',
    },
    {
      name: 'without with_request_body',
      change: (request) => ({ ...adding(length)(request), maxRequestBytes: null }),
      verdict: 'SIGNATURE_INVALID',
    },
    {
      name: 'with its end only in a header of the client',
      change: (request) => ({ ...adding(length, ['x-envoy-auth-partial-body', 'false'])(request), maxRequestBytes: 4 }),
      verdict: 'SIGNATURE_INVALID',
    },
  ])('$name is $verdict', async ({ change, verdict }) => {
    expect(verdictOf(await check(change({ ...(await signed(gateway)), body })))).toBe(verdict);
  });

  it.each<Case>([
    { name: 'on a route that buffers bodies', change: (request) => request, verdict: 'VALID' },
    {
      name: 'with a length of 0',
      change: (request) => ({ ...adding(['content-length', '0'])(request), context: {} }),
      verdict: 'VALID',
    },
    {
      name: 'on a route that buffers none',
      change: (request) => ({ ...request, context: {} }),
      verdict: 'SIGNATURE_INVALID',
    },
    {
      name: 'but one that arrives',
      change: (request) => ({ ...adding(length)(request), body }),
      verdict: 'SIGNATURE_INVALID',
    },
    { name: 'but a length', change: adding(length), verdict: 'SIGNATURE_INVALID' },
    {
      name: 'but an upgrade, whose body Envoy does not buffer',
      change: (request) => ({ ...adding(['upgrade', 'websocket'])(request), body }),
      verdict: 'SIGNATURE_INVALID',
    },
  ])('signed without one, $name, is $verdict', async ({ change, verdict }) => {
    const request = await signed(gateway, { method: 'GET', sent: '' });
    expect(verdictOf(await check(change(request)))).toBe(verdict);
  });

  it('that Envoy did not send whole is accepted only if the API compares it', async () => {
    for (const [port, verdict] of [
      [comparing, 'VALID'],
      [{ gateway, check }, 'SIGNATURE_INVALID'],
    ] as const) {
      const request = { ...(await signed(port.gateway)), body, maxRequestBytes: 4 };
      expect(verdictOf(await port.check(adding(length)(request)))).toBe(verdict);
    }
  });

  it('that is whole is compared although the API would compare it', async () => {
    const request = { ...(await signed(comparing.gateway)), body: '{"order": 8}' };
    expect(verdictOf(await comparing.check(adding(length)(request)))).toBe('SIGNATURE_INVALID');
  });

  it('can have all bytes, and its digest can be SHA-512', async () => {
    const bytes = Buffer.from(Array.from({ length: 65_536 }, (_, i) => i % 256));
    const { id: keyId, secret, signingSecret } = await gateway.issueSigning();
    const url = 'https://api.example.com/';
    const headers = { 'content-digest': contentDigest(bytes, 'sha-512') };
    const signature = signRequest({ method: 'POST', url, body: bytes, headers }, { keyId, signingSecret });
    const sent = Object.entries({ ...headers, ...signature }).map(
      ([name, value]) => [name.toLowerCase(), value] as const,
    );
    const request = {
      method: 'POST',
      body: bytes,
      headers: [bearer({ secret }), ...sent, ['content-length', '65536'] as const],
    };
    expect(verdictOf(await check(request))).toBe('VALID');
  });
});
