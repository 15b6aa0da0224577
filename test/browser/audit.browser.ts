/** The audit trail of a team: filters in the URL, and an export that no spreadsheet runs. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { Request } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { userOf } from './support/test.ts';

const user = userOf();
const { goTo, button, create, hold, sees } = user;
const entries = () => user.page.getByRole('rowgroup', { name: /./ });

beforeEach(async () => {
  await create({ name: '=HYPERLINK("https://example.com")' });
  const { id } = await create({ name: 'Disabled one', tags: ['@SUM(1)'] });
  await user.mutate(id, 'disableKey(id: $id, reason: "leaked")');
  await goTo('audit');
});

it('filters by action, actor and time at once, also after a reload and Back', async () => {
  const { page } = user;
  await expect.poll(() => entries().count()).toBe(3);
  await page.getByLabel('Action').selectOption('Disabled');
  await page.getByRole('rowgroup', { name: 'Disabled' }).getByText('Reason: “leaked”').waitFor();
  await expect.poll(() => entries().count()).toBe(1);
  await page.reload();
  await expect.poll(() => entries().count()).toBe(1);
  await page.goBack();
  await expect.poll(() => entries().count()).toBe(3);
  await page.getByLabel('Actor').fill('someone else');
  await sees('No change matches.');
  await button('Clear').click();
  await expect.poll(() => entries().count()).toBe(3);
  await page.getByLabel('Action').selectOption('Disabled');
  await page.getByLabel('Key ID').fill('nonsense');
  await button('Clear').click();
  await expect.poll(() => page.getByLabel('Key ID').inputValue()).toBe('');
  await expect.poll(() => entries().count()).toBe(3);
  await page.getByLabel('From').fill('2099-01-01T00:00');
  await sees('No change matches.');
});

it('a criterion of the address that is no valid one is named, and filters nothing', async () => {
  const { page } = user;
  await goTo('audit?key=nonsense&from=yesterday&action=KEY_EATEN&nothing=1');
  await sees('The id of a key has 36 characters.');
  await expect.poll(() => entries().count()).toBe(3);
  expect(await page.getByLabel('Action').inputValue()).toBe('');
});

it('has a row for each entry under its day, which a key expands and closes', async () => {
  const { page } = user;
  await page
    .getByRole('rowgroup')
    .getByText(new RegExp(`${new Date().getFullYear()}$`))
    .waitFor();
  const disabled = page.getByRole('rowgroup', { name: 'Disabled' });
  const toggle = disabled.getByRole('button', { name: 'Disabled' });
  expect(await disabled.getByText(/^Request/).count()).toBe(0);
  await toggle.press('Enter');
  await disabled.getByText(/by session ada@example.com from 127\.0\.0\.1/).waitFor();
  await disabled.getByRole('button', { name: 'Copy the source' }).click();
  await expect.poll(user.clipboard).toBe('127.0.0.1');
  expect(await toggle.getAttribute('aria-expanded')).toBe('true');
  await toggle.press('Space');
  await disabled.getByText(/^Request/).waitFor({ state: 'detached' });
});

it('the actor of an entry leads to all of its changes, also from the history of a key', async () => {
  const { page } = user;
  await page.getByLabel('Action').selectOption('Disabled');
  await expect.poll(() => entries().count()).toBe(1);
  await entries().getByRole('link', { name: 'ada@example.com' }).click();
  await page.waitForURL(/audit\?action=KEY_DISABLED&actor=ada/);
  await expect.poll(() => page.getByLabel('Actor').inputValue()).toBe('ada@example.com');
  await entries().getByRole('link', { name: 'Disabled one' }).click();
  await user.heading('Disabled one');
  await page.getByRole('tab', { name: 'History' }).click();
  await entries().first().getByRole('link', { name: 'ada@example.com' }).click();
  await page.waitForURL(/audit\?actor=ada/);
  await expect.poll(() => entries().count()).toBe(3);
});

it('exports what the filter selects as CSV, in which no cell is a formula', async () => {
  const download = user.page.waitForEvent('download');
  await button('Export as CSV').click();
  const rows: Readonly<Record<string, string>>[] = parse(readFileSync(await (await download).path(), 'utf8'), {
    columns: true,
  });
  expect(rows.map(({ action }) => action)).toEqual(['Disabled', 'Created', 'Created']);
  expect(rows[1]?.changes).toContain('Tags: added @SUM(1)');
  for (const row of rows) for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  await sees('3 entries exported');
});

it('an export can be canceled', async () => {
  await entries().first().waitFor();
  const { asked, answer } = await hold('TeamTrail');
  const isTrail = (request: Request) => request.postData()?.includes('TeamTrail') === true;
  await button('Export as CSV').click();
  await asked();
  const ended = user.page.waitForEvent('requestfailed', isTrail);
  await button('Cancel').click();
  await ended;
  await button('Cancel').waitFor({ state: 'detached' });
  expect(await button('Export as CSV').isEnabled()).toBe(true);
  await answer();
});

it('names the key of an entry, although no shown entry has the name, and links to it', async () => {
  const { page } = user;
  await goTo('audit?action=KEY_DISABLED');
  const disabled = page.getByRole('rowgroup', { name: 'Disabled' });
  await disabled.getByRole('link', { name: 'Disabled one' }).click();
  await page.getByRole('heading', { name: 'Disabled one' }).waitFor();
});
