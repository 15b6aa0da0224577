/** An unavailable store gives UNAVAILABLE on every port, changes nothing, and is used again when it is back. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permissions } from '../../src/domain/key/permission.ts';
import { createWebhook } from '../../src/manage/webhooks/create-webhook.ts';
import { Browser } from '../support/browser.ts';
import { extAuthzClient } from '../support/ext-authz.ts';
import { type RunningGateway, startGatewayOn } from '../support/gateway.ts';
import { operations, trustedIssuer } from '../support/operations.ts';
import { type PostgresServer, query, startPostgres } from '../support/postgres.ts';
import { type Answer, callerOf, graphql, rest, sessionToken } from '../support/service.ts';
import { postgresDatabase } from '../support/temporary-database.ts';

interface Outage {
  readonly begin: (server: PostgresServer, database: string) => Promise<unknown>;
  readonly end: (server: PostgresServer, database: string) => Promise<unknown>;
}

const outages: Readonly<Record<string, Outage>> = {
  'that accepts no connections to the database': {
    begin: async ({ url }, database) => {
      await query(`${url}/postgres`, `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
      const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`;
      await query(`${url}/postgres`, end);
    },
    end: ({ url }, database) => query(`${url}/postgres`, `ALTER DATABASE ${database} ALLOW_CONNECTIONS true`),
  },
  'that was killed': { begin: (server) => server.kill('SIGKILL'), end: (server) => server.start() },
};

const unavailable = { status: 503, code: 'UNAVAILABLE', retryAfter: '1' };

/** The code of a problem document, of an OAuth error, or of an answer to a gateway or to HEAD. */
function problemOf({ status, headers, body }: Pick<Answer, 'status' | 'headers' | 'body'>) {
  const code = headers.get('x-latchkey-code') ?? body?.code;
  return { status, code, retryAfter: headers.get('retry-after') };
}

describe.each(Object.keys(outages))('with a server %s', (kind) => {
  let server: PostgresServer;
  let database: string;
  let gateway: RunningGateway;
  let token: string;
  let key: Awaited<ReturnType<RunningGateway['issueSigning']>>;
  let webhook: string;
  let browser: Browser;

  beforeAll(async () => {
    server = await startPostgres();
    const temporary = await postgresDatabase(server.url);
    database = new URL(temporary.url).pathname.slice(1);
    gateway = await startGatewayOn(temporary, { EXT_AUTHZ_PORT: '0', TRUSTED_ISSUERS: trustedIssuer });
    const { management, teamId } = gateway;
    token = sessionToken({ [teamId]: permissions });
    key = await gateway.issueSigning();
    const caller = callerOf({ [teamId]: permissions });
    webhook = (await createWebhook(management, caller, { teamId, url: 'https://example.com/' })).webhook.id;
    browser = new Browser(gateway.running.url);
    expect((await browser.send('POST', '/session', { body: { token } })).status).toBe(200);
    await outages[kind]?.begin(server, database);
  });
  afterAll(async () => {
    await gateway?.stop();
    await server?.stop();
  });

  const holder = () => ({ authorization: `Bearer ${key.secret}` });
  const port = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    rest(gateway.url, null, method, path, body, headers);
  const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString();
  const reports = () => ({
    edge: randomUUID(),
    usage: [
      {
        keyId: key.id,
        teamId: gateway.teamId,
        version: 1,
        hour,
        lastUsedAt: hour,
        counts: [{ code: 'VALID', count: 1 }],
      },
    ],
    sources: [],
    rates: [],
  });

  it.each<[string, () => Promise<Answer>]>([
    ['POST /v1/verify', () => port('POST', '/v1/verify', { key: key.secret })],
    ['POST /v1/verify with a list', () => port('POST', '/v1/verify', [{ key: key.secret }])],
    ['GET /v1/authorize', () => port('GET', '/v1/authorize', undefined, holder())],
    [
      'POST /v1/introspect',
      () =>
        port('POST', '/v1/introspect', `token=${key.secret}`, { 'content-type': 'application/x-www-form-urlencoded' }),
    ],
    ['GET /v1/keys/self', () => port('GET', '/v1/keys/self', undefined, holder())],
    ['DELETE /v1/keys/self', () => port('DELETE', '/v1/keys/self', undefined, holder())],
    [
      'POST /v1/leaks',
      () =>
        port('POST', '/v1/leaks', [{ token: key.secret, type: 'latchkey', url: 'https://example.com', source: 'ci' }]),
    ],
    ['POST /v1/feed', () => port('POST', '/v1/feed', { edge: randomUUID(), cursor: null, keys: [key.secret] })],
    ['POST /v1/feed/reports', () => port('POST', '/v1/feed/reports', reports())],
  ])('%s is answered with 503 and Retry-After at the verification port', async (_, call) => {
    expect(problemOf(await call())).toEqual(unavailable);
  });

  it('a check by Envoy over gRPC is denied with 503', async () => {
    const client = extAuthzClient(gateway.extAuthz);
    const { allowed, status, headers } = await client.check({ headers: [['authorization', holder().authorization]] });
    client.close();
    expect([allowed, status, headers['x-latchkey-code'], headers['retry-after']]).toEqual([
      false,
      503,
      'UNAVAILABLE',
      '1',
    ]);
  });

  /** Read nothing but the session token and the configuration. */
  const withoutStore = ['viewer', 'trustedIssuers', 'policyBounds'];

  it.each(operations.filter(({ name }) => !withoutStore.includes(name)))(
    '$name is UNAVAILABLE over GraphQL',
    async ({ document }) => {
      const target = {
        ...{ team: gateway.teamId, key: key.id, webhook, managementKey: key.id, trustRule: key.id },
        ...{ fence: key.id, revision: gateway.management.revisions.encode(1n) },
      };
      const { status, body } = await graphql(gateway.running.url, token, document(target));
      expect([status, body.errors?.[0].extensions.code]).toEqual([200, 'UNAVAILABLE']);
    },
  );

  it('sessions of browsers', async () => {
    for (const [method, path] of [
      ['GET', '/session'],
      ['POST', '/session/renew'],
      ['DELETE', '/session'],
      ['GET', `/v1/keys?teamId=${gateway.teamId}`],
    ] as const) {
      expect([path, problemOf(await browser.send(method, path))]).toEqual([path, unavailable]);
    }
  });

  it('both ports say that they are not ready, and alive', async () => {
    for (const url of [gateway.running.url, gateway.url]) {
      const ready = await rest(url, null, 'GET', '/readyz');
      expect([ready.status, ready.body]).toEqual([503, { status: 'store unavailable' }]);
      expect((await rest(url, null, 'GET', '/healthz')).status).toBe(200);
    }
  });

  it('everything works again when it is back, and nothing has changed', async () => {
    await outages[kind]?.end(server, database);
    const url = gateway.running.url;
    await expect.poll(async () => (await rest(url, null, 'GET', '/readyz')).status).toBe(200);
    const listed = await rest(url, token, 'GET', `/v1/keys?teamId=${gateway.teamId}`);
    expect(listed.body.map(({ id }: { id: string }) => id)).toEqual([key.id]);
    expect((await rest(gateway.url, null, 'GET', '/v1/keys/self', undefined, holder())).body).toMatchObject({
      name: 'A key',
    });
    expect((await rest(gateway.url, null, 'DELETE', '/v1/keys/self', undefined, holder())).body).toEqual({ ok: true });
  });
});
