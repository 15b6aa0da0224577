/** Neither a secret that is shown once nor the result of a change is lost by accident: every way out asks first. */
import { randomBytes, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { beforeEach, expect, it } from 'vitest';
import {
  both,
  createKey,
  type Dashboard,
  holdOperation,
  jwtSecret,
  startDashboard,
  type Tab,
  tokenFor,
} from './support/dashboard.ts';
import { all } from './support/test.ts';

const otherTeam = randomUUID();
let dashboard: Dashboard;
let tab: Tab;
beforeEach(async () => {
  dashboard = await startDashboard();
  tab = await dashboard.open();
  return tab.close;
});

const token = () => tokenFor({ [dashboard.team]: both, [otherTeam]: both });

/** Creates a key by the links of the dashboard, as on the first run, and returns its secret. */
async function showSecret(): Promise<string> {
  const { page } = tab;
  await page
    .getByRole('link', { name: /^Create (?:a|the first) key$/ })
    .first()
    .click();
  await page.getByLabel('Name').fill('Precious');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  return (await page.getByTestId('secret').textContent()) ?? '';
}

/** Expects the question, answers that the user stays, and that the secret is still there. */
async function expectAsked(secret: string): Promise<void> {
  const { page } = tab;
  const dialog = page.getByRole('dialog', { name: 'Leave without the secret?' });
  await dialog.getByRole('button', { name: 'Stay' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await page.getByTestId('secret').textContent()).toBe(secret);
  expect(page.url()).toContain('/keys/new');
}

const typed = (fragment: string) => tab.page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);

interface WayOut {
  readonly name: string;
  readonly take: () => Promise<unknown>;
}

const waysOut: readonly WayOut[] = [
  { name: 'Back', take: () => tab.page.evaluate('history.back()') },
  { name: 'a typed address', take: () => typed(`/teams/${dashboard.team}/overview`) },
  {
    name: 'Back from a typed address that was declined',
    take: async () => {
      await typed(`/teams/${dashboard.team}/overview`);
      await tab.page.getByRole('dialog', { name: 'Leave' }).getByRole('button', { name: 'Stay' }).click();
      await tab.page.getByRole('dialog', { name: 'Leave' }).waitFor({ state: 'hidden' });
      await tab.page.evaluate('history.back()');
    },
  },
  { name: 'a link of the navigation', take: () => tab.page.getByRole('link', { name: 'Overview' }).click() },
  {
    name: 'another team',
    take: async () => {
      const other = tab.page.url().includes(otherTeam) ? dashboard.team : otherTeam;
      await tab.page.getByRole('combobox', { name: 'Team' }).fill(other);
      await tab.page.locator('[role=option]').click();
    },
  },
  {
    name: 'signing out',
    take: async () => {
      await tab.page.getByRole('button', { name: 'Session' }).click();
      await tab.page.getByRole('button', { name: 'Sign out' }).click();
    },
  },
  {
    name: 'a command of the palette',
    take: async () => {
      await tab.page.keyboard.press('Control+k');
      await tab.page.getByRole('combobox', { name: 'Command' }).fill('try');
      await tab.page.keyboard.press('Enter');
    },
  },
  {
    name: 'the session of a link',
    take: async () => {
      const theirs = jwt.sign({ teams: { [otherTeam]: both } }, jwtSecret, { subject: 'mallory', expiresIn: 600 });
      await typed(`token=${theirs}`);
      await tab.page.getByRole('button', { name: 'Replace it' }).click();
    },
  },
  {
    name: 'a session of the same user that has other teams',
    take: async () => {
      await typed(`token=${tokenFor({ [randomUUID()]: both })}`);
      await tab.page.getByRole('button', { name: 'Replace it' }).click();
    },
  },
];

it.each(waysOut)('asks before $name loses a secret that is not saved', async ({ take }) => {
  // As on a first run: the sign-in page is there already when the link is opened.
  await tab.page.goto(dashboard.service.url);
  await tab.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await tab.page.goto(`${dashboard.service.url}/#token=${token()}`);
  const secret = await showSecret();
  await take();
  await expectAsked(secret);
  // It is not asked for ever: who leaves, leaves.
  await typed(`/teams/${otherTeam}/overview`);
  await tab.page.getByRole('button', { name: 'Leave', exact: true }).click();
  await tab.page.getByTestId('secret').waitFor({ state: 'detached' });
});

it('asks before a signing secret is lost that has not been shown yet, although the secret of the key is saved', async () => {
  const { page } = tab;
  await tab.signIn(token());
  await tab.goTo(`teams/${dashboard.team}/keys/new?name=Signed&signing=on`);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByTestId('secret').waitFor();
  await page.getByLabel('I have saved it').check();
  await page.getByRole('link', { name: 'Overview' }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave without the signing secret?' });
  await dialog.getByRole('button', { name: 'Stay' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Continue to the signing secret' }).click();
  expect(await page.getByTestId('secret').textContent()).toMatch(/^[0-9a-f]{64}$/);
});

it('warns before the tab with a secret is closed or loaded again, and not once the secret is saved', async () => {
  await tab.signIn(token());
  const secret = await showSecret();
  const asked: string[] = [];
  tab.page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  await tab.page.close({ runBeforeUnload: true });
  await expect.poll(() => asked).toEqual(['beforeunload']);
  expect(await tab.page.getByTestId('secret').textContent()).toBe(secret);
  await tab.page.getByLabel('I have saved it').check();
  await tab.page.getByRole('link', { name: 'Overview' }).click();
  await tab.page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(asked).toHaveLength(1);
});

interface Work {
  readonly name: string;
  /** A part of its requests to GraphQL. */
  readonly operation: string;
  readonly question: string;
  readonly start: () => Promise<unknown>;
  /** Waits for the result that leaving would have hidden. */
  readonly seen: () => Promise<unknown>;
}

const press = (name: string) => tab.page.getByRole('button', { name, exact: true }).click();
const secretIsSeen = () => tab.page.getByTestId('secret').waitFor();
const issuing = 'Leave while a secret is being issued?';

const works: readonly Work[] = [
  {
    name: 'a key that is being created',
    operation: 'CreateKey',
    question: issuing,
    start: async () => {
      await tab.goTo(`teams/${dashboard.team}/keys/new?name=Awaited`);
      await press('Create');
    },
    seen: secretIsSeen,
  },
  {
    name: 'a key that is being rotated',
    operation: 'RotateKey',
    question: issuing,
    start: async () => {
      const { id } = await createKey(dashboard, { name: 'Rotated' });
      await tab.goTo(`teams/${dashboard.team}/keys/${id}?part=rotate`);
      await press('Rotate');
    },
    seen: secretIsSeen,
  },
  {
    name: 'a signing secret that is being issued',
    operation: 'EnableSigning',
    question: issuing,
    start: async () => {
      const { id } = await createKey(dashboard, { name: 'Signed' });
      await tab.goTo(`teams/${dashboard.team}/keys/${id}`);
      await press('Enable signing');
      await tab.page.getByRole('dialog').getByRole('button', { name: 'Enable signing' }).click();
    },
    seen: secretIsSeen,
  },
  {
    name: 'keys that are being disabled',
    operation: 'ChangeKeys',
    question: 'Leave while keys are changed?',
    start: async () => {
      await createKey(dashboard, { name: 'Held in a list' });
      await tab.goTo(`teams/${dashboard.team}/keys?search=${encodeURIComponent('Held in a list')}`);
      // Rows of the former list can't be selected.
      await tab.page.getByText('1 to 1 of 1', { exact: true }).waitFor();
      await tab.page.getByLabel('Select Held in a list').check();
      await press('Disable…');
      await press('Disable 1 key');
    },
    seen: () => tab.page.getByText('1 key disabled').waitFor(),
  },
  {
    name: 'an import',
    operation: '"dryRun":false',
    question: 'Leave during the import?',
    start: async () => {
      await tab.goTo(`teams/${dashboard.team}/import`);
      await tab.page
        .getByLabel('Or paste the lines')
        .fill(JSON.stringify({ digest: randomBytes(32).toString('hex'), name: 'Imported' }));
      await press('Dry run');
      await press('Import 1 key');
    },
    seen: () => tab.page.getByText('1 imported').waitFor(),
  },
];

it.each(works)('asks before the page is left that waits for $name', async ({ operation, question, start, seen }) => {
  await tab.signIn(tokenFor({ [dashboard.team]: all }));
  const { asked, answer } = await holdOperation(tab, operation);
  await start();
  await asked();
  await typed(`/teams/${dashboard.team}/overview`);
  const dialog = tab.page.getByRole('dialog', { name: question });
  await dialog.getByRole('button', { name: 'Stay' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await answer();
  await seen();
});
