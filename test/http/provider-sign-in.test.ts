/** Sign-in at an identity provider, against oidc-provider. Latchkey is behind a proxy that ends TLS. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { Browser, navigation, signInAtProvider } from '../support/browser.ts';
import { theProvider } from '../support/databases.ts';
import { TestProvider } from '../support/identity-provider.ts';
import { inTests } from '../support/in-tests.ts';
import { both, startService } from '../support/service.ts';

const publicUrl = 'https://latchkey.example.test';
const team = randomUUID();
const provider = inTests(() => TestProvider.start({ publicUrl }));
const running = inTests(() => startService(theProvider, provider.environment));
const viewer = { query: '{ viewer { subject teams { id permissions } } }' };

beforeEach(() => {
  const initial = { subject: 'alice', teams: { [team]: both }, tamper: null, isDown: false, latchkeyUrl: running.url };
  Object.assign(provider.behavior, initial);
});

const newBrowser = () => new Browser(running.url, publicUrl);

async function signIn(browser = newBrowser(), returnTo = '/') {
  const atProvider = new Browser(provider.issuer);
  const callback = await signInAtProvider(browser, atProvider, returnTo);
  const answer = await openCallback(browser, callback);
  return { browser, atProvider, callback, answer, location: answer.headers.get('location') };
}

async function openCallback(browser: Browser, { pathname, search }: URL) {
  return await browser.send('GET', pathname + search, { headers: { ...navigation, 'sec-fetch-site': 'cross-site' } });
}

it('signs in with PKCE, state and nonce, and returns to the page of the dashboard', async () => {
  const returnTo = `/teams/${team}/keys?search=a b`;
  const { browser, answer, location } = await signIn(newBrowser(), returnTo);
  expect([answer.status, location]).toEqual([303, `/#/teams/${team}/keys?search=a%20b`]);
  expect([...browser.cookies.keys()]).toEqual(['__Host-latchkey-session']);
  const set = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('__Host-latchkey-session='));
  expect(set).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  const { body } = await browser.send('POST', '/graphql', { body: viewer });
  expect(body.data.viewer).toEqual({ subject: 'alice', teams: [{ id: team, permissions: both }] });
});
