// SECURITY.md: Text in the dashboard or on a terminal, such as the name of a key
/** How the dashboard's files are served. What they do in a browser is in `test/browser`. */
import { expect, it, onTestFinished } from 'vitest';
import { send } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { startService } from '../support/service.ts';

const running = inTests(() => startService('sqlite'));

const nonceOf = (policy: unknown) => /'nonce-([^']+)'/.exec(String(policy))?.[1] ?? '';

it('the page needs no token, is never stored, and each answer has a nonce of its own', async () => {
  const [first, second] = [await send(running.url, { path: '/' }), await send(running.url, { path: '/index.html' })];
  for (const { status, headers, body } of [first, second]) {
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toContain(`content="${nonceOf(headers['content-security-policy'])}"`);
    expect(body).not.toContain('%LATCHKEY');
  }
  expect(nonceOf(first.headers['content-security-policy'])).toMatch(/^[\w+/]{22}==$/);
  expect(nonceOf(first.headers['content-security-policy'])).not.toBe(
    nonceOf(second.headers['content-security-policy']),
  );
});

it('its Content-Security-Policy allows nothing inline, nothing evaluated, no other origin and no frame', async () => {
  const { headers, body } = await send(running.url, { path: '/' });
  const policy = String(headers['content-security-policy']);
  expect(policy.split('; ').map((rule) => rule.replace(/nonce-[^']+/, 'nonce'))).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'nonce'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['referrer-policy']).toBe('no-referrer');
  expect(body).not.toMatch(/<script(?![^>]*\ssrc="\/)|\son\w+=|https?:\/\/(?!127\.0\.0\.1)/);
});

it.each([
  ['authorization', 'Authorization: Bearer &#60;key&#62;', '-H &#34;Authorization: Bearer $API_KEY&#34;'],
  ['header:x-api-key,basic', 'x-api-key: &#60;key&#62; or Authorization: Basic', '-H &#34;x-api-key: $API_KEY&#34;'],
  ['basic', 'Authorization: Basic with the key as user name or password', '-u &#34;$API_KEY:&#34;'],
  ['basic:password', 'Authorization: Basic with the key as password', '-u &#34;:$API_KEY&#34;'],
])('with KEY_LOCATIONS=%s, its texts and commands name these places', async (KEY_LOCATIONS, instruction, option) => {
  const service = await startService('sqlite', { KEY_LOCATIONS });
  onTestFinished(() => service.stop());
  const { body } = await send(service.url, { path: '/' });
  expect(body).toContain(`name="latchkey-key-instruction" content="${instruction}`);
  expect(body).toContain(`name="latchkey-key-locations" content="${KEY_LOCATIONS}"`);
  expect(body).toContain(`name="latchkey-key-option" content="${option}"`);
});

it('a Host header can put nothing into the page', async () => {
  const service = await startService('sqlite', {
    VERIFY_HOST: '0.0.0.0',
    VERIFIER_TOKENS: 'a-token-of-the-tests-0123456789ab',
  });
  const { body } = await send(service.url, { path: '/', headers: { host: 'x"><script>alert(1)</script>' } });
  expect(body).not.toContain('<script>alert');
  const { body: named } = await send(service.url, { path: '/', headers: { host: 'keys.example.com:4000' } });
  expect(named).toContain('content="http://keys.example.com:');
  await service.stop();
});

it('its files are served compressed', async () => {
  const { body } = await send(running.url, { path: '/' });
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(body)?.[1] ?? '';
  const response = await fetch(running.url + script, { headers: { 'accept-encoding': 'br' } });
  expect([response.status, response.headers.get('content-encoding')]).toEqual([200, 'br']);
});

it.each(['/', '/index.html', '/openapi', '/openapi.json', '/healthz', '/readyz'])(
  'only GET and HEAD are possible at %s',
  async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status, headers, body } = await send(running.url, { method, path });
      expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
      expect(JSON.parse(body)).toMatchObject({ code: 'METHOD_NOT_ALLOWED', requestId: headers['x-request-id'] });
    }
    expect((await send(running.url, { method: 'HEAD', path })).status).toBe(200);
  },
);
