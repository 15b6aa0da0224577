/** The OAuth 2.0 clients oauth4webapi and openid-client, against a verification port that requires a verifier token. */
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { describe, expect, it } from 'vitest';
import { rotateKey } from '../../src/manage/change/rotate-key.ts';
import { sharedGateway, verifyAt } from '../support/gateway.ts';

/** With characters that the two clients encode, and curl does not. */
const token = "a-verifier+token/of=16&more%!'()*~:_";
const gateway = sharedGateway('sqlite', { VERIFIER_TOKENS: token, INTROSPECTION_ISSUER: 'https://keys.example.com' });
const serverOf = (url: string) => ({ issuer: url, introspection_endpoint: `${url}/v1/introspect` });

type Introspect = (
  key: string,
  parameters?: Record<string, string>,
  secret?: string,
) => Promise<oauth.IntrospectionResponse>;

const withOauth4webapi: Introspect = async (key, additionalParameters = {}, secret = token) => {
  const [server, client] = [serverOf(gateway.url), { client_id: 'the api: 1' }];
  const options = { additionalParameters, [oauth.allowInsecureRequests]: true };
  const authentication = oauth.ClientSecretBasic(secret);
  const response = await oauth.introspectionRequest(server, client, authentication, key, options);
  return await oauth.processIntrospectionResponse(server, client, response);
};

const withOpenidClient: Introspect = async (key, parameters = {}, secret = token) => {
  const authentication = openid.ClientSecretBasic(secret);
  const configuration = new openid.Configuration(serverOf(gateway.url), 'the api: 1', {}, authentication);
  openid.allowInsecureRequests(configuration);
  return await openid.tokenIntrospection(configuration, key, parameters);
};

describe.each([
  ['oauth4webapi', withOauth4webapi],
  ['openid-client', withOpenidClient],
])('%s', (_, introspect) => {
  it('reads an active key', async () => {
    const { id, secret } = await gateway.issue({ scopes: ['a', 'b'], externalId: 'customer-1' });
    const { latchkey, ...claims } = await introspect(secret, { token_type_hint: 'access_token' });
    expect(claims).toEqual({
      active: true,
      scope: 'a b',
      client_id: id,
      iat: expect.any(Number),
      sub: 'customer-1',
      iss: 'https://keys.example.com',
      token_type: 'Bearer',
    });
    const { valid: _valid, code: _code, ...described } = (await verifyAt(gateway.url, { key: secret }, token)).body;
    expect(latchkey).toEqual(described);
  });

  it('reads a revoked key as inactive at the next request, whatever its exp is', async () => {
    for (const expiry of [{}, { expiresAt: new Date(Date.now() + 3_600_000) }]) {
      const { id, secret } = await gateway.issue(expiry);
      for (let i = 0; i < 3; i += 1) expect((await introspect(secret)).active).toBe(true);
      await gateway.revoke(id);
      expect(await introspect(secret)).toEqual({ active: false });
    }
  });

  it('reads a replaced secret as inactive', async () => {
    const { id, secret } = await gateway.issue();
    expect((await introspect(secret)).active).toBe(true);
    await rotateKey(gateway.management, gateway.caller(), id);
    expect(await introspect(secret)).toEqual({ active: false });
  });

  it('sends the source, the environment and the scopes as extension parameters', async () => {
    const { secret } = await gateway.issue({ allowedIps: ['192.0.2.0/24'], scopes: ['a'] });
    const good = { source_ip: '192.0.2.1', env: 'live', scope: 'a' };
    expect((await introspect(secret, good)).active).toBe(true);
    for (const change of [{ source_ip: '203.0.113.1' }, { env: 'test' }, { scope: 'a b' }]) {
      expect(await introspect(secret, { ...good, ...change })).toEqual({ active: false });
    }
    const { source_ip: _source, ...unproven } = good;
    expect(await introspect(secret, unproven)).toEqual({ active: false });
  });

  it('understands the errors: another client secret, and an invalid parameter', async () => {
    const { secret } = await gateway.issue();
    const rejected = introspect(secret, {}, 'another-token-of-16');
    await expect(rejected).rejects.toMatchObject({
      status: 401,
      cause: [{ scheme: 'bearer' }, { scheme: 'basic', parameters: { realm: 'Latchkey', charset: 'UTF-8' } }],
    });
    await expect(introspect(secret, { env: 'prod' })).rejects.toMatchObject({ status: 400, error: 'invalid_request' });
  });
});
