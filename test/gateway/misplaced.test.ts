/** A call at the wrong port and a session token instead of a key: the answer says what it is. */
import { describe, expect, it } from 'vitest';
import { explainVerification } from '../../src/manage/read/explain-verification.ts';
import { sharedGateway, verifyAt } from '../support/gateway.ts';
import { both, rest, sessionToken } from '../support/service.ts';

const gateway = sharedGateway('sqlite');

describe('a path of the other port', () => {
  it.each([
    ['POST', '/graphql'],
    ['GET', '/v1/keys?teamId=6f1c1d0e-3b1f-4b60-9a43-0a5c8a2f7b11'],
    ['PATCH', '/v1/keys/6f1c1d0e-3b1f-4b60-9a43-0a5c8a2f7b11'],
    ['GET', '/openapi.json'],
    ['GET', '/'],
  ] as const)('on the verification port, %s %s is answered with the port that is meant', async (method, path) => {
    const { status, body } = await rest(gateway.url, null, method, path);
    const detail = 'This is the verification port (VERIFY_PORT). The path is on the management port (PORT).';
    expect([status, body.code, body.detail]).toEqual([404, 'NOT_FOUND', detail]);
  });

  it.each([
    ['POST', '/v1/verify'],
    ['POST', '/v1/derive'],
    ['GET', '/v1/authorize?env=live'],
    ['DELETE', '/v1/keys/self'],
    ['POST', '/v1/feed'],
    ['POST', '/v1/feed/stream'],
    ['POST', '/v1/feed/reports'],
  ] as const)('on the management port, %s %s is answered with the port that is meant', async (method, path) => {
    for (const token of [null, (await gateway.issue()).secret]) {
      const { status, body } = await rest(gateway.running.url, token, method, path);
      const detail = 'This is the management port (PORT). The path is on the verification port (VERIFY_PORT).';
      expect([status, body.code, body.detail]).toEqual([404, 'NOT_FOUND', detail]);
    }
  });

  it('does not mention a port if neither port has the path', async () => {
    for (const url of [gateway.url, gateway.running.url]) {
      expect((await rest(url, null, 'GET', '/elsewhere')).body.detail).toBe('There is nothing at this path.');
    }
    // A path of this port, but with a query.
    const { status, body } = await rest(gateway.url, null, 'GET', '/v1/keys/self?x=1');
    expect([status, body.detail]).toEqual([404, 'There is nothing at this path.']);
  });
});

describe('a session token instead of a key', () => {
  const hint = 'This is a session token, for the management port, and not a key. Present the secret of a key.';
  const nothing = ['keyId', 'teamId', 'name', 'env', 'prefix', 'expiresAt', 'secret', 'externalId', 'metadata'];
  const noKey = { ...Object.fromEntries(nothing.map((field) => [field, null])), scopes: [] };

  it('gets the verdict MALFORMED with the fields of every verdict, and the header says what it is', async () => {
    for (const teams of [1, 40]) {
      const names = Array.from({ length: teams }, (_, i) => `6f1c1d0e-3b1f-4b60-9a43-0a5c8a2f7b${10 + i}`);
      const key = sessionToken(Object.fromEntries(names.map((name) => [name, both])));
      const { headers, body } = await verifyAt(gateway.url, { key });
      expect(headers.get('x-latchkey-hint')).toBe(hint);
      expect(body).toEqual({ valid: false, code: 'MALFORMED', ...noKey });
      const authorization = `Bearer ${key}`;
      const authorized = await fetch(`${gateway.url}/v1/authorize`, { headers: { authorization } });
      expect(authorized.status).toBe(401);
      expect(authorized.headers.get('x-latchkey-code')).toBe('MALFORMED');
      expect(authorized.headers.get('x-latchkey-hint')).toBe(hint);
    }
  });

  it('gives no hint for other text', async () => {
    const { secret } = await gateway.issue();
    for (const key of [secret, `${secret}x`, 'eyJub3QiOiJhIHRva2VuIn0', 'a.b.c']) {
      const { headers } = await verifyAt(gateway.url, { key });
      expect(headers.get('x-latchkey-hint')).toBeNull();
    }
  });

  it('is named by explainVerification', async () => {
    const { teamId, management } = gateway;
    const secret = sessionToken({ [teamId]: both });
    const { code, checks } = await explainVerification(management, gateway.caller(), { teamId, secret });
    expect(code).toBe('MALFORMED');
    expect(checks).toContainEqual({ name: 'FORM', outcome: 'FAILED', explanation: hint });
  });
});
