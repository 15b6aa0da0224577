/** Pages for what goes wrong: parts that can't be loaded, and addresses that lead nowhere. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { violations } from './support/axe.ts';
import { both, tokenFor } from './support/dashboard.ts';
import { it } from './support/test.ts';

const isPage = (url: URL) => url.pathname === '/';

it('a page that can’t be loaded says so, and loads once the server is back', async ({ tab: { page, context } }) => {
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Try a key' }).click();
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
  await page.getByText('The server can’t be reached').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Try again' }).click();
  // Still ours, and not the browser's.
  await page.getByText('The server can’t be reached').waitFor();
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Try a key' }).waitFor();
});

it('after an upgrade, the page loads itself again, once', async ({ dashboard, tab: { page, context } }) => {
  // The files of the next version have other names. One of this version that was not loaded yet is gone.
  const gone = /\/assets\/explain-page-[^/]+\.js$/;
  await context.route(gone, (route) => route.fulfill({ status: 404, json: { code: 'NOT_FOUND' } }));
  const serveNext = async () => {
    const next = await (await fetch(dashboard.service.url)).text();
    let served = 0;
    await context.route(isPage, async (route) => {
      served += 1;
      const isLoad = route.request().resourceType() === 'document';
      await route.fulfill({
        contentType: 'text/html',
        body: isLoad ? next : next.replace(/\/assets\/dashboard-[^"]+\.js/, '/assets/dashboard-next.js'),
      });
    });
    return () => served;
  };
  const served = await serveNext();
  const reloads: string[] = [];
  page.on('domcontentloaded', () => reloads.push('load'));
  await page.getByRole('link', { name: 'Try a key' }).click();
  await expect.poll(() => reloads.length).toBe(1);
  // It asks the server again and finds another version again, as behind a proxy with both. It stays.
  await expect.poll(served).toBeGreaterThanOrEqual(3);
  await page.waitForLoadState('networkidle');
  expect(reloads).toHaveLength(1);
});

it('an address that is no page says so, and leads on', async ({ page, tab }) => {
  await tab.goTo('nowhere/at/all');
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await page.getByRole('link', { name: 'Go to the keys' }).click();
  await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
});

it('a page of an unknown team names the teams of the session', async ({ dashboard, page, tab }) => {
  for (const place of ['keys', 'keys/new', 'overview']) {
    const unknown = randomUUID();
    await tab.goTo(`teams/${unknown}/${place}`);
    await page.getByRole('heading', { name: 'Not a team of yours' }).waitFor();
    await page.getByText(unknown).waitFor();
    await page.getByRole('link', { name: dashboard.team }).click();
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
  }
});

it('on a page of an unknown team, any team can be chosen', async ({ dashboard, signedOut }) => {
  const { page, signIn, goTo } = signedOut;
  await signIn(tokenFor({ [dashboard.team]: both, [randomUUID()]: both }));
  await goTo(`teams/${randomUUID()}/keys`);
  await page.getByRole('heading', { name: 'Not a team of yours' }).waitFor();
  const switcher = page.getByRole('combobox', { name: 'Team' });
  await expect.poll(() => switcher.inputValue()).toBe('');
  await switcher.click();
  await page.getByRole('option', { name: dashboard.team }).click();
  await page.waitForURL(`**/teams/${dashboard.team}/keys`);
  await expect.poll(() => switcher.inputValue()).toBe(dashboard.team);
});

it('a list of teams that can’t be loaded can be tried again', async ({
  dashboard,
  signedOut: { page, context, signIn },
}) => {
  const file = /\/assets\/team-switcher-.*\.js$/;
  await context.route(file, (route) => route.fulfill({ status: 404, body: '' }));
  await signIn(tokenFor({ [dashboard.team]: both, [randomUUID()]: both }));
  const again = page.getByRole('button', { name: 'Load the teams again' });
  await again.waitFor();
  await context.unroute(file);
  await again.click();
  await page.getByRole('combobox', { name: 'Team' }).waitFor();
});

it('a menu that can’t be loaded says so, and can be tried again', async ({ tab: { page, context } }) => {
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
