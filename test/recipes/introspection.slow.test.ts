/** APIs whose gateway or framework verifies keys by token introspection, as docs/tasks/gateways.md configures it. */
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import { sectionOf, tableRows } from '../support/documents.ts';
import { listen, send, sendOverHttp2, sharedGateway, stopListening } from '../support/gateway.ts';
import { documented, introspectionClients } from './introspection-clients.ts';
import { forgedIn, spoofedHeaders } from './spoofed-headers.ts';

for (const { title, missing } of introspectionClients) {
  if (missing !== null) console.warn(`"${title}" is not run: Debian has it in ${missing}`);
}

/** With characters that are encoded differently in a URL, in a form and in a header. */
const token = 'a-verifier+token/of=16&more';
const scopes = ['orders:read'];

/** The headers of the last request that reached the API; undefined if it was rejected before. */
let arrived: IncomingHttpHeaders | undefined;
const api = createServer((request, response) => {
  arrived = request.headers;
  response.end('{}');
});
let apiUrl: string;
beforeAll(async () => {
  apiUrl = await listen(api);
});
afterAll(() => stopListening(api));

describe.each(introspectionClients.map((client) => ({ ...client, client })))(
  'a client of an API as in "$title"',
  ({ client, missing, told, sendsSource, http2Status, statuses: [withoutScope, withoutVerdict], start }) => {
    const gateway = sharedGateway('sqlite', { VERIFIER_TOKENS: token });
    let running: Awaited<ReturnType<typeof start>> | undefined;
    beforeAll(async () => {
      if (missing === null) running = await start({ text: documented(client, gateway.url, apiUrl), token });
    });
    afterAll(() => running?.stop());

    async function ask(key: string | null, headers: OutgoingHttpHeaders = {}, { origin } = running ?? { origin: '' }) {
      arrived = undefined;
      const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
      const { status, body } = await send(origin, { elsewhere: true, headers: { ...authorization, ...headers } });
      if (status !== 200) expect(arrived).toBeUndefined();
      expect(body).not.toContain(token);
      return { status, body };
    }
    const statusOf = async (key: string | null, headers?: OutgoingHttpHeaders) => (await ask(key, headers)).status;

    describe.skipIf(missing !== null)('with the documented configuration', () => {
      it('passes with an active key, and the API gets its id and its subject, but neither key nor verifier token nor a header of Latchkey that the client set', async () => {
        const { id, secret } = await gateway.issue({ scopes, externalId: 'customer-1' });
        const names = (told ?? []).flatMap((name) => [name, name.replaceAll('-', '_')]);
        const { status, body } = await ask(secret, {
          ...spoofedHeaders,
          ...Object.fromEntries(names.map((name) => [name, 'forged'])),
        });
        const identity = told === null ? Object.values(JSON.parse(body)) : told.map((name) => arrived?.[name]);
        expect([status, ...identity]).toEqual([200, id, 'customer-1']);
        expect(forgedIn(arrived ?? {})).toEqual([]);
        for (const text of [secret, token, 'Basic']) expect(JSON.stringify(arrived ?? {})).not.toContain(text);
      });

      it('is rejected without a key, and with one that is unknown, or of another environment', async () => {
        const { secret } = await gateway.issue({ env: 'test', scopes });
        for (const key of [null, 'a.guess', secret]) expect(await statusOf(key)).toBe(401);
        const { secret: valid } = await gateway.issue({ scopes });
        expect(await statusOf(null, { authorization: `Basic ${valid}` })).toBe(401);
      });

      it('is rejected if the key lacks the scope', async () => {
        for (const few of [[], ['orders:write'], ['orders:readx', 'xorders:read']]) {
          expect(await statusOf((await gateway.issue({ scopes: few })).secret)).toBe(withoutScope);
        }
        expect(await statusOf((await gateway.issue({ scopes: ['a', ...scopes, 'b'] })).secret)).toBe(200);
      });

      it('passes with as many scopes as a key can have, and the longest external id', async () => {
        const many = Array.from({ length: limits.scopes - 1 }, (_, i) => `${i}`.padEnd(limits.scopeCharacters, '-'));
        const externalId = 'ü'.repeat(limits.externalIdCharacters);
        expect(await statusOf((await gateway.issue({ scopes: [...many, ...scopes], externalId })).secret)).toBe(200);
      });

      it('passes with a restricted key only from its source, and never if the source is not sent', async () => {
        const here = await gateway.issue({ scopes, allowedIps: ['127.0.0.1'] });
        const elsewhere = await gateway.issue({ scopes, allowedIps: ['203.0.113.7'] });
        const claims = { 'x-forwarded-for': '203.0.113.7', 'x-real-ip': '203.0.113.7', forwarded: 'for=203.0.113.7' };
        expect(await statusOf(here.secret, claims)).toBe(sendsSource ? 200 : 401);
        expect(await statusOf(elsewhere.secret, claims)).toBe(401);
      });

      it('is rejected if the key is in the URL or in a cookie', async () => {
        const { secret } = await gateway.issue({ scopes });
        const path = `/?access_token=${secret}&token=${secret}`;
        const headers = { cookie: `access_token=${secret}; token=${secret}` };
        const sent = await send(running?.origin ?? '', { elsewhere: true, path, headers });
        expect(sent.status).toBe(401);
      });

      it('passes over HTTP/2 with an active key or never, with and without a body', async () => {
        const origin = running?.http2Origin;
        if (origin === undefined) return;
        const { id, secret } = await gateway.issue({ scopes });
        const headers = { host: 'api.example.com', authorization: `Bearer ${secret}` };
        const over2 = async () => [
          (await sendOverHttp2(origin, { headers })).status,
          (await sendOverHttp2(origin, { method: 'POST', headers, body: 'token=x&active=true' })).status,
        ];
        expect(await over2()).toEqual([http2Status, http2Status]);
        await gateway.revoke(id);
        const rejected = http2Status === 200 ? 401 : http2Status;
        expect(await over2()).toEqual([rejected, rejected]);
      });

      it('is rejected if the key requires signatures', async () => {
        expect(await statusOf((await gateway.issueSigning({ scopes })).secret)).toBe(401);
      });

      it('is rejected from the next request on after the key is revoked, with and without exp', async () => {
        for (let i = 0; i < 10; i += 1) {
          const expiry = i % 2 === 0 ? {} : { expiresAt: new Date(Date.now() + 3_600_000) };
          const { id, secret } = await gateway.issue({ scopes, ...expiry });
          for (let j = 0; j < 3; j += 1) expect(await statusOf(secret)).toBe(200);
          await gateway.revoke(id);
          expect(await statusOf(secret)).toBe(401);
        }
      });

      if (client.title === 'Introspection in Apache httpd') {
        test('without expiry=0, mod_oauth2 accepts a revoked key, with and without exp', async () => {
          const text = documented(client, gateway.url, apiUrl).replace('&expiry=0', '');
          expect(text).not.toContain('&expiry=0');
          const caching = await start({ text, token });
          try {
            for (const expiry of [{}, { expiresAt: new Date(Date.now() + 3_600_000) }]) {
              const { id, secret } = await gateway.issue({ scopes, ...expiry });
              expect((await ask(secret, {}, caching)).status).toBe(200);
              await gateway.revoke(id);
              expect((await ask(secret, {}, caching)).status).toBe(200);
            }
          } finally {
            await caching.stop();
          }
        });
      }

      // In this order, and last: nothing works after them.
      it('passes neither while the store does not answer, nor while Latchkey is away', async () => {
        const { secret } = await gateway.issue({ scopes });
        expect(await statusOf(secret)).toBe(200);
        await gateway.running.service.close();
        expect(await statusOf(secret)).toBe(withoutVerdict);
        await stopListening(gateway.running.service.gateway);
        expect(await statusOf(secret)).toBe(withoutVerdict);
      });
    });
  },
);

test('the table of caches has each client', () => {
  const rows = tableRows(sectionOf('docs/tasks/gateways.md', 'OAuth 2.0 token introspection').prose);
  const linked = rows.map(([client = '']) => /\(#(.*)\)$/.exec(client)?.[1]);
  const anchors = introspectionClients.map(({ title }) => title.toLowerCase().replaceAll(' ', '-').replace('.', ''));
  expect(linked.sort()).toEqual(anchors.sort());
});
