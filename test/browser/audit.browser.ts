/** The audit trail of a team: filters in the URL, and an export that no spreadsheet runs. */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { Request } from 'playwright-core';
import { expect } from 'vitest';
import { holdOperation } from './support/dashboard.ts';
import { it as base } from './support/test.ts';

const it = base
  .override('page', async ({ tab, goTo, create, call }) => {
    await create({ name: '=HYPERLINK("https://example.com")' });
    const { id } = await create({ name: 'Disabled one', tags: ['@SUM(1)'] });
    await call('mutation ($id: UUID!) { disableKey(id: $id, reason: "leaked") { apiKey { id } } }', { id });
    await goTo('audit');
    return tab.page;
  })
  .extend('entries', ({ page }) => page.getByRole('article'));

it('filters by action, actor and time, and keeps the filter after a reload and Back', async ({
  page,
  button,
  entries,
}) => {
  await entries.nth(2).waitFor();
  expect(await entries.count()).toBe(3);
  await page.getByLabel('Action').selectOption('Disabled');
  await button('Filter').click();
  await page.getByRole('article', { name: 'Disabled' }).getByText('Reason: “leaked”').waitFor();
  await expect.poll(() => entries.count()).toBe(1);
  await page.reload();
  await page.getByRole('article', { name: 'Disabled' }).waitFor();
  expect(await entries.count()).toBe(1);
  await page.goBack();
  await expect.poll(() => entries.count()).toBe(3);
  await page.getByLabel('Actor').fill('someone else');
  await button('Filter').click();
  await page.getByText('No change matches.').waitFor();
  await button('Clear').click();
  await expect.poll(() => entries.count()).toBe(3);
  await page.getByLabel('From').fill('2099-01-01T00:00');
  await button('Filter').click();
  await page.getByText('No change matches.').waitFor();
});

it('exports what the filter selects as CSV, in which no cell is a formula', async ({ page, button }) => {
  const download = page.waitForEvent('download');
  await button('Export as CSV').click();
  const rows: Readonly<Record<string, string>>[] = parse(readFileSync(await (await download).path(), 'utf8'), {
    columns: true,
  });
  expect(rows.map(({ action }) => action)).toEqual(['Disabled', 'Created', 'Created']);
  expect(rows[1]?.changes).toContain('Tags: added @SUM(1)');
  for (const row of rows) for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  await page.getByText('3 entries exported').waitFor();
});

it('an export can be canceled', async ({ tab, page, button, entries }) => {
  await entries.first().waitFor();
  const { asked, answer } = await holdOperation(tab, 'TeamTrail');
  const isTrail = (request: Request) => request.postData()?.includes('TeamTrail') === true;
  await button('Export as CSV').click();
  await asked();
  const ended = page.waitForEvent('requestfailed', isTrail);
  await button('Cancel').click();
  await ended;
  await button('Cancel').waitFor({ state: 'detached' });
  expect(await button('Export as CSV').isEnabled()).toBe(true);
  await answer();
});

it('names the key of an entry, although no shown entry has the name, and links to it', async ({ page, goTo }) => {
  await goTo('audit?action=KEY_DISABLED');
  const disabled = page.getByRole('article', { name: 'Disabled' });
  await disabled.getByRole('link', { name: 'Disabled one' }).click();
  await page.getByRole('heading', { name: 'Disabled one' }).waitFor();
});
