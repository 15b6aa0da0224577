/** Sign-in at an identity provider, in a real browser: there and back, failures, renewal, and the sign-out. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { TestProvider } from '../support/identity-provider.ts';
import { inTests } from '../support/in-tests.ts';
import { changeSession } from '../support/session-cookie.ts';
import { both, createKey, startOwnDashboard, type Tab, tokenFor } from './support/dashboard.ts';

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const provider = inTests(async () => {
  const started = await TestProvider.start({ publicUrl: url });
  // For the first test: Latchkey remembers what a provider has published.
  started.behavior.isDown = true;
  return started;
});
const dashboard = inTests(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-provider-'));
  const own = await startOwnDashboard({ DATA_DIR: directory, PORT: String(port), ...provider.environment });
  const stop = async () => {
    await own.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { ...own, directory, stop };
});
let tab: Tab;

beforeEach(async () => {
  const teams = { [dashboard.team]: both };
  Object.assign(provider.behavior, { subject: 'alice', teams, tamper: null, answer: null, latchkeyUrl: url });
  tab = await dashboard.open();
  return async () => {
    expect(tab.complaints).toEqual([]);
    await tab.context.close();
  };
});

const place = (page: string) => `${url}/#/teams/${dashboard.team}/${page}`;
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true, level: 1 }).waitFor();
const signInLink = (page: Page) => page.getByRole('link', { name: `Sign in with ${new URL(provider.issuer).host}` });

async function signIn(page: Page, at = 'keys'): Promise<void> {
  await page.goto(place(at));
  await signInLink(page).click();
  await page.getByRole('button', { name: 'Session' }).waitFor();
}

it('says that the provider does not answer, and offers to use a token', async () => {
  const { page } = tab;
  await page.goto(place('overview'));
  await signInLink(page).click();
  await page.getByRole('alert').getByText('does not answer').waitFor();
  provider.behavior.isDown = false;
  await page.getByText('Use a token', { exact: true }).click();
  await page.getByLabel('Session token', { exact: true }).fill(tokenFor({ [dashboard.team]: both }));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading(page, 'Overview');
});

it('signs in at the identity provider and returns to the page, of which no server learns, and signs out at both', async () => {
  const { page } = tab;
  await createKey(dashboard, { name: 'Of the quayside' });
  await signIn(page, 'keys?search=quayside');
  await page.getByRole('link', { name: 'Of the quayside' }).waitFor();
  expect(page.url()).toBe(place('keys?search=quayside'));
  expect(tab.urls.filter((sent) => sent.includes('quayside'))).toEqual([]);
  await page.getByRole('button', { name: 'Session' }).click();
  await page.getByText('alice').waitFor();
  await page.getByText('The session ends in 12 hours').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  // The page of the provider.
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await page.waitForURL(`${url}/**`);
  await heading(page, 'Sign in to Latchkey');
  await page.goBack();
  await page.goto(place('overview'));
  await heading(page, 'Sign in to Latchkey');
});

const failures = [
  {
    name: 'a sign-in that the user denies',
    prepare: () => Object.assign(provider.behavior, { subject: null }),
    says: 'cancelled the sign-in',
  },
  {
    name: 'a user without teams',
    prepare: () => Object.assign(provider.behavior, { teams: undefined }),
    says: 'names no team',
  },
];

it.each(failures)('says in words why $name leads to no session, and what to do', async ({ prepare, says }) => {
  const { page } = tab;
  await page.goto(place('overview'));
  await signInLink(page).waitFor();
  prepare();
  await signInLink(page).click();
  await page.getByRole('alert').getByText(says).waitFor();
  Object.assign(provider.behavior, { subject: 'alice', teams: { [dashboard.team]: both } });
  // The page that was asked for, after the next try.
  await signInLink(page).click();
  await heading(page, 'Overview');
  expect(await page.getByRole('alert').getByText(says).count()).toBe(0);
});

it('an answer of the provider with the state of another browser signs nobody in, also over a session', async () => {
  const { page } = tab;
  await page.goto(`${url}/session/callback?code=stolen&state=of-another-browser`);
  await page.getByRole('alert').getByText('began in another browser').waitFor();
  await signIn(page);
  await page.goto(`${url}/session/callback?code=stolen&state=of-another-browser`);
  await page.getByRole('alert').getByText('began in another browser').waitFor();
  await page.getByRole('button', { name: 'Session' }).waitFor();
  await page.getByRole('alert').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
});

/** Fills in the form, and takes the session away before it is sent. */
async function createWithoutSession(page: Page): Promise<void> {
  await signIn(page, 'keys/new');
  await page.getByLabel('Name').fill('Typed before the end');
  await tab.context.clearCookies({ name: /^latchkey/ });
  await page.getByRole('button', { name: 'Create', exact: true }).click();
}

it('signs in again in a window that closes, and the page goes on with what was typed', async () => {
  const { page, context } = tab;
  await createWithoutSession(page);
  const [popup] = await Promise.all([context.waitForEvent('page'), signInLink(page).click()]);
  if (!popup.isClosed()) await popup.waitForEvent('close');
  await page.getByText('The secret of “Typed before the end”').waitFor();
});

it('another user who signs in in that window does not see the page of the first, and sends nothing of it', async () => {
  const { page } = tab;
  await createWithoutSession(page);
  await signInLink(page).waitFor();
  await tab.context.clearCookies();
  provider.behavior.subject = 'bob';
  await signInLink(page).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByText('bob signed in in another tab').waitFor();
  await dialog.getByRole('button', { name: 'continue as bob' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Session' }).click();
  await page.getByText('bob').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('');
  expect(await page.getByText('The secret of “').count()).toBe(0);
});

it('renews a session that must be renewed, one tab at a time, and repeats the calls', async () => {
  const { page, context } = tab;
  await signIn(page);
  const second = await context.newPage();
  await second.goto(place('keys'));
  await heading(second, 'Keys');
  let [running, maxRunning, renewals] = [0, 0, 0];
  await context.route('**/session/renew', async (route) => {
    running += 1;
    maxRunning = Math.max(maxRunning, running);
    const response = await route.fetch();
    running -= 1;
    renewals += 1;
    await route.fulfill({ response });
  });
  const error = { message: 'The session must be renewed.', extensions: { code: 'UNAUTHENTICATED' } };
  await context.route('**/graphql', async (route) => {
    if (renewals > 0) await route.fallback();
    else await route.fulfill({ status: 401, json: { errors: [error] } });
  });
  for (const each of [page, second]) await each.getByRole('link', { name: 'Overview' }).click();
  for (const each of [page, second]) await each.getByText('Active', { exact: true }).waitFor();
  expect(renewals).toBeGreaterThan(0);
  expect(maxRunning).toBe(1);
});

it('renews the session of a page that makes no calls before its cookie stops working', async () => {
  const { page } = tab;
  await signIn(page);
  await page.clock.install();
  await page.reload();
  await heading(page, 'Keys');
  const renewals: number[] = [];
  page.on('response', (response) => {
    if (response.url() === `${url}/session/renew`) renewals.push(response.status());
  });
  await page.clock.runFor('09:00');
  expect(renewals).toEqual([]);
  await page.clock.runFor('02:00');
  await expect.poll(() => renewals).toEqual([200]);
  // Ten minutes after the page has noticed the renewal, the next one.
  await expect
    .poll(async () => {
      await page.clock.runFor('01:00');
      return renewals;
    })
    .toEqual([200, 200]);
});

/** Changes the session in the cookie of the tab. */
async function changeCookie(change: Parameters<typeof changeSession>[2]): Promise<void> {
  const browser = new Browser(url);
  for (const { name, value } of await tab.context.cookies()) browser.cookies.set(name, value);
  await changeSession({ database: dashboard }, browser, change);
  await tab.context.addCookies([...browser.cookies].map(([name, value]) => ({ name, value, url, httpOnly: true })));
}

it('stays signed in with one click before the session ends, and keeps what was typed', async () => {
  const { page, context } = tab;
  await signIn(page);
  await changeCookie(() => ({ endsAt: new Date(Date.now() + 4 * 60_000) }));
  await page.goto(place('keys/new'));
  await page.reload();
  const notice = page.getByRole('status').filter({ hasText: 'Your session ends in' });
  await page.getByLabel('Name').fill('Typed before the end');
  const [popup] = await Promise.all([
    context.waitForEvent('page'),
    notice.getByRole('link', { name: 'Stay signed in' }).click(),
  ]);
  if (!popup.isClosed()) await popup.waitForEvent('close');
  await notice.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('The secret of “Typed before the end”').waitFor();
});

it('tells a user whose claim names no team which claim it is, and whom to ask', async () => {
  const { page } = tab;
  Object.assign(provider.behavior, { teams: {} });
  await page.goto(url);
  await signInLink(page).click();
  await heading(page, 'No teams');
  const host = new URL(provider.issuer).host;
  await page.getByText(`You are signed in, but ${host} names no team`).waitFor();
  await page.getByText(`in the claim teams`).waitFor();
  await page.getByText(`Ask the administrator of ${host}`).waitFor();
  expect(await page.getByText('npm').count()).toBe(0);
});

it('asks to sign in again when the provider has ended the session', async () => {
  const { page } = tab;
  await signIn(page);
  await page.request.delete(`${url}/session`, { headers: { 'latchkey-session': 'current', origin: url } });
  // Not by a click: a call of the first page can be late enough to be rejected, and then the dialog covers the links.
  await page.goto(place('overview'));
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
});

it('says why the session ended if the provider names no teams when it is asked again', async () => {
  const { page } = tab;
  await signIn(page);
  provider.behavior.answer = (path, { id_token: _, ...body }) => (path === '/token' ? body : { sub: body.sub });
  await changeCookie(() => ({ usableUntil: new Date() }));
  await page.goto(place('overview'));
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByText('does not say again which teams you have, so a session lasts 15 minutes').waitFor();
});

it('tells a provider that does not answer from one that is configured wrongly', async () => {
  const { page } = tab;
  await page.goto(`${url}/#/signed-out?reason=unusable`);
  await page.getByRole('alert').getByText('the configuration of one of them is wrong').waitFor();
});
