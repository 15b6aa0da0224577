/** Getting in: by the link of a first run, by a pasted token, and again when a token is over. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import { expect, it } from 'vitest';
import { both, jwtSecret, startOwnDashboard, tokenFor } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const user = userOf({ signedIn: false });
const { sees, heading } = user;

const foreign = jwt.sign({ teams: {} }, 'another secret that the service does not know', {
  subject: 'x',
  expiresIn: 60,
});

async function paste(token: string): Promise<void> {
  await user.page.getByLabel('Session token', { exact: true }).fill(token);
  await user.page.getByRole('button', { name: 'Sign in' }).click();
}

const openSignIn = () => user.page.goto(user.dashboard.service.url);
const openLink = (token: string) => user.page.goto(`${user.dashboard.service.url}/#token=${token}`);
const showsKeys = () => heading('Keys');
const storedToken = () => user.page.evaluate<string | null>("sessionStorage.getItem('latchkey-session-token')");

it('the link that a first run prints signs in, and its token reaches no server in a URL and stays in no address', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-link-'));
  const first = await startOwnDashboard({ DATA_DIR: directory }, { terminal: true });
  const link = /http:\/\/\S+\/#token=\S+/.exec(first.output())?.[0] ?? '';
  expect(link).toContain(first.service.url);
  const token = link.split('#token=')[1] ?? '';
  expect(jwt.decode(token)).toMatchObject({ sub: 'local' });
  const tab = await first.open();
  await tab.page.goto(link);
  await tab.page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
  expect(tab.page.url()).not.toContain(token);
  expect(tab.urls.filter((url) => url.includes(token) || url.includes('token='))).toEqual([]);
  await tab.page.goBack().catch(() => null);
  expect(tab.page.url()).not.toContain(token);
  await tab.close();
  await first.stop();
  rmSync(directory, { recursive: true, force: true });
});

it('a link that signs in never replaces a session without asking, and says whose session and which teams each is', async () => {
  const { page, tab } = user;
  const mine = user.token();
  const team = randomUUID();
  const theirs = jwt.sign({ teams: { [team]: ['view_team'] } }, jwtSecret, { subject: 'mallory', expiresIn: 600 });
  await tab.signIn(mine);
  await user.goTo('keys/new');
  await page.getByLabel('Name').fill('Typed before the link');
  const dialog = page.getByRole('dialog', { name: 'Replace your session?' });
  const follow = async (token: string) => {
    await openLink(token);
    await dialog.getByRole('region', { name: 'Your session' }).getByText('ada@example.com').waitFor();
    await dialog.getByRole('region', { name: 'Your session' }).getByText(user.dashboard.team).waitFor();
  };
  // In the page that is there already: what was typed stays.
  await follow(theirs);
  const offered = dialog.getByRole('region', { name: 'The new session' });
  await offered.getByText('mallory').waitFor();
  await offered.getByText(`${team}: view_team`).waitFor();
  expect(await storedToken()).toBe(mine);
  expect(page.url()).not.toContain(theirs);
  await dialog.getByRole('button', { name: 'Keep mine' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await storedToken()).toBe(mine);
  expect(await page.getByLabel('Name').inputValue()).toBe('Typed before the link');
  expect(page.url()).toContain(`teams/${user.dashboard.team}/keys/new`);
  // By a page load, with a token that is no good: there is nothing to replace the session with.
  await page.goto('about:blank');
  await follow(foreign);
  await offered.getByRole('alert').getByText('not valid').waitFor();
  expect(await dialog.getByRole('button', { name: 'Replace it' }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  // The link of the very session asks nothing.
  await openLink(mine);
  await showsKeys();
  expect(await dialog.count()).toBe(0);
  await page.goto('about:blank');
  await follow(theirs);
  await dialog.getByRole('button', { name: 'Replace it' }).click();
  await expect.poll(() => storedToken()).toBe(theirs);
  await page.waitForURL(`**/#/teams/${team}/keys`);
});

it('asks for another token after the expiry, and keeps what was typed', async () => {
  // jsonwebtoken gives five seconds of grace for clocks that differ.
  const short = jwt.sign({ teams: { [user.dashboard.team]: both } }, jwtSecret, {
    subject: 'ada@example.com',
    expiresIn: 10,
  });
  await user.tab.signIn(short);
  await user.goTo('keys/new');
  await user.page.getByLabel('Name').fill('Typed before the end');
  const over = async () => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${short}` };
    const body = JSON.stringify({ query: '{ viewer { subject } }' });
    return (await fetch(`${user.dashboard.service.url}/graphql`, { method: 'POST', headers, body })).status;
  };
  await expect.poll(over, { timeout: 30_000, interval: 250 }).toBe(401);
  await user.page.getByRole('button', { name: 'Create', exact: true }).click();
  const dialog = user.page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByText('expired').first().waitFor();
  await user.signInAgain();
  // The rejected call is repeated, without another click.
  await sees('The secret of “Typed before the end”');
});

it('says that a session has no team, and that the store is unavailable', async () => {
  const { page, tab } = user;
  await tab.signIn(tokenFor({}));
  await sees('Your session token names no team');
  await user.forget();
  await tab.signIn(user.token());
  const error = { message: 'The store does not answer.', extensions: { code: 'UNAVAILABLE', requestId: 'request-1' } };
  const recover = await user.answerWith('', { status: 503, json: { errors: [error] } });
  await user.goTo('overview');
  // The use of the keys, the rejected ones and the numbers above them.
  await expect.poll(() => page.getByRole('alert').count()).toBe(3);
  const alert = page.getByRole('alert').first();
  await alert.getByText('UNAVAILABLE').waitFor();
  await alert.getByText('request-1').waitFor();
  await recover();
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Active', { exact: true }).waitFor();
});

const badTokens = [
  ['nonsense', 'malformed'],
  ['%E0%A4%A', 'malformed'],
  ['', 'Paste a session token'],
  ['lk_live_12345678_something', 'API key'],
  [tokenFor({}, -60), 'expired'],
  [foreign, 'not valid'],
  [tokenFor(Object.fromEntries(Array.from({ length: 300 }, () => [randomUUID(), both]))), 'at most 8,192 are accepted'],
] as const;

it('says what is wrong with a token in a link or the form, and accepts one with what is copied around it', async () => {
  const { page } = user;
  for (const [token, problem] of badTokens) {
    await page.goto('about:blank');
    await openLink(token);
    const status = page.getByRole('status').filter({ hasText: 'The link can’t sign you in' });
    await status.filter({ hasText: problem }).waitFor();
    expect(await page.getByLabel('Loading').count()).toBe(0);
    expect(page.url()).not.toContain('token');
    await paste(token);
    await page.locator('.mantine-InputWrapper-error').filter({ hasText: problem }).waitFor();
  }
  await paste(`Bearer ${user.token()}`);
  await showsKeys();
  await user.forget();
  const recover = await user.answerWith('', { status: 403, body: '<h1>Forbidden by a proxy</h1>' });
  await openLink(user.token());
  await page.getByRole('alert').getByText('HTTP 403').waitFor();
  await recover();
  await paste(` https://keys.example.com/#token=${user.token()}\n`);
  await showsKeys();
});

it('a stored token that the server rejects leads to the sign-in page', async () => {
  await openSignIn();
  await user.page.evaluate(`sessionStorage.setItem('latchkey-session-token', ${JSON.stringify(foreign)})`);
  await user.goTo('overview');
  await user.page.reload();
  await heading('Sign in to Latchkey');
  await sees('not valid');
  await paste(user.token());
  // The page that was asked for.
  await heading('Overview');
});

it('another user sees no data of the previous session', async () => {
  const { page, tab } = user;
  await user.create({ name: 'Of the user before' });
  await tab.signIn(user.token());
  await page.getByRole('link', { name: 'Of the user before' }).waitFor();
  // The server does not accept the token of the tab anymore.
  const recover = await user.expire();
  await page.getByRole('link', { name: 'Overview' }).click();
  await user.dialog('Sign in again').waitFor();
  await recover();
  const team = randomUUID();
  const other = jwt.sign({ teams: { [team]: both }, team_names: { [team]: 'Billing' } }, jwtSecret, {
    subject: 'bob',
    expiresIn: 600,
  });
  await user.signInAgain(other);
  const offer = page.getByRole('dialog', { name: 'Replace your session?' });
  await offer.getByRole('region', { name: 'Your session' }).getByText('ada@example.com').waitFor();
  await offer.getByText('bob').waitFor();
  await offer.getByText('Team Billing:').waitFor();
  // What the waiting call of the user before would have shown, it never shows.
  await offer.getByRole('button', { name: 'Replace it' }).click();
  await page.waitForURL(`**/#/teams/${team}/keys`);
  await sees('This team has no keys yet');
  expect(await page.getByText('Of the user before').count()).toBe(0);
  await page.goBack();
  await heading('Not a team of yours');
  expect(await page.getByText('Of the user before').count()).toBe(0);
});

it('keeps the session token in its tab: not in a cookie, nor where another tab finds it', async () => {
  const token = user.token();
  await user.tab.signIn(token);
  expect(await user.context.cookies()).toEqual([]);
  expect(await user.page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain(token);
  const other = await user.context.newPage();
  await other.goto(`${user.dashboard.service.url}/`);
  await other.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await other.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toContain(token);
});
