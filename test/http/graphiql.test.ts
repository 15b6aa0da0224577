// SECURITY.md: Text in the dashboard or on a terminal, such as the name of a key
/** GraphiQL is for browsers, where it is switched on. What it does in one is in `test/browser`. */
import { expect, it } from 'vitest';
import { send } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { startService } from '../support/service.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const running = inTests(() => startService('sqlite'));

it('a browser that opens /graphql gets the page, with a policy that permits nothing from other origins', async () => {
  const { status, headers, body } = await send(running.url, { path: '/graphql', headers: { accept: browser } });
  expect([status, headers['content-type'], headers.vary]).toEqual([200, 'text/html; charset=utf-8', 'Accept']);
  const policy = String(headers['content-security-policy']);
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
  expect(body).toContain(`content="${nonce}"`);
  expect(policy.replace(nonce, '')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-'; img-src 'self' data:; connect-src 'self'; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
});

it.each([
  ['GET', '*/*'],
  ['GET', 'application/json, text/html;q=0.9'],
  ['GET', 'application/graphql-response+json, text/html;q=0.9'],
  ['POST', browser],
])('%s with Accept: %s is for GraphQL', async (method, accept) => {
  const { status, headers } = await send(running.url, { method, path: '/graphql', headers: { accept } });
  expect(status).toBe(401);
  expect(headers['content-type']).toContain('json');
});

it('if it is switched off, there is no page under any name', async () => {
  const off = await startService('sqlite', { NODE_ENV: 'production' });
  expect((await send(off.url, { path: '/graphql', headers: { accept: browser } })).status).toBe(401);
  expect((await send(off.url, { path: '/graphiql.html', headers: { accept: browser } })).status).toBe(404);
  await off.stop();
});
