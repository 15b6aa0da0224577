/** The audit trail of a team: filters in the URL, and an export that no spreadsheet runs. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { Request } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { userOf } from './support/test.ts';

const user = userOf();
const { goTo, button, create, hold, sees } = user;
const entries = () => user.page.getByRole('article');

beforeEach(async () => {
  await create({ name: '=HYPERLINK("https://example.com")' });
  const { id } = await create({ name: 'Disabled one', tags: ['@SUM(1)'] });
  await user.mutate(id, 'disableKey(id: $id, reason: "leaked")');
  await goTo('audit');
});

it('filters by action, actor and time, also after a reload and Back', async () => {
  const { page } = user;
  await entries().nth(2).waitFor();
  expect(await entries().count()).toBe(3);
  await page.getByLabel('Action').selectOption('Disabled');
  await button('Filter').click();
  await page.getByRole('article', { name: 'Disabled' }).getByText('Reason: “leaked”').waitFor();
  await expect.poll(() => entries().count()).toBe(1);
  await page.reload();
  await page.getByRole('article', { name: 'Disabled' }).waitFor();
  expect(await entries().count()).toBe(1);
  await page.goBack();
  await expect.poll(() => entries().count()).toBe(3);
  await page.getByLabel('Actor').fill('someone else');
  await button('Filter').click();
  await sees('No change matches.');
  await button('Clear').click();
  await expect.poll(() => entries().count()).toBe(3);
  await page.getByLabel('From').fill('2099-01-01T00:00');
  await button('Filter').click();
  await sees('No change matches.');
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
  const disabled = page.getByRole('article', { name: 'Disabled' });
  await disabled.getByRole('link', { name: 'Disabled one' }).click();
  await page.getByRole('heading', { name: 'Disabled one' }).waitFor();
});
