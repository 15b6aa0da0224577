// SECURITY.md: Malformed or ambiguous input; Bytes from outside
/** `/v1/authorize` and `/v1/keys/self` with keys at the configured places, of instances and of edges. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { readEdgeConfiguration } from '../../src/config/edge-configuration.ts';
import { composeEdge, type Edge } from '../../src/service/compose/compose-edge.ts';
import { theProvider } from '../support/databases.ts';
import { listen, type Received, type Sent, send, sharedGateway, stopListening } from '../support/gateway.ts';
import { exchangeBytes } from '../support/raw-exchange.ts';

type Headers = NonNullable<Sent['headers']>;

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;
const codeOf = ({ headers }: Received) => headers['x-latchkey-code'];
const authorize = (url: string, headers: Headers, path = '/v1/authorize') => send(url, { path, headers });

const places: readonly { readonly locations: string; readonly write: (key: string) => Headers }[] = [
  { locations: 'authorization', write: (key) => ({ authorization: `Bearer ${key}` }) },
  { locations: 'header:X-API-Key', write: (key) => ({ 'x-api-key': key }) },
  { locations: 'header:api_key', write: (key) => ({ api_key: key }) },
  { locations: 'header:authorization', write: (key) => ({ authorization: key }) },
  { locations: 'basic', write: (key) => ({ authorization: basic(`${key}:`) }) },
  { locations: 'basic:username', write: (key) => ({ authorization: basic(`${key}:x`) }) },
  { locations: 'basic:password', write: (key) => ({ authorization: basic(`api:${key}`) }) },
];

/** Other places whose credentials can be read as those of a place. */
const overlapping: ReadonlyMap<string, readonly string[]> = new Map([
  ['basic', ['basic:username', 'basic:password']],
  ['basic:username', ['basic']],
]);

describe.each(places)('with KEY_LOCATIONS=$locations', ({ locations, write }) => {
  const gateway = sharedGateway(theProvider, { KEY_LOCATIONS: locations, SOURCE_HEADER: 'X-Real-IP' });
  const others = places.filter((place) => place.locations !== locations);
  const alsoAt = overlapping.get(locations) ?? [];

  it('a key at that place passes until it is revoked, and nowhere else', async () => {
    const { id, secret } = await gateway.issue();
    for (const headers of [write(secret), write(secret)]) {
      const answer = await authorize(gateway.url, headers);
      expect([answer.status, answer.headers['x-latchkey-key-id']]).toEqual([200, id]);
    }
    for (const other of others) {
      const { status } = await authorize(gateway.url, other.write(secret));
      expect([other.locations, status]).toEqual([other.locations, alsoAt.includes(other.locations) ? 200 : 401]);
    }
    expect(codeOf(await authorize(gateway.url, {}, `/v1/authorize?env=live`))).toBe('MISSING');
    await gateway.revoke(id);
    expect(codeOf(await authorize(gateway.url, write(secret)))).toBe('REVOKED');
  });

  it('its holder can read and revoke the key there', async () => {
    const { secret } = await gateway.issue();
    const self = (method: string, headers: Headers) => send(gateway.url, { method, path: '/v1/keys/self', headers });
    expect((await self('GET', write(secret))).status).toBe(200);
    expect((await self('DELETE', write(secret))).status).toBe(200);
    expect(JSON.parse((await self('GET', write(secret))).body).code).toBe('REVOKED');
    const { status, body } = await self('GET', {});
    expect([status, JSON.parse(body).code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('a signed request passes once', async () => {
    const { id, secret, signingSecret } = await gateway.issueSigning();
    const original = { method: 'GET', url: 'https://api.example.com/orders?page=2' };
    const headers = {
      ...signRequest(original, { keyId: id, signingSecret }),
      ...write(secret),
      'x-original-method': original.method,
      'x-original-url': original.url,
      'x-original-content-length': '0',
    };
    expect(codeOf(await authorize(gateway.url, headers))).toBe('VALID');
    expect(codeOf(await authorize(gateway.url, headers))).toBe('SIGNATURE_REPLAYED');
    expect(codeOf(await authorize(gateway.url, write(secret)))).toBe('SIGNATURE_REQUIRED');
  });

  it('an empty, very long or non-ASCII text there is not a key', async () => {
    expect(codeOf(await authorize(gateway.url, write('')))).toBe('MISSING');
    const { secret } = await gateway.issue();
    for (const text of [`${secret.slice(0, -1)}\u00e9`, 'k'.repeat(8000), `${secret}0`]) {
      expect(codeOf(await authorize(gateway.url, write(text)))).toBe('MALFORMED');
    }
  });
});

describe('with several places', () => {
  const gateway = sharedGateway(theProvider, { KEY_LOCATIONS: 'header:x-api-key,authorization,basic' });
  const challenge = 'ApiKey header="x-api-key", Bearer, Basic realm="API key"';

  it('two different keys are 401 AMBIGUOUS with a hint, and the same key twice passes', async () => {
    const [one, two] = [await gateway.issue(), await gateway.issue()];
    const headers = { 'x-api-key': one.secret, authorization: `Bearer ${two.secret}` };
    for (const sent of [
      headers,
      { ...headers, 'x-api-key': 'x' },
      { authorization: basic(`${one.secret}:${two.secret}`) },
    ]) {
      const { status, headers: answered, body } = await authorize(gateway.url, sent);
      expect({ status, code: answered['x-latchkey-code'], hint: answered['x-latchkey-hint'], body }).toEqual({
        status: 401,
        code: 'AMBIGUOUS',
        hint: 'The request contains two different API keys. Send only one.',
        body: '',
      });
      expect(answered['www-authenticate']).toBe(challenge);
    }
    expect(codeOf(await authorize(gateway.url, { ...headers, authorization: `Bearer ${one.secret}` }))).toBe('VALID');
  });

  it('two different keys neither show nor revoke one of them', async () => {
    const [one, two] = [await gateway.issue(), await gateway.issue()];
    const headers = { 'x-api-key': one.secret, authorization: `Bearer ${two.secret}` };
    for (const method of ['GET', 'DELETE']) {
      const { status, headers: answered, body } = await send(gateway.url, { method, path: '/v1/keys/self', headers });
      expect([status, answered['www-authenticate']]).toEqual([401, challenge]);
      expect(JSON.parse(body)).toMatchObject({
        code: 'UNAUTHENTICATED',
        detail: 'The request contains two different API keys. Send only one.',
      });
    }
    for (const key of [one, two])
      expect(codeOf(await authorize(gateway.url, { 'x-api-key': key.secret }))).toBe('VALID');
  });

  it('a missing key is told every place, in their order', async () => {
    expect((await authorize(gateway.url, {})).headers['www-authenticate']).toBe(challenge);
    expect((await authorize(gateway.url, { 'x-api-key': 'no-key' })).headers['www-authenticate']).toBe(challenge);
    const { body } = await send(gateway.url, { path: '/v1/keys/self' });
    expect(JSON.parse(body).detail).toBe(
      'A key of this service is needed: x-api-key: <key> or Authorization: Bearer <key> or Authorization: Basic with the key as user name or password.',
    );
  });

  it('a missing scope is named with the scheme of the first place', async () => {
    const { secret } = await gateway.issue();
    const { status, headers } = await authorize(gateway.url, { 'x-api-key': secret }, '/v1/authorize?scope=a&scope=b');
    expect([status, headers['www-authenticate']]).toEqual([
      403,
      'ApiKey header="x-api-key", error="insufficient_scope", scope="a b"',
    ]);
  });
});

describe('with a header of its own', () => {
  const gateway = sharedGateway(theProvider, { KEY_LOCATIONS: 'header:x-api-key' });
  const raw = (...lines: string[]) =>
    exchangeBytes(
      gateway.url,
      `GET /v1/authorize HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join('\r\n')}\r\n\r\n`,
    );

  it('the header is rejected if it is repeated or spelled in another way, which the API could read', async () => {
    const [one, two] = [await gateway.issue(), await gateway.issue()];
    for (const lines of [
      [`X-API-Key: ${one.secret}`, `x-api-key: ${two.secret}`],
      [`X-API-Key: ${one.secret}`, `X-API-Key: ${one.secret}`],
      [`X-API-Key: ${one.secret}`, `X_API_Key: ${two.secret}`],
      [`X-API_Key: ${two.secret}`],
    ]) {
      const received = await raw(...lines);
      expect(received).toMatch(/^HTTP\/1\.1 400 /);
      expect(received).toContain('"field":"x-api-key"');
      for (const { secret } of [one, two]) expect(received).not.toContain(secret);
    }
    expect(await raw(`X-API-Key: ${one.secret}`, 'X-API: x', 'X-API-Keys: x')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('Authorization belongs to the application: its session token, or the key of another client, changes nothing', async () => {
    const [one, two] = [await gateway.issue(), await gateway.issue()];
    for (const authorization of ['Bearer a.session.token', basic('a:b'), `Bearer ${two.secret}`]) {
      const { headers } = await authorize(gateway.url, { 'x-api-key': one.secret, authorization });
      expect(headers['x-latchkey-key-id']).toBe(one.id);
      expect(codeOf(await authorize(gateway.url, { authorization }))).toBe('MISSING');
    }
  });

  it('verifiers and their tokens stay where they are', async () => {
    const { secret } = await gateway.issue();
    const body = JSON.stringify({ key: secret });
    const headers = { 'content-type': 'application/json' };
    const verified = await send(gateway.url, { method: 'POST', path: '/v1/verify', headers, body });
    expect(JSON.parse(verified.body).code).toBe('VALID');
  });
});

describe('an edge', () => {
  const gateway = sharedGateway(theProvider);
  let edge: Edge;
  let url: string;
  beforeAll(async () => {
    const configuration = readEdgeConfiguration({ KEY_LOCATIONS: 'header:x-api-key' }, { upstream: [gateway.url] });
    edge = await composeEdge(configuration, () => undefined);
    url = await listen(edge.gateway);
  });
  afterAll(async () => {
    await stopListening(edge.gateway);
    await edge.close();
  });

  it('has places of its own, and rejects a key there from the next request on after it is revoked', async () => {
    const { id, secret } = await gateway.issue();
    expect(codeOf(await authorize(url, { 'x-api-key': secret }))).toBe('VALID');
    expect(codeOf(await authorize(url, { authorization: `Bearer ${secret}` }))).toBe('MISSING');
    await gateway.revoke(id);
    expect(codeOf(await authorize(url, { 'x-api-key': secret }))).toBe('REVOKED');
  });
});
