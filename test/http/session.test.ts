// SECURITY.md: The cookie of a session; A website that a signed-in user visits; Sign-in links; Bytes from outside; Hostile tenant
/** Sessions of browsers that begin with a session token. */
import { randomBytes, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { describe, expect, it, vi } from 'vitest';
import { SessionSeal } from '../../src/auth/browser-session.ts';
import { linkType } from '../../src/auth/session-token.ts';
import { keyRing } from '../../src/domain/secret/key-ring.ts';
import { purge } from '../../src/manage/upkeep/purge.ts';
import { Browser } from '../support/browser.ts';
import { theProvider } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { exchangeBytes } from '../support/raw-exchange.ts';
import { both, jwtSecret, rest, serviceOn, sessionToken, startService } from '../support/service.ts';
import { changeSession } from '../support/session-cookie.ts';
import { runSql } from '../support/sql.ts';

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

it('a session lives as long as its token and SESSION_MAX_LIFETIME at most, and needs no renewal', async () => {
  const limited = await startService(theProvider, { SESSION_MAX_LIFETIME: '60' });
  try {
    const browser = new Browser(limited.url);
    const { body } = await browser.send('POST', '/session', { body: { token } });
    expect(Date.parse(body.endsAt)).toBeLessThanOrEqual(Date.now() + 60_000);
    expect((await browser.send('POST', '/session/renew')).body).toEqual(body);
    await changeSession(limited, browser, () => ({ endsAt: new Date() }));
    expect(await statusOf(browser)).toBe(401);
    expect((await browser.send('DELETE', '/session')).status).toBe(200);
    expect(browser.cookies.size).toBe(0);
  } finally {
    await limited.stop();
  }
});

it('every sign-in has a new session, and ends the one that it replaces', async () => {
  const browser = await signedIn();
  const before = copyOf(browser);
  const answer = await browser.send('POST', '/session', { body: { token } });
  expect(answer.headers.get('latchkey-session')).not.toBe((await changeSession(running, before, () => ({}))).id);
  expect([await statusOf(browser), await statusOf(before)]).toEqual([200, 401]);
});

it('a tab never acts as the user who signed in in another tab', async () => {
  const browser = await signedIn();
  const id = (await browser.send('POST', '/graphql', { body: viewer })).headers.get('latchkey-session');
  const headers = { 'latchkey-session': id };
  expect((await browser.send('POST', '/graphql', { body: viewer, headers })).status).toBe(200);
  await browser.send('POST', '/session', { body: { token: sessionToken({ [team]: both }, 'bob') } });
  const graphql = await browser.send('POST', '/graphql', { body: viewer, headers });
  expect([graphql.status, graphql.body.errors[0].extensions]).toMatchObject([
    401,
    { code: 'UNAUTHENTICATED', reason: 'SESSION_CHANGED' },
  ]);
  const calls = [
    ['GET', `/v1/keys?teamId=${team}`],
    ['POST', '/session/renew'],
    ['DELETE', '/session'],
  ] as const;
  for (const [method, path] of calls) {
    const { status, body } = await browser.send(method, path, { headers });
    expect([path, status, body.reason]).toEqual([path, 401, 'SESSION_CHANGED']);
  }
  expect((await browser.send('POST', '/graphql', { body: viewer })).body.data.viewer.subject).toBe('bob');
});

describe('the token of a sign-in link', () => {
  const linkToken = (subject = 'alice') =>
    jwt.sign({ teams: { [team]: both } }, jwtSecret, {
      subject,
      expiresIn: 3600,
      jwtid: randomUUID(),
      header: { alg: 'HS256', typ: linkType },
    });

  it('starts one session, and is good for nothing else, so that a link in the history of a browser is worthless', async () => {
    const linked = linkToken();
    const browser = await signedIn(running.url, running.url, linked);
    expect(await statusOf(browser)).toBe(200);
    for (const path of ['/session', '/session/viewer']) {
      const again = await new Browser(running.url).send('POST', path, { body: { token: linked } });
      expect([path, again.status, again.body.detail]).toEqual([path, 401, expect.stringContaining('used already')]);
      expect(again.headers.getSetCookie()).toEqual([]);
    }
    for (const bearer of [linked, linkToken()]) {
      const call = await rest(running.url, bearer, 'GET', `/v1/keys?teamId=${team}`);
      expect([call.status, call.body.detail]).toEqual([401, expect.stringContaining('sign-in link')]);
    }
    expect(await statusOf(browser)).toBe(200);
  });

  it('starts one session also if it is used several times at once, at several instances', async () => {
    const other = await serviceOn(running.database);
    try {
      const linked = linkToken();
      const answers = await Promise.all(
        [running.url, other.url, running.url, other.url].map((url) =>
          new Browser(url).send('POST', '/session', { body: { token: linked } }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    } finally {
      await other.stop();
    }
  });

  it('is not used up when a page asks whose session it would start', async () => {
    const linked = linkToken();
    for (let i = 0; i < 2; i += 1) {
      const { status, body, headers } = await new Browser(running.url).send('POST', '/session/viewer', {
        body: { token: linked },
      });
      expect([status, body, headers.getSetCookie()]).toEqual([
        200,
        { subject: 'alice', source: '127.0.0.1', teams: [{ id: team, name: null, permissions: both }] },
        [],
      ]);
    }
    await signedIn(running.url, running.url, linked);
  });
});

const calls = [
  ['POST', '/graphql', viewer],
  ['GET', `/v1/keys?teamId=${team}`, undefined],
  ['POST', '/session/renew', undefined],
  ['DELETE', '/session', undefined],
] as const;
const port = () => new URL(running.url).port;

it.each([
  ['another site', () => ({ origin: 'https://another.example.test', 'sec-fetch-site': 'cross-site' })],
  ['another port of this host', () => ({ origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' })],
  ['this port over TLS', () => ({ origin: `https://127.0.0.1:${port()}1` })],
  ['a page without an origin', () => ({ origin: 'null' })],
  ['another site, without Origin', () => ({ origin: null, 'sec-fetch-site': 'cross-site' })],
  ['another subdomain, without Origin', () => ({ origin: null, 'sec-fetch-site': 'same-site' })],
  ['a form or a link, which has no header of its own', () => ({ 'latchkey-session': null })],
])('no request of %s can use, renew, end or begin a session', async (_, headers) => {
  const browser = await signedIn();
  for (const [method, path, body] of calls) {
    const answer = await browser.send(method, path, { headers: headers(), body });
    expect([path, answer.status, answer.headers.getSetCookie()]).toEqual([path, 401, []]);
  }
  if (!('latchkey-session' in headers())) {
    const login = await new Browser(running.url).send('POST', '/session', { headers: headers(), body: { token } });
    expect([login.status, login.headers.getSetCookie()]).toEqual([401, []]);
  }
  expect(await statusOf(browser)).toBe(200);
});

it('a form can begin no session (login CSRF)', async () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=x',
  ]) {
    const headers = { 'content-type': type };
    const answer = await new Browser(running.url).send('POST', '/session', { headers, body: { token } });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([415, []]);
  }
});

it('a request with a cookie and a session token is rejected in both APIs', async () => {
  const browser = await signedIn();
  for (const [method, path, body] of calls.slice(0, 2)) {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await browser.send(method, path, { headers, body });
    expect([path, answer.status, JSON.stringify(answer.body)]).toEqual([
      path,
      400,
      expect.stringContaining('BAD_USER_INPUT'),
    ]);
  }
});

it('a cookie of ours that is repeated is no session, is counted as a rejected one, and is not removed', async () => {
  const limited = await startService(theProvider, { FAILED_TOKEN_LIMIT: '5' });
  try {
    const browser = await signedIn(limited.url);
    const attacker = await signedIn(limited.url, limited.url, sessionToken({ [team]: both }, 'mallory'));
    const cookie = `${browser.cookieHeader}; ${attacker.cookieHeader}`;
    for (const [method, path, body] of [...calls, ['POST', '/session', { token }] as const]) {
      const answer = await browser.send(method, path, { headers: { cookie }, body });
      expect([path, answer.status, answer.headers.getSetCookie()]).toEqual([path, 401, []]);
    }
    expect((await browser.send('GET', '/session', { headers: { cookie } })).status).toBe(429);
    expect((await browser.send('GET', '/session')).body.subject).toBe('alice');
  } finally {
    await limited.stop();
  }
});

it('reads a cookie under exactly its name, without the spaces and tabs around it', async () => {
  const browser = await signedIn();
  const [[name = '', value = ''] = []] = browser.cookies;
  const statusWith = async (cookie: string) => (await browser.send('GET', '/session', { headers: { cookie } })).status;
  expect(await statusWith(`a=b;\t ${name} =\t${value} ; ${name}`)).toBe(200);
  for (const other of ['\xa0', '\xff', '"', '_']) {
    expect(await statusWith(`${other}${name}=${value}`)).toBe(401);
    expect(await statusWith(`${name}${other}=${value}`)).toBe(401);
  }
});

it('an allowed CORS origin uses session tokens, and no session', async () => {
  const app = 'https://app.example.test';
  const other = await startService(theProvider, { CORS_ORIGINS: app });
  try {
    const browser = await signedIn(other.url);
    const headers = { origin: app, 'sec-fetch-site': 'cross-site' };
    for (const [method, path, body] of calls) {
      const answer = await browser.send(method, path, { headers, body });
      expect([path, answer.status, answer.headers.get('access-control-allow-credentials')]).toEqual([path, 401, null]);
    }
    for (const path of ['/session', '/session/renew']) {
      const preflight = await new Browser(other.url).send('OPTIONS', path, {
        headers: { ...headers, 'access-control-request-method': 'POST' },
      });
      expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    }
    const bearer = { ...headers, authorization: `Bearer ${token}`, 'latchkey-session': null };
    const answer = await new Browser(other.url).send('POST', '/graphql', { headers: bearer, body: viewer });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, app]);
  } finally {
    await other.stop();
  }
});

it('behind a proxy that ends TLS the cookie is for https only, and one without the prefix is ignored', async () => {
  const publicUrl = 'https://latchkey.example.test';
  const proxied = await startService(theProvider, { PUBLIC_URL: publicUrl });
  try {
    const browser = new Browser(proxied.url, publicUrl);
    const answer = await browser.send('POST', '/session', { body: { token } });
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^__Host-latchkey-session=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(await statusOf(browser)).toBe(200);
    expect(await statusOf(await renamed(browser, 'latchkey-session'))).toBe(401);
    const direct = await new Browser(proxied.url).send('POST', '/session', { body: { token } });
    expect([direct.status, direct.body.detail]).toEqual([401, expect.stringContaining(publicUrl)]);
  } finally {
    await proxied.stop();
  }
});

it('without PUBLIC_URL, only the loopback interface has sessions over plain HTTP', async () => {
  const host = 'latchkey.example.test';
  const exchange = async (name: string, origin: string) => {
    const body = JSON.stringify({ token });
    const lines = ['POST /session HTTP/1.1', `Host: ${name}`, `Origin: ${origin}`, 'Connection: close'];
    const content = ['Content-Type: application/json', `Content-Length: ${body.length}`, '', body];
    return await exchangeBytes(running.url, [...lines, ...content].join('\r\n'));
  };
  const overTls = await exchange(host, `https://${host}`);
  expect(overTls).toMatch(/^HTTP\/1.1 200 .*\r\nSet-Cookie: __Host-latchkey-session=[^\r]*; Secure;/s);
  expect(await exchange(host, `http://${host}`)).toMatch(/^HTTP\/1.1 401 /);
  expect(await exchange('[', 'http://[')).toMatch(/^HTTP\/1.1 401 /);
});

it('instances on different ports of this host keep their sessions apart', async () => {
  const other = await startService(theProvider);
  try {
    const browser = await signedIn();
    browser.url = other.url;
    expect(await statusOf(browser, other.url)).toBe(401);
    await browser.send('POST', '/session', { body: { token }, headers: { origin: other.url } });
    expect(browser.cookies.size).toBe(2);
    expect(await statusOf(browser, other.url)).toBe(200);
    browser.url = running.url;
    expect(await statusOf(browser)).toBe(200);
  } finally {
    await other.stop();
  }
});

describe('with SIGNING_KEKS', () => {
  const [old, current] = ['old', 'new'].map((id) => `${id}:${randomBytes(32).toString('base64')}`);

  it('instances with the same ring accept sessions of each other, also while the ring is rotated', async () => {
    const first = await startService(theProvider, {
      PUBLIC_URL: 'http://127.0.0.1',
      SIGNING_KEKS: `${old},${current}`,
    });
    const second = await serviceOn(first.database, {
      PUBLIC_URL: 'http://127.0.0.1',
      SIGNING_KEKS: `${current},${old}`,
    });
    try {
      for (const [one, other] of [
        [first, second],
        [second, first],
      ] as const) {
        const browser = await signedIn(one.url, 'http://127.0.0.1');
        browser.url = other.url;
        expect(await statusOf(browser)).toBe(200);
        expect((await browser.send('DELETE', '/session')).status).toBe(200);
      }
    } finally {
      await second.stop();
      await first.stop();
    }
  });

  it('a cookie under a key that left the ring, or that was changed, is not valid, and is counted as an attempt', async () => {
    const environment = { SIGNING_KEKS: `${current}`, FAILED_TOKEN_LIMIT: '2' };
    const limited = await startService(theProvider, environment);
    try {
      const browser = await signedIn(limited.url);
      const [[name = '', value = ''] = []] = browser.cookies;
      const seal = new SessionSeal(keyRing([{ id: 'new', bytes: randomBytes(32) }]));
      const forged = await seal.seal(await changeSession(running, await signedIn(), () => ({})));
      expect(await answersTo(browser, name, [`1.${forged}`, `${value}x`, '1.', 'x', '9.x'])).toEqual([
        401, 401, 429, 429, 429,
      ]);
      expect(await answersTo(browser, name, [value])).toEqual([200]);
    } finally {
      await limited.stop();
    }
  });
});

it('rejected session tokens are counted, and sessions that ended are not', async () => {
  const limited = await startService(theProvider, { FAILED_TOKEN_LIMIT: '1' });
  try {
    const browser = await signedIn(limited.url);
    await changeSession(limited, browser, () => ({ endsAt: new Date() }));
    for (let i = 0; i < 3; i += 1) expect(await statusOf(browser)).toBe(401);
    const wrong = { body: { token: 'x' } };
    const answers = [await browser.send('POST', '/session', wrong), await browser.send('POST', '/session', wrong)];
    expect(answers.map(({ status }) => status)).toEqual([401, 429]);
  } finally {
    await limited.stop();
  }
});

it('all calls about sessions are counted: sign-outs on their own, others as operations of the caller', async () => {
  const limited = await startService(theProvider, { MANAGEMENT_RATE_LIMIT: '10' });
  try {
    for (const [method, path, body] of [
      ['GET', '/session', undefined],
      ['POST', '/session/renew', undefined],
      ['POST', '/session', { token }],
      ['DELETE', '/session', undefined],
    ] as const) {
      const subject = `${method} ${path}`;
      const own = sessionToken({ [team]: both }, subject);
      const browser = await signedIn(limited.url, limited.url, own);
      const cookie = browser.cookieHeader;
      const statuses: number[] = [];
      // The start of the session was an operation.
      const allowed = method === 'DELETE' ? 10 : 9;
      for (let i = 0; i < 20; i += 1) {
        const request = { headers: { cookie }, body: body && { token: own } };
        statuses.push((await browser.send(method, path, request)).status);
      }
      expect([subject, statuses.filter((status) => status !== 429)]).toEqual([subject, Array(allowed).fill(200)]);
    }
  } finally {
    await limited.stop();
  }
});

it('a session can be ended when other calls of the caller have used up the limit', async () => {
  const limited = await startService(theProvider, { MANAGEMENT_RATE_LIMIT: '3' });
  try {
    const browser = await signedIn(limited.url);
    const stolen = copyOf(browser);
    while ((await stolen.send('GET', '/session')).status !== 429);
    expect((await browser.send('DELETE', '/session')).status).toBe(200);
    expect((await browser.send('DELETE', '/session')).status).toBe(200);
  } finally {
    await limited.stop();
  }
});

it('a caller starts as many sessions in an hour as a team may make changes, and can always end one', async () => {
  const limited = await startService(theProvider, { TEAM_CHANGES_PER_HOUR: '2' });
  try {
    const browsers = [await signedIn(limited.url), await signedIn(limited.url)];
    const rejected = await new Browser(limited.url).send('POST', '/session', { body: { token } });
    expect([rejected.status, rejected.headers.getSetCookie()]).toEqual([429, []]);
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(60);
    for (const browser of browsers) expect((await browser.send('DELETE', '/session')).status).toBe(200);
    await signedIn(limited.url, limited.url, sessionToken({ [team]: both }, 'a colleague'));
  } finally {
    await limited.stop();
  }
});

it('the end of a session is written once, in the turn of its team, and nothing for one that is not valid', async () => {
  const submit = vi.spyOn(running.service.management.store.changes, 'submit');
  const written = () => submit.mock.calls.filter(([{ queueKey }]) => queueKey === team).length;
  try {
    const browser = await signedIn();
    const ended = copyOf(browser);
    expect((await browser.send('DELETE', '/session')).status).toBe(200);
    expect(written()).toBe(1);
    const expired = await signedIn();
    await changeSession(running, expired, () => ({ endsAt: new Date() }));
    const invalid = await renamed(await signedIn(), 'x');
    const [[name = ''] = []] = ended.cookies;
    invalid.cookies.set(name, '1.x');
    for (const other of [ended, expired, invalid, new Browser(running.url)]) {
      expect(await copyOf(other).send('DELETE', '/session')).toMatchObject({ status: 200, body: { signOutUrl: null } });
      expect((await other.send('POST', '/session', { body: { token } })).status).toBe(200);
    }
    expect(written()).toBe(1);
  } finally {
    submit.mockRestore();
  }
});

it('while ended sessions cannot be read or written, no session is accepted, and none begins beside another', async () => {
  const broken = await startService(theProvider);
  try {
    const browser = await signedIn(broken.url);
    await runSql(broken.database.url, 'ALTER TABLE "EndedSession" RENAME TO "Lost"');
    expect(await statusOf(browser)).toBeGreaterThanOrEqual(500);
    for (const [method, path, body] of [
      ['POST', '/session/renew', undefined],
      ['DELETE', '/session', undefined],
      ['POST', '/session', { token }],
    ] as const) {
      const answer = await browser.send(method, path, { body });
      expect([path, answer.status >= 500, answer.headers.getSetCookie()]).toEqual([path, true, []]);
    }
  } finally {
    await broken.stop();
  }
});

it('forgets ended sessions when they would have ended anyway', async () => {
  const { store } = running.service.management;
  const now = new Date();
  const [past, future] = [randomUUID(), randomUUID()];
  await store.endedSessions.endOnce(past, now, team);
  await store.endedSessions.endOnce(future, new Date(now.getTime() + 60_000), team);
  await purge(store, { usageDays: 90 }, now);
  expect(await store.endedSessions.hasEnded([past], now)).toBe(false);
  expect(await store.endedSessions.hasEnded([future], now)).toBe(true);
});

it('an end at a provider is never taken back by one that arrives later', async () => {
  const { endedSessions } = running.service.management.store;
  const [id, expiresAt] = [randomUUID(), new Date(Date.now() + 60_000)];
  for (const startedBy of [2000, 1000])
    await endedSessions.endOfProvider({ id, startedBy: new Date(startedBy), expiresAt });
  expect(await endedSessions.hasEnded([id], new Date(2000))).toBe(true);
  expect(await endedSessions.hasEnded([id], new Date(2001))).toBe(false);
});

async function statusOf(browser: Browser, origin?: string): Promise<number> {
  const headers = origin === undefined ? {} : { origin };
  return (await browser.send('POST', '/graphql', { body: viewer, headers })).status;
}

/** Another browser with the same cookies. */
function copyOf(browser: Browser): Browser {
  const copy = new Browser(browser.url);
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  return copy;
}

async function renamed(browser: Browser, name: string): Promise<Browser> {
  const [value = ''] = browser.cookies.values();
  browser.cookies.clear();
  browser.cookies.set(name, value);
  return browser;
}

async function answersTo(browser: Browser, name: string, cookies: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const cookie of cookies) {
    browser.cookies.set(name, cookie);
    statuses.push(await statusOf(browser));
  }
  return statuses;
}
