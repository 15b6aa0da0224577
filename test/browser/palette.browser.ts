/** The command palette finds pages, actions, teams and keys. */
import { expect, it } from 'vitest';
import { violations } from './support/axe.ts';
import { userOf } from './support/test.ts';

const other = '0f3c8a52-7d1e-4b69-8c25-5e9d7a1b3c4f';
const user = userOf({ otherTeams: [other] });
const { create, goTo, sees, focused, callsOf, dialogCloses, hold } = user;

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

it('never sends what might be a secret, and of a whole key only its prefix', async () => {
  const { secret, prefix } = await create({ name: 'Secretive' });
  await open();
  const calls = callsOf('MatchingKeys');
  const sent = () => calls.map(({ filter }) => filter?.search);
  await field().fill('Secret');
  await options().filter({ hasText: 'Secretive' }).waitFor();
  await field().fill(secret);
  await expect.poll(sent).toEqual(['Secret', prefix]);
  await field().fill('sk-3f9QbT7xYz81LmNo4RkW');
  await options().filter({ hasText: 'Find the key of a secret' }).waitFor();
  await field().fill('sec');
  await expect.poll(sent).toEqual(['Secret', prefix, 'sec']);
  await options().filter({ hasText: 'Secretive' }).waitFor();
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
  const { answer } = await hold('MatchingKeys');
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
  const { asked, answer } = await hold('MatchingKeys');
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
    route.request().postData()?.includes('MatchingKeys') === true
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
