/** The command palette finds pages, actions, teams and keys. */
import { expect, it } from 'vitest';
import { violations } from './support/axe.ts';
import { createKey } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const other = '0f3c8a52-7d1e-4b69-8c25-5e9d7a1b3c4f';
const user = userOf({ otherTeams: [other] });
const { create, goTo, sees, focused, dialogCloses, hold } = user;

const field = () => user.page.getByRole('combobox', { name: 'Command' });
const options = () => user.page.getByRole('option');
const active = () =>
  user.page.evaluate<string>(`document.getElementById(
    document.activeElement.getAttribute('aria-activedescendant'))?.textContent`);

async function open(): Promise<void> {
  await goTo('overview');
  await user.page.getByRole('heading', { name: 'Overview' }).waitFor();
  await dialogCloses();
  await user.page.keyboard.press('Control+k');
  await field().waitFor();
}

it('finds a key by a part of its name or by its prefix, with its state and environment, and Enter opens it', async () => {
  const { page } = user;
  const key = await create({ name: 'Billing worker', env: 'test' });
  await create({ name: 'Billing web' });
  await open();
  await field().pressSequentially('ling wor');
  const found = options().filter({ hasText: 'Billing worker' });
  await found.getByText('active').waitFor();
  expect(await found.textContent()).toContain('test');
  expect(await options().filter({ hasText: 'Billing web' }).count()).toBe(0);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Billing worker' }).waitFor();
  expect(page.url()).toContain(`/keys/${key.id}`);
  await open();
  await field().fill(key.prefix);
  await found.waitFor();
  await page.keyboard.press('ArrowDown');
  await expect.poll(active).toContain('Search keys for');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Billing worker' }).waitFor();
});

it('finds a key by its secret, its id or a line of a log, also of another team, and puts an exact prefix first', async () => {
  const { page } = user;
  const { id, secret, prefix } = await create({ name: 'Secretive' });
  await create({ name: `After ${prefix}` });
  const theirs = await createKey({ service: user.dashboard.service, team: other }, { name: 'Of the others' });
  await open();
  for (const text of [secret, id.toUpperCase(), `"GET /orders" key=${prefix.toLowerCase()} 403`, `${prefix}…`]) {
    await field().fill(text);
    await options().filter({ hasText: 'Secretive' }).waitFor();
    await field().fill('');
    await options().filter({ hasText: 'Secretive' }).waitFor({ state: 'detached' });
  }
  await field().fill(prefix);
  await options().filter({ hasText: 'After' }).waitFor();
  const first = page.getByRole('listbox', { name: 'Commands' }).getByRole('option').first();
  expect(await first.textContent()).toContain('Secretive');
  await field().fill(theirs.prefix);
  await options().filter({ hasText: 'found in the team' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Of the others' }).waitFor();
  expect(page.url()).toContain(`/teams/${other}/keys/`);
  expect(user.tab.urls.filter((url) => url.includes(secret))).toEqual([]);
});

it('says why a text finds no key', async () => {
  const { page } = user;
  const { secret } = await create({ name: 'Partly known' });
  await open();
  for (const [text, why] of [
    [secret.slice(20, 35), 'A part of a secret can’t be found'],
    [`whsec_${'A'.repeat(43)}=`, 'This is the secret of a webhook'],
    ['lk_live_00000000', 'No key of your teams has a prefix that is lk_live_00000000.'],
  ] as const) {
    await field().fill(text);
    await page.getByRole('dialog').getByRole('status').getByText(why).waitFor();
  }
});

it('tells a screen reader which command is selected and what is found, and returns the focus', async () => {
  const { page } = user;
  await create({ name: 'Spoken' });
  await open();
  await page.keyboard.press('Escape');
  await dialogCloses();
  await page.getByRole('link', { name: 'Audit' }).focus();
  await page.keyboard.press('Control+k');
  await field().waitFor();
  await expect.poll(active).toContain('Keys');
  await page.keyboard.press('ArrowDown');
  await expect.poll(active).toContain('Overview');
  const { answer } = await hold('FindKeys');
  await field().fill('spoken');
  await sees('Searching keys…');
  await answer();
  await sees('2 found');
  await expect.poll(active).toContain('Spoken');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialogCloses();
  await expect.poll(focused).toBe('Audit');
});

it('never shows the keys of another team, also while it searches', async () => {
  await create({ name: 'Wandering' });
  await open();
  await field().fill('wander');
  await options().filter({ hasText: 'Wandering' }).waitFor();
  await user.page.keyboard.press('Escape');
  await dialogCloses();
  await user.tab.goTo(`teams/${other}/audit`);
  const { asked, answer } = await hold('FindKeys');
  await user.page.keyboard.press('Control+k');
  await field().fill('wander');
  await asked();
  await options().filter({ hasText: 'Search keys for' }).waitFor();
  expect(await options().filter({ hasText: 'Wandering' }).count()).toBe(0);
  await answer();
});

it('keys that can’t be searched leave the other commands usable, and can be searched again', async () => {
  await create({ name: 'Lost and found' });
  await open();
  await user.tab.context.route('**/graphql', (route) =>
    route.request().postData()?.includes('FindKeys') === true
      ? route.fulfill({
          json: { data: null, errors: [{ message: 'Too slow.', extensions: { code: 'RATE_LIMITED' } }] },
        })
      : route.continue(),
  );
  await field().fill('lost');
  await user.page.getByRole('alert').getByText('Too slow.').waitFor();
  await options().filter({ hasText: 'Search keys for “lost”' }).waitFor();
  await user.tab.context.unroute('**/graphql');
  await user.button('Try again').click();
  await options().filter({ hasText: 'Lost and found' }).waitFor();
});

it('offers Import only to those who may import', async () => {
  await open();
  await field().fill('impo');
  await options().filter({ hasText: 'Search keys for' }).waitFor();
  expect(
    await options()
      .filter({ hasText: /^Import/ })
      .count(),
  ).toBe(0);
  expect(await user.page.getByRole('link', { name: 'Import' }).count()).toBe(0);
  await user.page.keyboard.press('Escape');
  await goTo('import');
  await sees('Your session does not grant import_keys on this team.');
  const tab = await user.openAs(['view_team', 'import_keys']);
  await tab.page.getByRole('link', { name: 'Import', exact: true }).waitFor();
  await tab.page.keyboard.press('Control+k');
  await tab.page.getByRole('combobox', { name: 'Command' }).fill('impo');
  await tab.page.getByRole('option', { name: 'Import' }).first().waitFor();
  await tab.close();
});
