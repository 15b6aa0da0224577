// SECURITY.md: Text in the dashboard or on a terminal, such as the name of a key; Sign-in links
/** Sessions that begin with a token: by the link of a first run, or pasted, in one tab and in several. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import jwt from 'jsonwebtoken';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { problemsOfAllLooks } from './support/axe.ts';
import { launchWithProfile } from './support/browser.ts';
import { both, callGraphQL, jwtSecret, startOwnDashboard, tokenFor } from './support/dashboard.ts';
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

const agree = (page: Page) => page.getByRole('button', { name: 'Yes, sign in' }).click();
const openLink = (token: string) => user.page.goto(`${user.dashboard.service.url}/#token=${token}`);
const showsKeys = () => heading('Keys');
/** Returns whose session the browser has, as the service says. */
const signedIn = async () => {
  const session = await user.page.request.get(`${user.dashboard.service.url}/session`, {
    headers: { 'latchkey-session': 'current' },
  });
  return (await session.json()).subject as string | undefined;
};
/** Returns the addresses that Back and Forward lead to. */
async function historyOf(page: Page): Promise<string> {
  const client = await page.context().newCDPSession(page);
  const { entries } = await client.send('Page.getNavigationHistory');
  return entries.map(({ url }) => url).join('\n');
}

it('the link that a first run prints signs in, and its token reaches no server in a URL and stays in no address', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-link-'));
  const first = await startOwnDashboard({ DATA_DIR: directory }, { terminal: true });
  const link = /http:\/\/\S+\/#token=\S+/.exec(first.output())?.[0] ?? '';
  expect(link).toContain(first.service.url);
  const token = link.split('#token=')[1] ?? '';
  expect(jwt.decode(token)).toMatchObject({ sub: 'local' });
  const tab = await first.open();
  await tab.page.goto(link);
  await agree(tab.page);
  await tab.page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
  expect(tab.page.url()).not.toContain(token);
  expect(tab.urls.filter((url) => url.includes(token) || url.includes('token='))).toEqual([]);
  // In the page that is there already, as a link in a terminal opens it.
  await tab.page.evaluate(`location.href = ${JSON.stringify(link)}`);
  await expect.poll(() => tab.page.url()).not.toContain(token);
  expect(await historyOf(tab.page)).not.toContain(token);
  await tab.page.getByRole('dialog').getByText('used already').waitFor();
  await tab.page.getByRole('button', { name: 'Keep mine' }).click();
  await tab.close();
  await first.stop();
  rmSync(directory, { recursive: true, force: true });
});

it('a link signs in a browser without a session only after the user has read as whom and where, and has agreed', async () => {
  const { page, dashboard } = user;
  const teams = { [dashboard.team]: both, [randomUUID()]: ['view_team'] };
  const theirs = jwt.sign({ teams, team_names: { [dashboard.team]: 'Billing' } }, jwtSecret, {
    subject: 'mallory',
    expiresIn: 600,
  });
  await openLink(theirs);
  const asked = page.getByRole('region', {
    name: `Sign in as mallory to ${new URL(dashboard.service.url).host}?`,
  });
  await asked.getByText('Team Billing: view_team, manage_keys').waitFor();
  expect(await asked.getByRole('listitem').count()).toBe(2);
  expect(await problemsOfAllLooks(page)).toEqual([]);
  // A key that the user presses at this moment does not agree.
  for (const key of ['Enter', 'Space']) await page.keyboard.press(key);
  await page.getByRole('button', { name: 'No', exact: true }).click();
  await page.getByLabel('Session token', { exact: true }).waitFor();
  expect(await signedIn()).toBe(undefined);
  expect(await user.context.cookies()).toEqual([]);
  await openLink(theirs);
  await agree(page);
  await heading('Keys');
  expect(await signedIn()).toBe('mallory');
});

it('a link that is left in the history file of Chromium signs no one in', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-history-'));
  const own = await startOwnDashboard({ DATA_DIR: join(directory, 'service') }, { terminal: true });
  try {
    const link = /http:\/\/\S+\/#token=\S+/.exec(own.output())?.[0] ?? '';
    const context = await launchWithProfile(join(directory, 'profile'));
    const page = await context.newPage();
    await page.goto(link);
    await agree(page);
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
    await context.close();
    const history = new Sqlite(join(directory, 'profile/Default/History'), { readonly: true });
    const urls = history.prepare('SELECT url FROM urls').pluck().all() as string[];
    history.close();
    // Chromium keeps it, whatever the page does: the test would prove nothing without it.
    const [token = ''] = urls.flatMap((url) => url.split('#token=')[1] ?? []);
    expect(token).toBe(link.split('#token=')[1]);
    const headers = { 'content-type': 'application/json' };
    for (const path of ['/session', '/session/viewer']) {
      const body = JSON.stringify({ token });
      const { status } = await fetch(`${own.service.url}${path}`, { method: 'POST', headers, body });
      expect([path, status]).toEqual([path, 401]);
    }
    await expect(callGraphQL(own.service, token, '{ viewer { subject } }', {})).rejects.toThrow('UNAUTHENTICATED');
  } finally {
    await own.stop();
    rmSync(directory, { recursive: true, force: true });
  }
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
  expect(await signedIn()).toBe('ada@example.com');
  expect(page.url()).not.toContain(theirs);
  await dialog.getByRole('button', { name: 'Keep mine' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await signedIn()).toBe('ada@example.com');
  expect(await page.getByLabel('Name').inputValue()).toBe('Typed before the link');
  expect(page.url()).toContain(`teams/${user.dashboard.team}/keys/new`);
  // By a page load, with a token that is no good: there is nothing to replace the session with.
  await page.goto('about:blank');
  await follow(foreign);
  await offered.getByRole('alert').getByText('not valid').waitFor();
  expect(await dialog.getByRole('button', { name: 'Replace it' }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  // A link of the same user asks nothing.
  await openLink(mine);
  await showsKeys();
  expect(await dialog.count()).toBe(0);
  await page.goto('about:blank');
  await follow(theirs);
  await dialog.getByRole('button', { name: 'Replace it' }).click();
  await expect.poll(signedIn).toBe('mallory');
  await page.waitForURL(`**/#/teams/${team}/keys`);
});

it('asks for another token after the expiry, and keeps what was typed', async () => {
  // jsonwebtoken gives five seconds of grace for clocks that differ.
  const short = jwt.sign({ teams: { [user.dashboard.team]: both } }, jwtSecret, {
    subject: 'ada@example.com',
    expiresIn: 20,
  });
  await user.tab.signIn(short);
  await user.goTo('keys/new');
  await user.page.getByLabel('Name').fill('Typed before the end');
  await expect.poll(signedIn, { interval: 250 }).toBe(undefined);
  await user.page.getByRole('button', { name: 'Create', exact: true }).click();
  const dialog = user.page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByText('has ended').first().waitFor();
  await user.signInAgain();
  // The rejected call is repeated, without another click.
  await sees('The secret of “Typed before the end”');
});

it('a visit without a session, the sign-in and the sign-out send nothing that is rejected', async () => {
  const { page, dashboard } = user;
  const rejected: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) rejected.push(`${response.status()} ${response.url()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') rejected.push(message.text());
  });
  await page.goto(dashboard.service.url);
  await heading('Sign in to Latchkey');
  await paste(user.token());
  await showsKeys();
  await page.reload();
  await showsKeys();
  await signOutIn(page);
  await page.reload();
  await heading('Sign in to Latchkey');
  expect(rejected).toEqual([]);
});

it('announces the end of a session, and goes on with another token and what was typed', async () => {
  const { page } = user;
  const teams = { [user.dashboard.team]: both };
  await user.tab.signIn(tokenFor(teams, 200));
  const notice = page.getByRole('status').filter({ hasText: 'Your session ends in' });
  await notice.waitFor();
  await user.goTo('keys/new');
  await page.getByLabel('Name').fill('Typed before the end');
  expect(await problemsOfAllLooks(page)).toEqual([]);
  await notice.getByRole('button', { name: 'Sign in again' }).click();
  await user.dialog('Sign in again').getByText('ada@example.com typed is still there').waitFor();
  await user.signInAgain();
  await user.dialogCloses();
  await notice.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await sees('The secret of “Typed before the end”');
});

it('a session that lasts is not announced, and an announcement can be closed', async () => {
  const { page } = user;
  const teams = { [user.dashboard.team]: both };
  const notice = page.getByRole('status').filter({ hasText: 'Your session ends' });
  const asked = page.waitForResponse((response) => response.url().endsWith('/session') && response.status() === 200);
  await user.tab.signIn(tokenFor(teams, 3600));
  await asked;
  await page.clock.install();
  expect(await notice.count()).toBe(0);
  await page.clock.runFor('56:00');
  await notice.waitFor();
  await notice.getByRole('button', { name: 'Close' }).click();
  await notice.waitFor({ state: 'detached' });
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
  // The numbers of keys, their use, the rejected ones, and what happens to leaked ones.
  await expect.poll(() => page.getByRole('alert').count()).toBe(4);
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
  await page.route('**/session/viewer', (route) =>
    route.fulfill({ status: 403, body: '<h1>Forbidden by a proxy</h1>' }),
  );
  await openLink(user.token());
  await page.getByRole('alert').getByText('HTTP 403').waitFor();
  await page.unroute('**/session/viewer');
  await paste(` https://keys.example.com/#token=${user.token()}\n`);
  await showsKeys();
});

it('a session that the server rejects leads to the sign-in page, and from there to the page that was asked for', async () => {
  await user.tab.signIn(user.token());
  const cookies = await user.context.cookies();
  await user.context.addCookies(cookies.map((cookie) => ({ ...cookie, value: cookie.value.slice(0, -5) })));
  await user.goTo('overview');
  await user.page.reload();
  await heading('Sign in to Latchkey');
  await paste(user.token());
  await heading('Overview');
});

it('another user sees no data of the previous session', async () => {
  const { page, tab } = user;
  await user.create({ name: 'Of the user before' });
  await tab.signIn(user.token());
  await page.getByRole('link', { name: 'Of the user before' }).waitFor();
  // The server does not accept the token of the tab anymore.
  const recover = await user.expire('TeamUsage');
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

it('keeps the session in a cookie that no script can read, and the token nowhere', async () => {
  const token = user.token();
  await user.tab.signIn(token);
  expect(await user.context.cookies()).toEqual([expect.objectContaining({ httpOnly: true, sameSite: 'Lax' })]);
  const readable = 'JSON.stringify([document.cookie, { ...sessionStorage }, { ...localStorage }, history.state])';
  expect(await user.page.evaluate(readable)).not.toContain(token);
  expect(await user.page.evaluate('document.cookie')).toBe('');
});

/** Opens another tab of the same browser at the page of the tab. */
async function secondTab(): Promise<Page> {
  const second = await user.context.newPage();
  await second.goto(user.page.url());
  await second.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
  return second;
}

async function signOutIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Session' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Latchkey' }).waitFor();
}

async function signInAs(page: Page, token: string): Promise<void> {
  await page.getByLabel('Session token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const bob = (teams: object) => jwt.sign({ teams }, jwtSecret, { subject: 'bob', expiresIn: 600 });

it('a key opens in another tab, signed in', async () => {
  const { page, tab, context } = user;
  await user.create({ name: 'In a tab of its own' });
  await tab.signIn(user.token());
  const [opened] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'In a tab of its own' }).click({ modifiers: ['ControlOrMeta'] }),
  ]);
  await opened.getByRole('heading', { name: 'In a tab of its own', level: 1 }).waitFor();
});

it('a sign-out in one tab hides the others, which go on with what was typed when the same user signs in', async () => {
  const { page, tab } = user;
  await tab.signIn(user.token());
  const second = await secondTab();
  await user.goTo('keys/new');
  await page.getByLabel('Name').fill('Typed before the sign-out');
  await signOutIn(second);
  const dialog = user.dialog('Sign in again');
  await dialog.getByText('You signed out in another tab').waitFor();
  await page.keyboard.press('Escape');
  expect(await dialog.getByRole('button', { name: 'Not now' }).count()).toBe(0);
  // An overlay that is not translucent.
  const cover = `getComputedStyle(document.querySelector('.mantine-Modal-overlay')).backgroundColor`;
  await expect.poll(() => page.evaluate(cover)).not.toMatch(/rgba|\//);
  // Its copy of the cookie is dead, too.
  expect(await signedIn()).toBe(undefined);
  await signInAs(second, user.token());
  await user.dialogCloses();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await sees('Typed before the sign-out');
});

it('another user in another tab is not shown the page of the first, and the first never acts as the other', async () => {
  const { page, tab, dashboard } = user;
  await user.create({ name: 'Of ada' });
  await tab.signIn(user.token());
  const second = await secondTab();
  await signOutIn(second);
  await signInAs(second, bob({ [dashboard.team]: ['view_team'] }));
  const dialog = user.dialog('Sign in again');
  await dialog.getByText('bob signed in in another tab').waitFor();
  await dialog.getByRole('button', { name: 'continue as bob' }).click();
  await user.dialogCloses();
  await page.getByRole('link', { name: 'Of ada' }).waitFor();
  await page.getByRole('button', { name: 'Session' }).click();
  await sees('bob');
  await page.keyboard.press('Escape');
  // Without word from the other tab, the service rejects the next call.
  await page.request.post(`${dashboard.service.url}/session`, {
    headers: { 'latchkey-session': 'current', origin: dashboard.service.url },
    data: { token: user.token() },
  });
  // Not by a click: the dialog of an earlier call would cover the link.
  await user.goTo('overview');
  await dialog.getByText('ada@example.com signed in in another tab').waitFor();
});

it('a page of another origin can neither act in the session, nor end, replace or read it', async () => {
  const { dashboard } = user;
  const { url } = dashboard.service;
  const victim = await dashboard.open();
  await victim.signIn(user.token());
  const query = `mutation { createKey(input: { teamId: "${dashboard.team}", name: "Forged", env: live }) { secret } }`;
  const form = formOf(`${url}/graphql`, JSON.stringify({ query }));
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(form));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const attacker = await victim.context.newPage();
  // The same site for cookies, whose ports do not count, and another site.
  for (const host of ['127.0.0.1', 'localhost']) {
    await attacker.goto(`http://${host}:${(server.address() as AddressInfo).port}/`);
    const attack = { url, query, token: bob({}) };
    expect(new Set(await attacker.evaluate(attacks, attack))).toEqual(new Set(['blocked']));
    await attacker.getByRole('button').click();
    await attacker.waitForURL(`${url}/graphql`);
    await attacker.getByText('errors').waitFor();
  }
  await victim.page.reload();
  await victim.page.getByText('This team has no keys yet').waitFor();
  await victim.page.getByRole('button', { name: 'Session' }).click();
  await victim.page.getByText('ada@example.com').waitFor();
  await victim.context.close();
  server.close();
});

/** Returns a form whose text is JSON. Browsers send it to other origins without asking them first. */
function formOf(action: string, json: string): string {
  const name = json.replace(/\}$/, ',"').replaceAll('"', '&quot;');
  return `<form method="post" enctype="text/plain" action="${action}"><input name="${name}" value='":1}'><button>Send</button></form>`;
}

/** Runs in the page of the attacker. Returns what the page learned of each answer. */
async function attacks({ url, query, token }: { url: string; query: string; token: string }): Promise<string[]> {
  const headers = { 'latchkey-session': 'current', 'content-type': 'application/json' };
  const simple = { method: 'POST', mode: 'no-cors', credentials: 'include' } as const;
  const asked = { method: 'POST', credentials: 'include', headers } as const;
  const calls = [
    fetch(`${url}/graphql`, { ...simple, body: JSON.stringify({ query }) }),
    fetch(`${url}/session`, { ...simple, body: JSON.stringify({ token }) }),
    fetch(`${url}/graphql`, { ...asked, body: JSON.stringify({ query }) }),
    fetch(`${url}/session`, { ...asked, body: JSON.stringify({ token }) }),
    fetch(`${url}/session`, { ...asked, method: 'DELETE' }),
    fetch(`${url}/session`, { credentials: 'include' }),
  ];
  const answers = await Promise.allSettled(calls);
  return answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.type : 'blocked'));
}
