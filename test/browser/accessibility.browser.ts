/** Every page and dialog: nothing for axe to find, and nothing wider than the window, in each look. */
import jwt from 'jsonwebtoken';
import { expect, type TestAPI, vi } from 'vitest';
import { problemsOfAllLooks, violations } from './support/axe.ts';
import {
  both,
  type Created,
  callGraphQL,
  createKey,
  type Dashboard,
  holdOperation,
  jwtSecret,
  startDashboard,
  tokenFor,
  verdictOn,
} from './support/dashboard.ts';
import { all, it as base } from './support/test.ts';

const emptyTeam = '6b5dbd5b-6ee6-4a6e-9d1c-1d0ac0f4a1b2';
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** A team with keys of each kind. */
async function prepare(dashboard: Dashboard) {
  const call = async (document: string, id: string) =>
    await callGraphQL(dashboard.service, tokenFor({ [dashboard.team]: both }), document, { id });
  const key = await createKey(dashboard, {
    name: 'Checkout of the web shop',
    expiresAt: inDays(6),
    tags: ['ci', 'export'],
    externalId: 'customer-7',
  });
  const revoked = await createKey(dashboard, { name: 'Old partner feed', env: 'test' });
  await call('mutation ($id: UUID!) { revokeKey(id: $id) { apiKey { id } } }', revoked.id);
  const rotated = await createKey(dashboard, { name: 'Nightly export', env: 'test' });
  await call('mutation ($id: UUID!) { rotateKey(id: $id, overlapSeconds: 3600) { apiKey { id } } }', rotated.id);
  // One word, which no line break divides: with 53 characters, wider than a phone.
  const wide = await createKey(dashboard, { name: 'x'.repeat(53), expiresAt: inDays(5) });
  await verdictOn(dashboard.service, { key: wide.secret, env: 'test' });
  for (const env of ['live', 'live', 'test'])
    await verdictOn(dashboard.service, { key: key.secret, env, sourceIp: '192.0.2.1' });
  const isObserved = async () => {
    const document = 'query ($id: UUID!) { observedSources(keyId: $id) { address } }';
    expect((await call(document, key.id)).observedSources).toHaveLength(1);
  };
  // The verification processes send them in batches.
  await vi.waitFor(isObserved, { timeout: 40_000, interval: 500 });
  return { key, revoked, rotated };
}

const it = base
  .extend('prepared', { scope: 'file' }, async () => {
    const dashboard = await startDashboard();
    return { dashboard, ...(await prepare(dashboard)) };
  })
  .extend('dashboard', ({ prepared }) => prepared.dashboard)
  .extend('token', ({ dashboard: { team } }) => tokenFor({ [team]: all, [emptyTeam]: both }))
  /** Goes to a page of the team, and waits for a text on it. */
  .extend('at', ({ page, goTo }) => async (place: string, shown: string) => {
    await goTo(place);
    await page.getByText(shown).first().waitFor();
  })
  .extend(
    'click',
    ({ button }) =>
      async (name: string) =>
        await button(name).last().click(),
  )
  .extend('state', ({ tab, page, dashboard, prepared: { key, revoked, rotated }, create, call, goTo, at, click }) => ({
    ...{ tab, page, dashboard, key, revoked, rotated, create, call, goTo, at, click },
    /** Goes to a part of the page of a key. */
    atKey: async ({ id }: Pick<Created, 'id'>, part = 'settings', shown = 'Settings') =>
      await at(`keys/${id}?part=${part}`, shown),
    dialog: async (title: string) => await page.getByRole('dialog', { name: title }).waitFor(),
  }));

type ContextOf<Test> = Test extends TestAPI<infer Context> ? Context : never;
type State = ContextOf<typeof it>['state'];

/** Selects a key in the list, and opens a dialog for it. */
async function selected({ page, at, click }: State, kind: string, shown: string): Promise<void> {
  await at('keys', 'Checkout of the web shop');
  await page.getByLabel('Select Checkout of the web shop').check();
  await click(kind);
  await page.getByText(shown).waitFor();
}

/** Shows each state of a page, or a dialog on it. */
const states: Readonly<Record<string, (state: State) => Promise<unknown>>> = {
  'the list of keys': ({ at }) => at('keys', 'Nightly export'),
  'the menu of a key': async ({ page, at, click }) => {
    await at('keys', 'Nightly export');
    await click('Actions for Nightly export');
    await page.getByRole('menuitem', { name: 'Revoke…' }).waitFor();
  },
  'saved filters': async ({ page, at, click }) => {
    await at('keys', 'Nightly export');
    for (const last of [false, true]) {
      await click('Options');
      await page.getByRole('menuitem', { name: 'Saved filters…' }).click();
      await page.getByLabel('Name of the current filters').fill('Mine');
      if (!last) await click('Save');
    }
    await page.getByRole('button', { name: 'Delete Mine' }).waitFor();
  },
  'the dialog to revoke keys': (state) => selected(state, 'Revoke…', 'To continue, type the prefix'),
  'the dialog to tag keys': (state) => selected(state, 'Tag…', 'No key will be changed.'),
  'the result of a change of keys': async (state) => {
    await selected(state, 'Renew…', '1 key will be changed:');
    await state.click('Renew 1 key');
    await state.page.getByText('1 key renewed').waitFor();
  },
  'problems of a new key': async ({ page, at, click }) => {
    await at('keys/new?scope=read&tag=ci&source=bad..host&metadata=x', 'It never changes');
    await click('Create');
    await page.getByText('It is not JSON').waitFor();
  },
  'a search that finds nothing': ({ at }) => at('keys?search=nothing', 'No key matches'),
  'a team without keys': async ({ tab, page }) => {
    await tab.goTo(`teams/${emptyTeam}/keys`);
    await page.getByText('This team has no keys yet.').first().waitFor();
  },
  'a new key': ({ at }) => at('keys/new', 'It never changes'),
  'a new secret': async ({ page, at, click }) => {
    await at('keys/new', 'It never changes');
    await page.getByLabel('Name').fill('Short-lived');
    await click('Create');
    await page.getByTestId('secret').waitFor();
    await page.getByLabel('I have saved it').check();
  },
  'the calendar': async ({ page, at, click }) => {
    await at('keys/new', 'It never changes');
    await page.getByLabel('Expires', { exact: true }).selectOption('At a date…');
    await click('Date and time');
    await page.getByRole('button', { name: 'Next month' }).waitFor();
  },
  'a key': ({ atKey, key }) => atKey(key, 'settings', 'Request signing'),
  'a new signing secret': async ({ page, atKey, create, click }) => {
    await atKey(await create({ name: 'Signed' }), 'settings', 'Request signing');
    await click('Enable signing');
    await page.getByRole('dialog').getByRole('button', { name: 'Enable signing' }).click();
    await page.getByLabel('I have saved it').check();
  },
  'sources with problems': async ({ page, atKey, key }) => {
    await atKey(key, 'settings', 'Request signing');
    await page.getByLabel('Sources that can use the key').fill('10.0.0.1/8');
    await page.getByText('Line 1').waitFor();
  },
  'the dialog to revoke': async ({ page, atKey, key, click }) => {
    await atKey(key, 'settings', 'Request signing');
    await click('Revoke…');
    await page.getByRole('button', { name: 'Revoke permanently' }).waitFor();
  },
  'the use of a key': async ({ page, atKey, key }) => {
    await atKey(key, 'use', 'WRONG_ENVIRONMENT');
    await page.locator('.recharts-bar-rectangle path').first().waitFor();
  },
  'the dialog to allow only recent sources': async ({ page, atKey, key, click }) => {
    await atKey(key, 'use');
    await page.getByLabel('Allow 192.0.2.1').check();
    await click('Allow only these…');
    await click('Preview with recent sources');
    await page.getByText('accepts 1').waitFor();
  },
  'a rotated key': async ({ page, atKey, create, click }) => {
    await atKey(await create({ scopes: ['orders:read'], tags: ['partner'] }), 'rotate', 'Replace the secret');
    await click('Rotate');
    await page.getByLabel('I have saved it').check();
    await click('Watch the previous secret');
    await page.getByText('No client has used the previous secret').waitFor();
  },
  'the dialog to end an overlap': async ({ atKey, rotated, click, dialog }) => {
    await atKey(rotated, 'rotate');
    await click('End the overlap…');
    await dialog('End the overlap now?');
  },
  'the dialog to merge changes': async ({ page, atKey, create, call, click }) => {
    const { id } = await create({ name: 'Contested' });
    await atKey({ id }, 'settings', 'Request signing');
    await page.getByLabel('Name').fill('Mine');
    await call('mutation ($id: UUID!) { updateKey(id: $id, input: { name: "Theirs" }) { apiKey { id } } }', { id });
    await click('Save details');
    await page.getByText('Take theirs').waitFor();
  },
  'the history of a key': ({ atKey, key }) => atKey(key, 'history', 'ada@example.com'),
  'a revoked key': ({ atKey, revoked }) => atKey(revoked, 'settings', 'can’t be changed'),
  'no such key': ({ at, dashboard }) => at(`keys/${dashboard.team}`, 'There is no such key'),
  'a running change of keys': async ({ tab, page, at, click }) => {
    await at('keys', 'Nightly export');
    await holdOperation(tab, 'ChangeKeys');
    await page.getByLabel('Select Nightly export').check();
    await click('Disable…');
    await click('Disable 1 key');
    await page.getByText('of 1…').waitFor();
  },
  'the dialog before leaving': async ({ page, at, goTo, dialog }) => {
    await at('keys/new', 'It never changes');
    await page.getByRole('textbox', { name: 'Name' }).fill('Typed');
    await goTo('overview');
    await dialog('Leave without creating the key?');
  },
  'the overview': ({ at }) => at('overview', 'WRONG_ENVIRONMENT'),
  'a rejected trial of a key': async ({ page, at, key, click }) => {
    await at('try', 'check by check');
    await page.getByLabel('Key', { exact: true }).fill(key.prefix);
    await page.getByLabel('Environment').selectOption('test');
    await click('Try it');
    await page.getByText('The request is rejected').waitFor();
  },
  'a trial of a signed request': async ({ page, at, click }) => {
    await at('try', 'check by check');
    await page.getByLabel('The request is signed').check();
    await click('Try it');
    await page.getByText('The signature covers the URL').waitFor();
  },
  'the audit trail': ({ at }) => at('audit', 'ada@example.com'),
  'an import': async ({ page, at, click }) => {
    await at('import', 'Or paste the lines');
    await page.getByLabel('Or paste the lines').fill('{"digest":"x","name":"Bad"}');
    await click('Dry run');
    await page.getByText('1 rejected').waitFor();
  },
  'no such page': async ({ tab, page }) => {
    await tab.goTo('nowhere');
    await page.getByText('There is no such page').waitFor();
  },
  'an unknown team': async ({ tab, page, key }) => {
    await tab.goTo(`teams/${key.id}/keys`);
    await page.getByText('Not a team of yours').waitFor();
  },
  'the menu of the session': async ({ page, click }) => {
    await click('Session');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  },
  'the list of teams': async ({ page }) => {
    await page.getByRole('combobox', { name: 'Team' }).click();
    // Not those of the selects, which are hidden.
    await page.locator('[role=option]').first().waitFor();
  },
  'the commands': async ({ page, click }) => {
    await click('Commands');
    await page.getByRole('option', { name: 'Overview' }).waitFor();
  },
  'the shortcuts': async ({ page, at }) => {
    await at('overview', 'WRONG_ENVIRONMENT');
    await page.keyboard.press('?');
    await page.getByText('Search the keys of the team').waitFor();
  },
  'the offer of another session': async ({ page, at, dashboard, dialog }) => {
    await at('keys', 'Nightly export');
    const other = jwt.sign({ teams: {} }, jwtSecret, { subject: 'bob', expiresIn: 600 });
    await page.goto(`${dashboard.service.url}/#token=${other}`);
    await dialog('Replace your session?');
    await page.getByText('bob').waitFor();
  },
  'an expired session': async ({ tab, page, at, dialog }) => {
    await at('keys', 'Nightly export');
    const error = { message: 'The session token has expired.', extensions: { code: 'UNAUTHENTICATED' } };
    await tab.context.route('**/graphql', (route) => route.fulfill({ status: 401, json: { errors: [error] } }));
    await page.getByRole('link', { name: 'Overview' }).click();
    await dialog('Sign in again');
  },
};

const title = 'axe finds nothing, and nothing is wider than the window:';

it.for(Object.entries(states))(`${title} %s`, async ([, show], { state }) => {
  await show(state);
  expect(await problemsOfAllLooks(state.page)).toEqual([]);
});

it(`${title} the sign-in page`, async ({ dashboard, signedOut: { page } }) => {
  await page.goto(dashboard.service.url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Paste a session token.').waitFor();
  expect(await problemsOfAllLooks(page)).toEqual([]);
});

// Opened at its width: an open menu does not follow a window that changes.
it.for([
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 320],
] as const)(
  `${title} the menu of the list with all columns, in %s colors at %i px`,
  async (look, { page, at, click }) => {
    const [colorScheme, width] = look;
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await at('keys', 'Nightly export');
    await click('Options');
    for (const name of ['Tags', 'External ID']) await page.getByRole('menuitemcheckbox', { name }).click();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
  },
);
