// SECURITY.md: The cookie of a session
/** What a session at an identity provider becomes: renewed, changed and ended there, and signed out. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { Browser, signInWith } from '../support/browser.ts';
import { theProvider } from '../support/databases.ts';
import { TestProvider } from '../support/identity-provider.ts';
import { inTests } from '../support/in-tests.ts';
import { both, type RunningService, serviceOn, startService } from '../support/service.ts';
import { changeSession } from '../support/session-cookie.ts';

const publicUrl = 'https://latchkey.example.test';
const team = randomUUID();
const viewer = { query: '{ viewer { subject teams { permissions } } }' };
const minutes = 60_000;

describe.each([
  ['refresh tokens and ID tokens', { issuesRefreshTokens: true, teamsInIdToken: true }],
  ['refresh tokens and userinfo', { issuesRefreshTokens: true, teamsInIdToken: false }],
  ['access tokens and userinfo', { issuesRefreshTokens: false, teamsInIdToken: true }],
])('with %s', (_, settings) => {
  const { provider, running, signIn } = withProvider(settings);

  it('permissions that the provider changed are in force after the renewal, and needed after 15 minutes', async () => {
    const { browser } = await signIn();
    const before = await changeSession(running, browser, () => ({}));
    expect(before.usableUntil.getTime()).toBeLessThanOrEqual(Date.now() + 15 * minutes);
    provider.behavior.teams = { [team]: ['view_team'] };
    expect(await permissionsOf(browser)).toEqual([both]);
    await changeSession(running, browser, () => ({ usableUntil: new Date() }));
    expect(await statusOf(browser)).toBe(401);
    const renewed = await browser.send('POST', '/session/renew');
    expect(renewed).toMatchObject({
      status: 200,
      body: { subject: provider.behavior.subject, endsAt: before.endsAt.toISOString() },
    });
    expect(renewed.headers.get('latchkey-session')).toBe(before.id);
    expect(await permissionsOf(browser)).toEqual([['view_team']]);
    provider.behavior.teams = {};
    expect((await browser.send('POST', '/session/renew')).status).toBe(200);
    expect(await permissionsOf(browser)).toEqual([]);
  });

  it('a session whose user the provider no longer names teams for ends everywhere', async () => {
    const { browser } = await signIn();
    const copy = copyOf(browser, running);
    provider.behavior.teams = undefined;
    // Without a new ID token, userinfo may never have had them: known permissions are relied on for 15 minutes.
    if (!settings.issuesRefreshTokens) await changeSession(running, browser, () => ({ usableUntil: new Date() }));
    expect((await browser.send('POST', '/session/renew')).status).toBe(401);
    expect(browser.cookies.size).toBe(0);
    expect(await statusOf(copy)).toBe(401);
  });
});

describe('with a provider that sends no ID token when a session is renewed', () => {
  const { provider, running, signIn } = withProvider({});
  const withoutIdToken = ({ id_token: _, ...body }: Readonly<Record<string, unknown>>) => body;

  it('userinfo is asked with the new access token', async () => {
    const { browser } = await signIn();
    let accessToken: unknown;
    provider.behavior.answer = (path, body) => {
      if (path !== '/token') return body;
      accessToken = body.access_token;
      return withoutIdToken(body);
    };
    provider.behavior.teams = { [team]: ['view_team'] };
    expect((await browser.send('POST', '/session/renew')).status).toBe(200);
    expect(await permissionsOf(browser)).toEqual([['view_team']]);
    expect(accessToken).toEqual(expect.any(String));
    expect(provider.authorizations.at(-1)).toBe(`Bearer ${accessToken}`);
  });

  it.each<[string, (path: string, body: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>]>([
    ['has no teams', (path, body) => (path === '/token' ? withoutIdToken(body) : { sub: body.sub })],
    ['rejects the token', (path, body) => (path === '/token' ? { ...withoutIdToken(body), access_token: 'x' } : body)],
  ])('and whose userinfo %s, the session lasts 15 minutes and ends with that reason', async (_, answer) => {
    const { browser } = await signIn();
    const before = await changeSession(running, browser, () => ({}));
    provider.behavior.answer = answer;
    // The refresh tokens are replaced each time, and each is used once.
    for (let i = 0; i < 2; i += 1) expect((await browser.send('POST', '/session/renew')).status).toBe(200);
    const after = await changeSession(running, browser, () => ({}));
    expect([after.usableUntil, after.id]).toEqual([before.usableUntil, before.id]);
    expect(await permissionsOf(browser)).toEqual([both]);
    await changeSession(running, browser, () => ({ usableUntil: new Date() }));
    const copy = copyOf(browser, running);
    expect(await browser.send('POST', '/session/renew')).toMatchObject({
      status: 401,
      body: {
        reason: 'SESSION_UNCONFIRMED',
        detail: 'The identity provider does not say again which teams you have, so a session lasts 15 minutes.',
      },
    });
    expect(browser.cookies.size).toBe(0);
    expect((await copy.send('POST', '/session/renew')).status).toBe(401);
  });
});

describe('with a provider that offers everything', () => {
  const { provider, running, signIn } = withProvider({});

  it('two tabs and a browser that missed the answer renew with the same refresh token', async () => {
    const { browser } = await signIn();
    const before = copyOf(browser, running);
    const answers = await Promise.all([1, 2].map(() => browser.send('POST', '/session/renew')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await before.send('POST', '/session/renew')).status).toBe(200);
    expect((await browser.send('POST', '/session/renew')).status).toBe(200);
  });

  it('no management call waits for the provider, and a renewal while it is down can be repeated', async () => {
    const { browser } = await signIn();
    const asked = provider.requests.length;
    expect(await statusOf(browser)).toBe(200);
    expect(provider.requests.length).toBe(asked);
    provider.behavior.isDown = true;
    const answer = await browser.send('POST', '/session/renew');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await statusOf(browser)).toBe(200);
    provider.behavior.isDown = false;
    expect((await browser.send('POST', '/session/renew')).status).toBe(200);
  });

  it('permissions are relied on for 15 minutes from when they were read, also if the answer was remembered', async () => {
    const { browser } = await signIn();
    const before = copyOf(browser, running);
    await browser.send('POST', '/session/renew');
    await before.send('POST', '/session/renew');
    const [first, second] = await Promise.all([browser, before].map((one) => changeSession(running, one, () => ({}))));
    expect(second?.usableUntil).toEqual(first?.usableUntil);
  });

  it('an instance with a wrong secret of the client ends no session', async () => {
    const { browser } = await signIn();
    const wrong = await serviceOn(running.database, { ...provider.environment, OIDC_CLIENT_SECRET: 'wrong' });
    try {
      browser.url = wrong.url;
      expect((await browser.send('POST', '/session/renew')).status).toBe(503);
      browser.url = running.url;
      expect((await browser.send('POST', '/session/renew')).status).toBe(200);
    } finally {
      await wrong.stop();
    }
  });

  it('an ID token under a key that is not known yet, after a rotation, ends no session', async () => {
    const { browser } = await signIn();
    provider.behavior.tamper = () => ({ kid: 'new' });
    expect((await browser.send('POST', '/session/renew')).status).toBe(503);
    expect(await statusOf(browser)).toBe(200);
  });

  it('a renewal during the sign-out gives the browser no cookie again', async () => {
    const { browser } = await signIn();
    const copy = copyOf(browser, running);
    let release = (): void => undefined;
    provider.behavior.delay = new Promise((resolve) => {
      release = resolve;
    });
    const asked = provider.requests.length;
    const renewal = copy.send('POST', '/session/renew');
    await expect.poll(() => provider.requests.slice(asked)).toContain('/token');
    expect((await browser.send('DELETE', '/session')).status).toBe(200);
    release();
    const answer = await renewal;
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []]);
  });

  it('no renewal extends a session beyond its end', async () => {
    const { browser } = await signIn();
    const endsAt = new Date(Date.now() + 2 * minutes);
    await changeSession(running, browser, () => ({ endsAt }));
    expect((await browser.send('POST', '/session/renew')).status).toBe(200);
    expect((await changeSession(running, browser, () => ({}))).usableUntil <= endsAt).toBe(true);
    await changeSession(running, browser, () => ({ endsAt: new Date(), usableUntil: new Date(Date.now() + minutes) }));
    expect(await statusOf(browser)).toBe(401);
    expect((await browser.send('POST', '/session/renew')).status).toBe(401);
  });

  it('sign-out ends the session and its tokens, and leads to the page of the provider that ends its own', async () => {
    const { browser, atProvider } = await signIn();
    const copy = copyOf(browser, running);
    const { status, body } = await browser.send('DELETE', '/session');
    const url = new URL(body.signOutUrl);
    expect([status, url.origin, url.searchParams.get('post_logout_redirect_uri')]).toEqual([
      200,
      provider.issuer,
      `${publicUrl}/`,
    ]);
    expect(url.searchParams.get('id_token_hint')).toMatch(/^eyJ/);
    expect((await atProvider.send('GET', url.href)).status).toBe(200);
    expect([await statusOf(copy), (await copy.send('POST', '/session/renew')).status]).toEqual([401, 401]);
    await expect.poll(() => provider.requests).toContain('/token/revocation');
  });

  it('sign-out works while the provider is down', async () => {
    const { browser } = await signIn();
    provider.behavior.isDown = true;
    expect((await browser.send('DELETE', '/session')).status).toBe(200);
    expect(browser.cookies.size).toBe(0);
  });

  it('a sign-out on the page of the provider ends the session here', async () => {
    const { browser, atProvider } = await signIn();
    const page = await atProvider.send('GET', `${provider.issuer}/session/end`);
    const [, xsrf = ''] = /name="xsrf" value="(\w+)"/.exec(page.body) ?? [];
    const confirmed = await fetch(`${provider.issuer}/session/end/confirm`, {
      method: 'POST',
      headers: { cookie: atProvider.cookieHeader },
      body: new URLSearchParams({ xsrf, logout: 'yes' }),
      redirect: 'manual',
    });
    expect(confirmed.status).toBe(303);
    await expect.poll(() => statusOf(browser)).toBe(401);
    expect((await browser.send('POST', '/session/renew')).status).toBe(401);
  });

  it('a logout token ends the sessions that it names, and no others', async () => {
    const [one, other] = [await signIn(), await signIn()];
    const { provider: started } = await changeSession(running, one.browser, () => ({}));
    expect(started?.sessionId).toEqual(expect.any(String));
    expect(await logOut(await provider.logoutToken({ sid: started?.sessionId, sub: provider.behavior.subject }))).toBe(
      200,
    );
    expect([await statusOf(one.browser), await statusOf(other.browser)]).toEqual([401, 200]);
    expect(await logOut(await provider.logoutToken({ sub: 'bob' }))).toBe(200);
    expect(await statusOf(other.browser)).toBe(200);
    const everywhere = await provider.logoutToken({ sub: provider.behavior.subject });
    expect(await logOut(everywhere)).toBe(200);
    expect(await statusOf(other.browser)).toBe(401);
  });

  it('a logout token of a subject ends no later session, also if it is sent again', async () => {
    const token = await provider.logoutToken({
      sub: provider.behavior.subject,
      iat: Math.floor(Date.now() / 1000) - 3,
    });
    const { browser } = await signIn();
    expect(await logOut(token)).toBe(200);
    expect(await logOut(token)).toBe(200);
    expect(await statusOf(browser)).toBe(200);
  });

  it('rejects what is not a logout token of this provider for this client', async () => {
    const { browser } = await signIn();
    const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const sub = provider.behavior.subject;
    const tokens = [
      '',
      'x',
      await provider.logoutToken({ sub }, { key }),
      await provider.logoutToken({ sub, aud: 'another' }),
      await provider.logoutToken({ sub, iss: 'https://another.example.test' }),
      await provider.logoutToken({ sub, nonce: 'x' }),
      await provider.logoutToken({ sub, events: {} }),
      await provider.logoutToken({ sub, iat: undefined }),
      await provider.logoutToken({ sub, iat: Math.floor(Date.now() / 1000) - 3610 }),
      await provider.logoutToken({ sub, jti: undefined }),
      await provider.logoutToken({ sub, jti: '' }),
      await provider.logoutToken({ sub, exp: Math.floor(Date.now() / 1000) - 10 }),
      await provider.logoutToken({}),
    ];
    for (const token of tokens) expect([token, await logOut(token)]).toEqual([token, 400]);
    expect(await statusOf(browser)).toBe(200);
  });

  async function logOut(token: string): Promise<number> {
    const body = new URLSearchParams({ logout_token: token });
    return (await fetch(`${running.url}/session/back-channel-logout`, { method: 'POST', body })).status;
  }
});

function withProvider(settings: { readonly issuesRefreshTokens?: boolean; readonly teamsInIdToken?: boolean }) {
  const provider = inTests(() => TestProvider.start({ publicUrl, ...settings }));
  const running = inTests(() => startService(theProvider, provider.environment));
  beforeEach(() => {
    Object.assign(provider.behavior, {
      // A logout in one test must not be about the user of another.
      subject: `user ${randomUUID()}`,
      teams: { [team]: both },
      isDown: false,
      delay: null,
      tamper: null,
      answer: null,
      latchkeyUrl: running.url,
    });
  });
  const signIn = async () => {
    const atProvider = new Browser(provider.issuer);
    const { browser, location } = await signInWith(new Browser(running.url, publicUrl), atProvider);
    expect(location).toBe('/#/');
    return { browser, atProvider };
  };
  return { provider, running, signIn };
}

/** A thief's browser. */
function copyOf(browser: Browser, { url }: Pick<RunningService, 'url'>): Browser {
  const copy = new Browser(url, publicUrl);
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  return copy;
}

async function statusOf(browser: Browser): Promise<number> {
  return (await browser.send('POST', '/graphql', { body: viewer })).status;
}

async function permissionsOf(browser: Browser) {
  const { body } = await browser.send('POST', '/graphql', { body: viewer });
  return body.data.viewer.teams.map(({ permissions }: { readonly permissions: unknown }) => permissions);
}
