/** Neither a secret that is shown once nor the result of a change is lost by accident: every way out asks first. */
import { randomBytes, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { expect, it } from 'vitest';
import { both, jwtSecret, tokenFor } from './support/dashboard.ts';
import { all, userOf } from './support/test.ts';

const otherTeam = randomUUID();
const user = userOf({ permissions: all, otherTeams: [otherTeam] });
const { goTo, create, dialog, sees, verdict } = user;

const press = (name: string) => user.button(name).last().click();
const secret = () => user.page.getByTestId('secret');
const part = (name: string) => user.page.getByRole('tab', { name, exact: true });
const typed = (fragment: string) => user.page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
const openLink = async (token: string) => {
  await typed(`token=${token}`);
  await press('Replace it');
};

/** Expects the question, and answers that the user stays. */
async function stay(question: string): Promise<void> {
  await dialog(question).getByRole('button', { name: 'Stay' }).click();
  await dialog(question).waitFor({ state: 'hidden' });
}

const waysOut: Readonly<Record<string, () => Promise<unknown>>> = {
  Back: () => user.page.evaluate('history.back()'),
  'a typed address': () => typed(`/teams/${user.dashboard.team}/overview`),
  'Back from a typed address that was declined': async () => {
    await typed(`/teams/${user.dashboard.team}/overview`);
    await stay('Leave without the secret?');
    await user.page.evaluate('history.back()');
  },
  'a link of the navigation': () => user.page.getByRole('link', { name: 'Overview' }).click(),
  'another team': async () => {
    const other = user.page.url().includes(otherTeam) ? user.dashboard.team : otherTeam;
    await user.page.getByRole('combobox', { name: 'Team' }).fill(other);
    await user.page.locator('[role=option]').click();
  },
  'signing out': async () => {
    await press('Session');
    await press('Sign out');
  },
  'a command of the palette': async () => {
    await user.page.keyboard.press('Control+k');
    await user.page.getByRole('combobox', { name: 'Command' }).fill('try');
    await user.page.keyboard.press('Enter');
  },
  'the session of a link': () =>
    openLink(jwt.sign({ teams: { [otherTeam]: both } }, jwtSecret, { subject: 'mallory', expiresIn: 600 })),
  'a session of the same user that has other teams': () => openLink(tokenFor({ [randomUUID()]: both })),
};

it('asks before any way out loses a secret that is not saved, and not once it is', async () => {
  const { page } = user;
  // As on a first run: the sign-in page is there already when the link is opened.
  await press('Session');
  await press('Sign out');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.goto(`${user.dashboard.service.url}/#token=${user.token()}`);
  await press('Yes, sign in');
  await page
    .getByRole('link', { name: /^Create (?:a|the first) key$/ })
    .first()
    .click();
  await page.getByLabel('Name').fill('Precious');
  await press('Create');
  const shown = await secret().textContent();
  for (const [name, take] of Object.entries(waysOut)) {
    await take();
    await stay('Leave without the secret?');
    expect(await secret().textContent(), name).toBe(shown);
    expect(page.url(), name).toContain('/keys/new');
  }
  await press('Keep mine');
  const warned = page.waitForEvent('dialog');
  const closing = page.close({ runBeforeUnload: true });
  expect((await warned).type()).toBe('beforeunload');
  await (await warned).dismiss();
  await closing;
  expect(await secret().textContent()).toBe(shown);
  // It is not asked for ever: who leaves, leaves.
  await typed(`/teams/${otherTeam}/overview`);
  await press('Leave');
  await secret().waitFor({ state: 'detached' });
});

it('does not ask once the secret is saved, but before a signing secret is lost that has not been shown yet', async () => {
  await goTo('keys/new?name=Signed&signing=on');
  await press('Create');
  await user.page.getByLabel('I have stored it').check();
  await user.page.getByRole('link', { name: 'Overview' }).click();
  await stay('Leave without the signing secret?');
  await press('Continue to the signing secret');
  expect(await secret().textContent()).toMatch(/^[0-9a-f]{64}$/);
  await user.page.getByLabel('I have stored it').check();
  await user.page.getByRole('link', { name: 'Overview' }).click();
  await user.heading('Overview');
});

const rotation = {
  name: 'a key that is being rotated',
  operation: 'RotateKey',
  start: async () => {
    await goTo(`keys/${(await create()).id}?tab=rotation`);
    await press('Rotate');
  },
};
const signing = {
  name: 'a signing secret that is being issued',
  operation: 'EnableSigning',
  start: async () => {
    await goTo(`keys/${(await create()).id}?tab=access`);
    await press('Enable signing');
    await dialog('Require signed requests?').getByRole('button', { name: 'Enable signing' }).click();
  },
};

interface Work {
  readonly name: string;
  readonly operation: string;
  readonly start: () => Promise<unknown>;
  readonly question?: string;
  /** The result that leaving would have hidden. By default, a secret. */
  readonly result?: string;
}

const works: readonly Work[] = [
  rotation,
  signing,
  {
    name: 'a key that is being created',
    operation: 'CreateKey',
    start: async () => {
      await goTo('keys/new?name=Awaited');
      await press('Create');
    },
  },
  {
    name: 'keys that are being disabled',
    operation: 'ChangeKeys',
    question: 'Leave while keys are changed?',
    start: async () => {
      await create({ name: 'Held in a list' });
      await goTo('keys?search=Held');
      // Rows of the former list can't be selected.
      await sees('1 to 1 of 1');
      await user.page.getByLabel('Select Held in a list').check();
      await press('Disable…');
      await press('Disable 1 key');
    },
    result: '“Held in a list” is disabled.',
  },
  {
    name: 'an import',
    operation: '"dryRun":false',
    question: 'Leave during the import?',
    start: async () => {
      await goTo('import');
      const line = JSON.stringify({ digest: randomBytes(32).toString('hex'), name: 'Imported' });
      await user.page.getByLabel('Or paste the lines').fill(line);
      await press('Dry run');
      await press('Import 1 key');
    },
    result: '1 imported',
  },
];

it.each(works)('asks before the page is left that waits for $name', async (work) => {
  const { operation, start, question = 'Leave while a secret is being issued?', result } = work;
  const { asked, answer } = await user.hold(operation);
  await start();
  await asked();
  await typed(`/teams/${user.dashboard.team}/overview`);
  await stay(question);
  await answer();
  if (result !== undefined) return await sees(result);
  await secret().waitFor();
  await user.page.getByLabel('I have stored it').check();
});

it.each([
  { ...rotation, place: 'Rotation' },
  { ...signing, place: 'Access' },
])('asks before $name is lost by leaving from another tab of the page', async ({ start, place }) => {
  await start();
  const shown = await secret().textContent();
  await part('History').click();
  await user.page.getByRole('rowgroup', { name: 'Created' }).waitFor();
  await user.page.getByRole('link', { name: 'Overview' }).click();
  await stay('Leave without the secret?');
  await part(place).click();
  expect(await secret().textContent()).toBe(shown);
});

it('shows a new secret that was issued while another tab of the page was shown', async () => {
  const { answer } = await user.hold('RotateKey');
  await rotation.start();
  await part('History').click();
  const response = user.page.waitForResponse((one) => one.request().postData()?.includes('RotateKey') === true);
  await answer();
  await (await response).finished();
  await part('Rotation').click();
  expect(await verdict({ key: await secret().textContent() })).toBe('VALID');
});
