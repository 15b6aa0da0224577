/** Pages for what goes wrong: parts that can't be loaded, and addresses that lead nowhere. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { violations } from './support/axe.ts';
import { userOf } from './support/test.ts';

const user = userOf({ otherTeams: ['6b5dbd5b-6ee6-4a6e-9d1c-1d0ac0f4a1b2'] });
const { button, heading, sees } = user;

const isPage = (url: URL) => url.pathname === '/';

it('a page that can’t be loaded says so, and loads once the server is back', async () => {
  const { page, context } = user;
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Try a key' }).click();
  await heading('This page could not be loaded');
  await sees('The server can’t be reached');
  expect(await violations(page)).toEqual([]);
  const failed = page.waitForEvent('requestfailed');
  await button('Try again').click();
  await failed;
  // Still ours, and not the browser's.
  await sees('The server can’t be reached');
  await context.setOffline(false);
  await button('Try again').click();
  await heading('Try a key');
});

it('after an upgrade, the page loads itself again, once', async () => {
  const { page, context, dashboard } = user;
  // The files of the next version have other names. One of this version that was not loaded yet is gone.
  const gone = /\/assets\/explain-page-[^/]+\.js$/;
  await context.route(gone, (route) => route.fulfill({ status: 404, json: { code: 'NOT_FOUND' } }));
  // With the cookie of the session, of which the page says that it exists.
  const next = await (await context.request.get(dashboard.service.url)).text();
  let served = 0;
  await context.route(isPage, async (route) => {
    served += 1;
    const isLoad = route.request().resourceType() === 'document';
    await route.fulfill({
      contentType: 'text/html',
      body: isLoad ? next : next.replace(/\/assets\/dashboard-[^"]+\.js/, '/assets/dashboard-next.js'),
    });
  });
  const reloads: string[] = [];
  page.on('domcontentloaded', () => reloads.push('load'));
  await page.getByRole('link', { name: 'Try a key' }).click();
  await expect.poll(() => reloads.length).toBe(1);
  // It asks the server again and finds another version again, as behind a proxy with both. It stays.
  await expect.poll(() => served).toBeGreaterThanOrEqual(3);
  await page.waitForLoadState('networkidle');
  expect(reloads).toHaveLength(1);
});

it('an address that is no page says so, and leads on', async () => {
  const { page } = user;
  await user.tab.goTo('nowhere/at/all');
  await heading('There is no such page');
  await page.getByRole('link', { name: 'Go to the keys' }).click();
  await heading('Keys');
});

it('a page of an unknown team names the teams of the session, and any team can be chosen', async () => {
  const { page, tab, dashboard } = user;
  const unknown = randomUUID();
  for (const place of ['keys', 'keys/new', 'overview']) {
    await tab.goTo(`teams/${unknown}/${place}`);
    await heading('Not a team of yours');
    await sees(unknown);
    await page.getByRole('link', { name: dashboard.team }).click();
    await heading('Keys');
  }
  await tab.goTo(`teams/${unknown}/keys`);
  await heading('Not a team of yours');
  const switcher = page.getByRole('combobox', { name: 'Team' });
  await expect.poll(() => switcher.inputValue()).toBe('');
  await switcher.click();
  await page.getByRole('option', { name: dashboard.team }).click();
  await page.waitForURL(`**/teams/${dashboard.team}/keys`);
  await expect.poll(() => switcher.inputValue()).toBe(dashboard.team);
});

it('a list of teams that can’t be loaded can be tried again', async () => {
  const { page, context } = user;
  const file = /\/assets\/team-switcher-.*\.js$/;
  await context.route(file, (route) => route.fulfill({ status: 404, body: '' }));
  await page.reload();
  await button('Load the teams again').waitFor();
  await context.unroute(file);
  await button('Load the teams again').click();
  await page.getByRole('combobox', { name: 'Team' }).waitFor();
});

it('a menu that can’t be loaded says so, and can be tried again', async () => {
  const { page, context } = user;
  const file = /\/assets\/list-menu-.*\.js$/;
  await context.route(file, (route) => route.fulfill({ status: 404, body: '' }));
  await page.getByRole('button', { name: 'Options' }).click();
  await page.getByText('The menu could not be loaded').waitFor();
  await context.unroute(file);
  await page.getByRole('button', { name: 'Try again' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
  await download;
});
