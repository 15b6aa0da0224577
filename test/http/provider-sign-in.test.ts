// SECURITY.md: Forged session tokens; A website that a signed-in user visits; Bytes from outside
/** Sign-in at an identity provider, against oidc-provider. Latchkey is behind a proxy that ends TLS. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { SignInSeal } from '../../src/auth/oidc/sign-in-seal.ts';
import { Browser, navigation, openCallback, signInAtProvider, signInWith } from '../support/browser.ts';
import { theProvider } from '../support/databases.ts';
import { clientId, TestProvider } from '../support/identity-provider.ts';
import { inTests } from '../support/in-tests.ts';
import { both, startService } from '../support/service.ts';
import { cookieKeys } from '../support/session-cookie.ts';

const publicUrl = 'https://latchkey.example.test';
const team = randomUUID();
const provider = inTests(() => TestProvider.start({ publicUrl }));
const running = inTests(() => startService(theProvider, provider.environment));
const viewer = { query: '{ viewer { subject teams { id permissions } } }' };

beforeEach(() => {
  const initial = {
    subject: 'alice',
    teams: { [team]: both },
    tamper: null,
    answer: null,
    isDown: false,
    codeSeconds: 60,
  };
  Object.assign(provider.behavior, initial);
});

const newBrowser = () => new Browser(running.url, publicUrl);
const { privateKey: otherKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const signIn = async (browser = newBrowser(), returnTo = '/') =>
  await signInWith(browser, new Browser(provider.issuer), returnTo);

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

it.each([
  ['nonce', { nonce: 'another' }],
  ['issuer', { iss: 'https://another.example.test' }],
  ['audience', { aud: 'another-client' }],
  ['authorized party beside one audience', { azp: 'another-client' }],
  ['authorized party', { aud: [clientId, 'another-client'], azp: 'another-client' }],
  ['expiry in the past', { exp: seconds() - 10 }],
  ['issue time in the future', { iat: seconds() + 60, exp: seconds() + 120 }],
  ['subject that is empty', { sub: '' }],
])('rejects an ID token with a wrong %s', async (_, changed) => {
  provider.behavior.tamper = (claims) => ({ claims: { ...claims, ...changed } });
  await expectFailure(await signIn(), 'rejected');
});

it('accepts the ID token of a provider whose clock differs by up to 5 seconds', async () => {
  for (const skew of [-4, 4]) {
    const [iat, exp] = [seconds() + skew, seconds() + skew];
    provider.behavior.tamper = (claims) => ({ claims: { ...claims, iat, exp: Math.max(exp, seconds() - 3) } });
    expect((await signIn()).location).toBe('/#/');
  }
});

it('rejects an ID token that another key signed, also under the id of the right one', async () => {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  provider.behavior.tamper = () => ({ key });
  await expectFailure(await signIn(), 'rejected');
  provider.behavior.tamper = () => ({ key, kid: 'another' });
  await expectFailure(await signIn(), 'rejected');
});

it('rejects a callback with another state, without the cookie of its browser, and a second time', async () => {
  const browser = newBrowser();
  const callback = await signInAtProvider(browser, new Browser(provider.issuer));
  const stolen = await openCallback(newBrowser(), callback);
  expect(stolen.headers.get('location')).toBe('/#/signed-out?reason=expired');
  const other = new URL(callback);
  other.searchParams.set('state', 'another');
  await expectFailure({ browser, answer: await openCallback(browser, other) }, 'expired');
  const { browser: signedIn, callback: used } = await signIn();
  const again = await openCallback(signedIn, used);
  expect(again.headers.get('location')).toBe('/#/signed-out?reason=expired');
  expect(again.headers.getSetCookie()).toEqual([]);
});

it('sign-ins in several tabs of one browser all succeed, in any order, and leave no cookie', async () => {
  const browser = newBrowser();
  const start = async () => await signInAtProvider(browser, new Browser(provider.issuer));
  const tabs = [await start(), await start(), await start()];
  for (const tab of [tabs[1], tabs[0], tabs[2]]) {
    if (tab === undefined) throw new Error('three have started');
    expect((await openCallback(browser, tab)).headers.get('location')).toBe('/#/');
  }
  expect([...browser.cookies.keys()]).toEqual(['__Host-latchkey-session']);
});

it('sign-ins that start in two tabs at the same moment, as when a browser restores them, both succeed', async () => {
  const tabs = [newBrowser(), newBrowser()];
  const callbacks = await Promise.all(tabs.map((tab) => signInAtProvider(tab, new Browser(provider.issuer))));
  const browser = newBrowser();
  for (const tab of tabs) for (const [name, value] of tab.cookies) browser.cookies.set(name, value);
  for (const callback of callbacks) {
    expect((await openCallback(browser, callback)).headers.get('location')).toBe('/#/');
  }
});

it('a browser keeps the last five sign-ins, for ten minutes, so that its cookies fit into a request', async () => {
  const browser = newBrowser();
  const callbacks: URL[] = [];
  for (let i = 0; i < 7; i += 1) callbacks.push(await signInAtProvider(browser, new Browser(provider.issuer)));
  expect(browser.cookies.size).toBe(5);
  const started = await browser.send('GET', '/session/sign-in', { headers: navigation });
  expect(started.headers.getSetCookie().filter((cookie) => cookie.includes('Max-Age=600'))).toHaveLength(1);
  const opened = await Promise.all(
    [1, 3].map(async (i) =>
      (await openCallback(browser, callbacks[i] ?? (callbacks[0] as URL))).headers.get('location'),
    ),
  );
  expect(opened).toEqual(['/#/signed-out?reason=expired', '/#/']);
});

it('the cookie of a sign-in is no session', async () => {
  const browser = newBrowser();
  await signInAtProvider(browser, new Browser(provider.issuer));
  const [value = ''] = browser.cookies.values();
  browser.cookies.set('__Host-latchkey-session', value);
  expect((await browser.send('POST', '/graphql', { body: viewer })).status).toBe(401);
});

it('does not read an answer of the provider that is much too large', async () => {
  provider.behavior.teams = { [team]: ['x'.repeat(2_000_000)] };
  await expectFailure(await signIn(), 'rejected');
});

it('rejects a sign-in that took too long, and a code that has expired', async () => {
  const browser = newBrowser();
  const callback = await signInAtProvider(browser, new Browser(provider.issuer));
  const seal = new SignInSeal(cookieKeys(running));
  const [[name, cookie] = []] = browser.cookies;
  const started = await seal.open(cookie?.replace('1.', '') ?? '');
  if (started === null) throw new Error('the sign-in has no cookie');
  browser.cookies.set(name ?? '', `1.${await seal.seal({ ...started, expiresAt: Date.now() - 1 })}`);
  await expectFailure({ browser, answer: await openCallback(browser, callback) }, 'expired');
  provider.behavior.codeSeconds = 1;
  const slow = await signInAtProvider(browser, new Browser(provider.issuer));
  const issuedBy = seconds();
  await expect.poll(seconds).toBeGreaterThan(issuedBy + 1);
  await expectFailure({ browser, answer: await openCallback(browser, slow) }, 'rejected');
});

it('rejects a code that was used, or that belongs to another sign-in', async () => {
  const browser = newBrowser();
  const callback = await signInAtProvider(browser, new Browser(provider.issuer));
  const cookies = new Map(browser.cookies);
  expect((await openCallback(browser, callback)).headers.get('location')).toBe('/#/');
  // A copy of the browser, from before the callback.
  const copy = newBrowser();
  for (const [name, value] of cookies) copy.cookies.set(name, value);
  await expectFailure({ browser: copy, answer: await openCallback(copy, callback) }, 'rejected');
  const mixed = await signInAtProvider(copy, new Browser(provider.issuer));
  mixed.searchParams.set('code', callback.searchParams.get('code') ?? '');
  await expectFailure({ browser: copy, answer: await openCallback(copy, mixed) }, 'rejected');
});

it('sends no more invented codes of one address to the provider than FAILED_TOKEN_LIMIT, and counts no good ones', async () => {
  const limited = await startService(theProvider, { ...provider.environment, FAILED_TOKEN_LIMIT: '3' });
  try {
    const open = () => new Browser(limited.url, publicUrl);
    for (let i = 0; i < 4; i += 1) expect((await signIn(open())).location).toBe('/#/');
    const browser = open();
    const callback = await signInAtProvider(browser, new Browser(provider.issuer));
    const cookies = [...browser.cookies];
    const asked = provider.requests.length;
    const invent = async (code: string) => {
      const attacker = open();
      for (const [name, value] of cookies) attacker.cookies.set(name, value);
      const invented = new URL(callback);
      invented.searchParams.set('code', code);
      return (await openCallback(attacker, invented)).headers.get('location');
    };
    // One after the other, and then at once.
    for (const code of ['first', 'second']) expect(await invent(code)).toBe('/#/signed-out?reason=rejected');
    const locations = await Promise.all(Array.from({ length: 10 }, (_, i) => invent(`invented-${i}`)));
    expect(locations.filter((location) => location === '/#/signed-out?reason=rejected')).toHaveLength(1);
    expect(locations.filter((location) => location === '/#/signed-out?reason=rate-limited')).toHaveLength(9);
    expect(provider.requests.slice(asked).filter((path) => path === '/token')).toHaveLength(3);
  } finally {
    await limited.stop();
  }
});

it('clients whose address the proxy does not tell do not lock each other out', async () => {
  const limited = await startService(theProvider, {
    ...provider.environment,
    ...{ FAILED_TOKEN_LIMIT: '3', MANAGEMENT_RATE_LIMIT: '10', TRUST_PROXY: '1' },
  });
  const forwarded = { 'x-forwarded-for': 'unknown' };
  try {
    const browser = new Browser(limited.url, publicUrl);
    const callback = await signInAtProvider(browser, new Browser(provider.issuer));
    const attacker = new Browser(limited.url, publicUrl);
    for (const [name, value] of browser.cookies) attacker.cookies.set(name, value);
    const cookies = [...attacker.cookies];
    const open = async (from: Browser, path: string) =>
      (await from.send('GET', path, { headers: { ...navigation, ...forwarded } })).headers.get('location');
    for (let i = 0; i < 60; i += 1) {
      const invented = new URL(callback);
      invented.searchParams.set('code', `invented-${i}`);
      for (const [name, value] of cookies) attacker.cookies.set(name, value);
      expect(await open(attacker, invented.pathname + invented.search)).toBe('/#/signed-out?reason=rejected');
    }
    for (let i = 0; i < 20; i += 1) {
      expect(await open(new Browser(limited.url, publicUrl), '/session/sign-in')).toMatch(provider.issuer);
      const rejected = await fetch(`${limited.url}/graphql`, {
        method: 'POST',
        headers: { ...forwarded, authorization: 'Bearer x', 'content-type': 'application/json' },
      });
      expect(rejected.status).toBe(401);
    }
    expect(await open(browser, callback.pathname + callback.search)).toBe('/#/');
  } finally {
    await limited.stop();
  }
});

it('no page of another site can use up the sign-ins of an address, and a callback without its sign-in decrypts nothing', async () => {
  const limited = await startService(theProvider, { ...provider.environment, FAILED_TOKEN_LIMIT: '3' });
  const opened = vi.spyOn(SignInSeal.prototype, 'open');
  try {
    const open = () => new Browser(limited.url, publicUrl);
    // An image of another site: the browser sends no cookie of ours (SameSite=Lax).
    for (let i = 0; i < 5; i += 1) {
      const path = new URL(`${publicUrl}/session/callback?state=x&code=${i}`);
      expect((await openCallback(open(), path)).headers.get('location')).toBe('/#/signed-out?reason=expired');
    }
    expect(opened).not.toHaveBeenCalled();
    // A link of another site: the browser sends the cookie of the sign-in that its user has started.
    const browser = open();
    const callback = await signInAtProvider(browser, new Browser(provider.issuer));
    for (let i = 0; i < 5; i += 1) await openCallback(browser, new URL(`${publicUrl}/session/callback?state=x`));
    expect((await openCallback(browser, callback)).headers.get('location')).toBe('/#/');
  } finally {
    opened.mockRestore();
    await limited.stop();
  }
});

it('begins as many sign-ins of one address as a caller may call, and counts none that a page of another site begins', async () => {
  const limited = await startService(theProvider, { ...provider.environment, MANAGEMENT_RATE_LIMIT: '3' });
  try {
    const open = async (site: string) => {
      const headers = { ...navigation, 'sec-fetch-site': site };
      const { headers: answered } = await new Browser(limited.url, publicUrl).send('GET', '/session/sign-in', {
        headers,
      });
      return answered.get('location') ?? '';
    };
    for (let i = 0; i < 5; i += 1) expect(await open('cross-site')).toBe('/#/signed-out?reason=cross-site');
    for (let i = 0; i < 3; i += 1) expect(await open('none')).toContain(provider.issuer);
    expect(await open('none')).toBe('/#/signed-out?reason=rate-limited');
  } finally {
    await limited.stop();
  }
});

it('counts no logout of the back channel that a page of another site sends, so it can lock no address out', async () => {
  const limited = await startService(theProvider, { ...provider.environment, FAILED_TOKEN_LIMIT: '1' });
  try {
    const send = async (headers: Record<string, string>) => {
      const request = { method: 'POST', headers, body: new URLSearchParams({ logout_token: 'x' }) };
      return (await fetch(`${limited.url}/session/back-channel-logout`, request)).status;
    };
    const another = 'https://another.example.test';
    for (const headers of [{ origin: another }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }]) {
      expect(await send(headers)).toBe(400);
    }
    const signedIn = await signInWith(new Browser(limited.url, publicUrl), new Browser(provider.issuer));
    expect(signedIn.location).toBe('/#/');
    expect([await send({}), await send({})]).toEqual([400, 429]);
  } finally {
    await limited.stop();
  }
});

it('does not finish a sign-in of which the browser has two cookies', async () => {
  const browser = newBrowser();
  const callback = await signInAtProvider(browser, new Browser(provider.issuer));
  const cookie = `${browser.cookieHeader}; ${browser.cookieHeader}`;
  const headers = { ...navigation, 'sec-fetch-site': 'cross-site', cookie };
  const answer = await browser.send('GET', callback.pathname + callback.search, { headers });
  await expectFailure({ browser, answer }, 'expired');
});

it('rejects the answer of another provider to this sign-in (RFC 9207)', async () => {
  const browser = newBrowser();
  const callback = await signInAtProvider(browser, new Browser(provider.issuer));
  callback.searchParams.set('iss', 'https://another.example.test');
  await expectFailure({ browser, answer: await openCallback(browser, callback) }, 'rejected');
});

it('says with a code alone that the user or the provider denied it', async () => {
  provider.behavior.subject = null;
  await expectFailure(await signIn(), 'cancelled');
});

it('does not start a sign-in for a page of another site, and returns only to paths of the dashboard', async () => {
  const headers = { ...navigation, 'sec-fetch-site': 'cross-site' };
  const linked = await newBrowser().send('GET', '/session/sign-in', { headers });
  expect([linked.headers.get('location'), linked.headers.getSetCookie()]).toEqual([
    '/#/signed-out?reason=cross-site',
    [],
  ]);
  for (const returnTo of ['https://another.example.test', 'javascript:alert(1)', '/a\r\nb', `/${'x'.repeat(500)}`]) {
    expect((await signIn(newBrowser(), returnTo)).location).toBe('/#/');
  }
  expect((await signIn(newBrowser(), '//another.example.test')).location).toBe('/#//another.example.test');
});

it('rejects a user whose teams the provider does not name, and accepts one without teams', async () => {
  provider.behavior.teams = undefined;
  await expectFailure(await signIn(), 'no-teams');
  provider.behavior.teams = ['admins'];
  await expectFailure(await signIn(), 'no-teams');
  provider.behavior.teams = {};
  const { browser } = await signIn();
  expect((await browser.send('POST', '/graphql', { body: viewer })).body.data.viewer.teams).toEqual([]);
});

describe('teams that only userinfo names', () => {
  const named = { sub: 'alice', teams: { [team]: both } };
  beforeEach(() => {
    provider.behavior.teams = undefined;
  });

  it('are accepted as JSON, or signed with a key of the provider', async () => {
    for (const answer of [named, await provider.sign(named), await provider.sign({ ...named, aud: clientId })]) {
      provider.behavior.answer = (path, body) => (path === '/me' ? answer : body);
      const { browser, location } = await signIn();
      expect(location).toBe('/#/');
      const { body } = await browser.send('POST', '/graphql', { body: viewer });
      expect(body.data.viewer.teams).toEqual([{ id: team, permissions: both }]);
    }
  });

  it.each<[string, () => Promise<string | object>]>([
    ['are signed by another key', () => provider.sign(named, { key: otherKey })],
    ['are not signed', async () => `${part({ alg: 'none' })}.${part(named)}.`],
    ['are encrypted', async () => `${part({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.a.b.c.d`],
    ['are signed for another client', () => provider.sign({ ...named, aud: 'another' })],
    ['are signed of another issuer', () => provider.sign({ ...named, iss: 'https://another.example.test' })],
    ['are those of another user', async () => ({ ...named, sub: 'bob' })],
    ['are those of another user, and signed', () => provider.sign({ ...named, sub: 'bob' })],
    ['are in no object', async () => [named]],
  ])('are rejected if they %s', async (_, answer) => {
    const sent = await answer();
    provider.behavior.answer = (path, body) => (path === '/me' ? (sent as typeof body) : body);
    await expectFailure(await signIn(), 'rejected');
  });
});

it('accepts claims that need several cookies, and rejects with a reason what does not fit', async () => {
  const teams = (count: number) => Object.fromEntries(Array.from({ length: count }, () => [randomUUID(), both]));
  provider.behavior.teams = teams(150);
  const { browser } = await signIn();
  expect(browser.cookies.size).toBeGreaterThan(1);
  const { body } = await browser.send('POST', '/graphql', { body: viewer });
  expect(body.data.viewer.teams).toHaveLength(150);
  provider.behavior.teams = teams(1);
  await browser.send('POST', '/session/renew');
  expect(browser.cookies.size).toBe(1);
  provider.behavior.teams = teams(2000);
  await expectFailure(await signIn(), 'too-large');
});

it('follows a rotation of the keys of the provider', async () => {
  await signIn();
  provider.rotateKey();
  await expect.poll(async () => (await signIn()).location).toBe('/#/');
});

it('says that the provider is down, and works again with it', async () => {
  const browser = newBrowser();
  const callback = await signInAtProvider(browser, new Browser(provider.issuer));
  provider.behavior.isDown = true;
  await expectFailure({ browser, answer: await openCallback(browser, callback) }, 'unavailable');
  provider.behavior.isDown = false;
  expect((await signIn()).location).toBe('/#/');
});

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Expects that the browser was sent to the sign-in page with a code, and has no session. */
async function expectFailure(
  { browser, answer }: Pick<Awaited<ReturnType<typeof signIn>>, 'browser' | 'answer'>,
  reason: string,
) {
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `/#/signed-out?reason=${reason}`]);
  expect([...browser.cookies.keys()].filter((name) => name.includes('session'))).toEqual([]);
}
