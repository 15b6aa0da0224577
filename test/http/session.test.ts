/** Sessions of browsers that begin with a session token. */
import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { theProvider } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { both, sessionToken, startService } from '../support/service.ts';

const running = inTests(() => startService(theProvider));

const team = randomUUID();
const token = sessionToken({ [team]: both }, 'alice');
const viewer = { query: '{ viewer { subject } }' };

async function signedIn(url = running.url, origin = url, withToken = token): Promise<Browser> {
  const browser = new Browser(url, origin);
  const answer = await browser.send('POST', '/session', { body: { token: withToken } });
  expect(answer.status).toBe(200);
  return browser;
}

it('a session token is exchanged for a cookie that scripts cannot read, and both APIs accept it', async () => {
  const browser = new Browser(running.url);
  const answer = await browser.send('POST', '/session', { body: { token } });
  expect(answer).toMatchObject({ status: 200, body: { subject: 'alice', endsAt: expect.any(String) } });
  const port = new URL(running.url).port;
  const [cookie] = answer.headers.getSetCookie();
  expect(cookie).toMatch(new RegExp(`^latchkey-session-${port}=1\\.[\\w.-]+; Path=/; HttpOnly; SameSite=Lax$`));
  const { exp = 0 } = jwt.decode(token) as jwt.JwtPayload;
  expect(answer.body.endsAt).toBe(new Date(exp * 1000).toISOString());
  const graphql = await browser.send('POST', '/graphql', { body: viewer });
  expect(graphql.body).toEqual({ data: { viewer: { subject: 'alice' } } });
  expect(graphql.headers.get('latchkey-session')).toBe(answer.headers.get('latchkey-session'));
  expect(await browser.send('GET', `/v1/keys?teamId=${team}`)).toMatchObject({ status: 200, body: [] });
});

it('rejects what is not a session token, with the reason, and sets no cookie', async () => {
  const browser = new Browser(running.url);
  for (const [body, status] of [
    [{ token: 'x' }, 401],
    [{ token: `${token}x` }, 401],
    [{ token: sessionToken({}, '') }, 401],
    [{}, 400],
    ['x', 400],
    [undefined, 400],
  ] as const) {
    const answer = await browser.send('POST', '/session', { body });
    expect([body, answer.status]).toEqual([body, status]);
    expect(answer.headers.getSetCookie()).toEqual([]);
  }
});

it('DELETE ends the session for every copy of its cookie', async () => {
  const browser = await signedIn();
  const copy = new Map(browser.cookies);
  expect(await browser.send('DELETE', '/session')).toMatchObject({ status: 200, body: { signOutUrl: null } });
  expect(browser.cookies.size).toBe(0);
  for (const [name, value] of copy) browser.cookies.set(name, value);
  for (const [method, path] of [
    ['POST', '/graphql'],
    ['POST', '/session/renew'],
    ['GET', `/v1/keys?teamId=${team}`],
  ] as const) {
    const answer = await browser.send(method, path, method === 'POST' ? { body: viewer } : {});
    expect([path, answer.status]).toEqual([path, 401]);
  }
});
