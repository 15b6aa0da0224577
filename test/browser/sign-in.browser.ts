/** Getting in: by the link of a first run, by a pasted token, and again when a token is over. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import { expect } from 'vitest';
import { both, jwtSecret, startOwnDashboard, type Tab, tokenFor } from './support/dashboard.ts';
import { it } from './support/test.ts';

const foreign = jwt.sign({ teams: {} }, 'another secret that the service does not know', {
  subject: 'x',
  expiresIn: 60,
});

async function paste({ page }: Tab, token: string): Promise<void> {
  await page.getByLabel('Session token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const showsKeys = ({ page }: Tab) => page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
const storedToken = ({ page }: Tab) => page.evaluate<string | null>("sessionStorage.getItem('latchkey-session-token')");

it('the link that a first run prints signs in, and its token reaches no server in a URL and stays in no address', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-link-'));
  const first = await startOwnDashboard({ DATA_DIR: directory }, { terminal: true });
  const link = /http:\/\/\S+\/#token=\S+/.exec(first.output())?.[0] ?? '';
  expect(link).toContain(first.service.url);
  const token = link.split('#token=')[1] ?? '';
  expect(jwt.decode(token)).toMatchObject({ sub: 'local' });
  const tab = await first.open();
  await tab.page.goto(link);
  await showsKeys(tab);
  expect(tab.page.url()).not.toContain(token);
  expect(tab.urls.filter((url) => url.includes(token) || url.includes('token='))).toEqual([]);
  await tab.page.goBack().catch(() => null);
  expect(tab.page.url()).not.toContain(token);
  await tab.close();
  await first.stop();
  rmSync(directory, { recursive: true, force: true });
});

it('a link that signs in never replaces a session without asking, and says whose session and which teams each is', async ({
  token,
  dashboard,
  signedOut: tab,
}) => {
  const mine = token;
  const team = randomUUID();
  const theirs = jwt.sign({ teams: { [team]: ['view_team'] } }, jwtSecret, { subject: 'mallory', expiresIn: 600 });
  const { page } = tab;
  await tab.signIn(mine);
  await tab.goTo(`teams/${dashboard.team}/keys/new`);
  await page.getByLabel('Name').fill('Typed before the link');
  const dialog = page.getByRole('dialog', { name: 'Replace your session?' });
  const follow = async (token: string) => {
    await page.goto(`${dashboard.service.url}/#token=${token}`);
    await dialog.getByRole('region', { name: 'Your session' }).getByText('ada@example.com').waitFor();
    await dialog.getByRole('region', { name: 'Your session' }).getByText(dashboard.team).waitFor();
  };
  // In the page that is there already: what was typed stays.
  await follow(theirs);
  const offered = dialog.getByRole('region', { name: 'The new session' });
  await offered.getByText('mallory').waitFor();
  await offered.getByText(`${team}: view_team`).waitFor();
  expect(await storedToken(tab)).toBe(mine);
  expect(page.url()).not.toContain(theirs);
  await dialog.getByRole('button', { name: 'Keep mine' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await storedToken(tab)).toBe(mine);
  expect(await page.getByLabel('Name').inputValue()).toBe('Typed before the link');
  expect(page.url()).toContain(`teams/${dashboard.team}/keys/new`);
  // By a page load, with a token that is no good: there is nothing to replace the session with.
  await page.goto('about:blank');
  await follow(foreign);
  await offered.getByRole('alert').getByText('not valid').waitFor();
  expect(await dialog.getByRole('button', { name: 'Replace it' }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  // The link of the very session asks nothing.
  await page.goto(`${dashboard.service.url}/#token=${mine}`);
  await showsKeys(tab);
  expect(await dialog.count()).toBe(0);
  await page.goto('about:blank');
  await follow(theirs);
  await dialog.getByRole('button', { name: 'Replace it' }).click();
  await expect.poll(() => storedToken(tab)).toBe(theirs);
  await page.waitForURL(`**/#/teams/${team}/keys`);
});

it('explains what is wrong with a token, and accepts a valid one', async ({
  dashboard,
  signedOut: tab,
  token: valid,
}) => {
  await tab.page.goto(dashboard.service.url);
  const complaint = tab.page.locator('.mantine-InputWrapper-error');
  const cases = [
    ['', 'Paste a session token.'],
    ['nonsense', 'malformed'],
    ['lk_live_12345678_something', 'API key'],
    [tokenFor({ [dashboard.team]: both }, -60), 'expired'],
    [foreign, 'not valid'],
  ] as const;
  for (const [token, problem] of cases) {
    await paste(tab, token);
    await complaint.filter({ hasText: problem }).waitFor();
  }
  await paste(tab, `Bearer ${valid}`);
  await showsKeys(tab);
  await tab.page.getByText('This team has no keys yet.').waitFor();
  // Another tab has a session of its own.
  const other = await tab.context.newPage();
  await other.goto(dashboard.service.url);
  await other.getByRole('heading', { name: 'Sign in to Latchkey' }).waitFor();
});

it('asks for another token after the expiry, and keeps what was typed', async ({
  token,
  dashboard,
  signedOut: tab,
}) => {
  // jsonwebtoken gives five seconds of grace for clocks that differ.
  const short = jwt.sign({ teams: { [dashboard.team]: both } }, jwtSecret, {
    subject: 'ada@example.com',
    expiresIn: 10,
  });
  await tab.signIn(short);
  await tab.goTo(`teams/${dashboard.team}/keys/new`);
  await tab.page.getByLabel('Name').fill('Typed before the end');
  const over = async () => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${short}` };
    const body = JSON.stringify({ query: '{ viewer { subject } }' });
    return (await fetch(`${dashboard.service.url}/graphql`, { method: 'POST', headers, body })).status;
  };
  await expect.poll(over, { timeout: 30_000, interval: 250 }).toBe(401);
  await tab.page.getByRole('button', { name: 'Create', exact: true }).click();
  const dialog = tab.page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByText('expired').first().waitFor();
  await dialog.getByLabel('Session token', { exact: true }).fill(token);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  // The rejected call is repeated, without another click.
  await tab.page.getByText('The secret of “Typed before the end”').waitFor();
});

it('says that a session has no team, and that the store is unavailable', async ({ dashboard, tab: cut }) => {
  const tab = await dashboard.open();
  await tab.signIn(tokenFor({}));
  await tab.page.getByText('Your session token names no team').waitFor();
  await tab.close();
  await cut.context.route('**/graphql', (route) =>
    route.fulfill({
      status: 503,
      headers: { 'x-request-id': 'request-1' },
      json: {
        errors: [
          { message: 'The store does not answer.', extensions: { code: 'UNAVAILABLE', requestId: 'request-1' } },
        ],
      },
    }),
  );
  await cut.goTo(`teams/${dashboard.team}/overview`);
  // The use of the keys, the rejected ones and the numbers above them.
  await expect.poll(() => cut.page.getByRole('alert').count()).toBe(3);
  const alert = cut.page.getByRole('alert').first();
  await alert.getByText('UNAVAILABLE').waitFor();
  await alert.getByText('request-1').waitFor();
  await cut.context.unroute('**/graphql');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await cut.page.getByText('Active', { exact: true }).waitFor();
});

const badLinks = [
  ['nonsense', 'malformed'],
  ['%E0%A4%A', 'malformed'],
  ['', 'Paste a session token'],
  ['lk_live_12345678_something', 'API key'],
  [tokenFor({}, -60), 'expired'],
  [foreign, 'not valid'],
  [tokenFor(Object.fromEntries(Array.from({ length: 300 }, () => [randomUUID(), both]))), 'at most 8,192 are accepted'],
] as const;

it('a sign-in link says what is wrong with it and asks for a token', async ({ dashboard, signedOut: tab, token }) => {
  const { page } = tab;
  for (const [linked, problem] of badLinks) {
    await page.goto('about:blank');
    await page.goto(`${dashboard.service.url}/#token=${linked}`);
    const status = page.getByRole('status').filter({ hasText: 'The link can’t sign you in' });
    await status.filter({ hasText: problem }).waitFor();
    expect(await page.getByLabel('Loading').count()).toBe(0);
    expect(page.url()).not.toContain('token');
  }
  await paste(tab, token);
  await showsKeys(tab);
});

it('a sign-in link that a proxy rejects leaves the form for a token', async ({ token, dashboard, signedOut: tab }) => {
  await tab.context.route('**/graphql', (route) => route.fulfill({ status: 403, body: '<h1>Forbidden</h1>' }));
  await tab.page.goto(`${dashboard.service.url}/#token=${token}`);
  await tab.page.getByRole('alert').getByText('HTTP 403').waitFor();
  await tab.context.unroute('**/graphql');
  await paste(tab, token);
  await showsKeys(tab);
});

it('a stored token that the server rejects leads to the sign-in page', async ({ token, dashboard, signedOut: tab }) => {
  await tab.page.goto(dashboard.service.url);
  await tab.page.evaluate(`sessionStorage.setItem('latchkey-session-token', ${JSON.stringify(foreign)})`);
  await tab.goTo(`teams/${dashboard.team}/overview`);
  await tab.page.reload();
  await tab.page.getByRole('heading', { name: 'Sign in to Latchkey' }).waitFor();
  await tab.page.getByText('not valid').waitFor();
  await paste(tab, token);
  // The page that was asked for.
  await tab.page.getByRole('heading', { name: 'Overview' }).waitFor();
});

it('a whole sign-in link can be pasted into the form', async ({ token, dashboard, signedOut: tab }) => {
  await tab.page.goto(dashboard.service.url);
  await paste(tab, ` https://keys.example.com/#token=${token}\n`);
  await showsKeys(tab);
});

it('another user sees no data of the previous session', async ({ token, signedOut: tab, create }) => {
  const { page } = tab;
  await create({ name: 'Of the user before' });
  await tab.signIn(token);
  await page.getByRole('link', { name: 'Of the user before' }).waitFor();
  // The server does not accept the token of the tab anymore.
  let isExpired = true;
  await tab.context.route('**/graphql', (route) => {
    if (!isExpired) return route.continue();
    const error = { message: 'The session token has expired.', extensions: { code: 'UNAUTHENTICATED' } };
    return route.fulfill({ status: 401, json: { errors: [error] } });
  });
  await page.getByRole('link', { name: 'Overview' }).click();
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await again.getByLabel('Session token', { exact: true }).waitFor();
  isExpired = false;
  const team = randomUUID();
  const other = jwt.sign({ teams: { [team]: both }, team_names: { [team]: 'Billing' } }, jwtSecret, {
    subject: 'bob',
    expiresIn: 600,
  });
  await again.getByLabel('Session token', { exact: true }).fill(other);
  await again.getByRole('button', { name: 'Sign in' }).click();
  const offer = page.getByRole('dialog', { name: 'Replace your session?' });
  await offer.getByRole('region', { name: 'Your session' }).getByText('ada@example.com').waitFor();
  await offer.getByText('bob').waitFor();
  await offer.getByText('Team Billing:').waitFor();
  // What the waiting call of the user before would have shown, it never shows.
  await offer.getByRole('button', { name: 'Replace it' }).click();
  await page.waitForURL(`**/#/teams/${team}/keys`);
  await page.getByText('This team has no keys yet').waitFor();
  expect(await page.getByText('Of the user before').count()).toBe(0);
  await page.goBack();
  await page.getByRole('heading', { name: 'Not a team of yours' }).waitFor();
  expect(await page.getByText('Of the user before').count()).toBe(0);
});

it('keeps the session token in its tab: not in a cookie, nor where another tab finds it', async ({
  dashboard,
  tab,
  token,
}) => {
  expect(await tab.context.cookies()).toEqual([]);
  expect(await tab.page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain(token);
  const other = await tab.context.newPage();
  await other.goto(`${dashboard.service.url}/`);
  await other.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await other.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toContain(token);
});
