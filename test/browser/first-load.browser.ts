/** What the first visit loads, and what it shows before all of it has arrived. */
import { expect, it } from 'vitest';
import { violations } from './support/axe.ts';
import { createKey, Signal } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const user = userOf({ prepare: (dashboard) => createKey(dashboard, { name: 'Of the first page' }) });

/** Bytes of all scripts of the first page, compressed as they are served. */
const maxBytes = { gzip: 180_000, br: 161_000 } as const;

const scriptsIn = (page: string) =>
  [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path);

async function bytesOf(url: string, encoding: string): Promise<number> {
  const response = await fetch(url, { headers: { 'accept-encoding': encoding } });
  await response.arrayBuffer();
  return Number(response.headers.get('content-length'));
}

it('the heading is visible before any script or style of a file has loaded', async () => {
  const { page, context, dashboard } = user;
  const released = new Signal();
  await context.route(/\/assets\//, async (route) => {
    await released.sent;
    await route.fallback();
  });
  for (const size of [
    { width: 1280, height: 800 },
    { width: 390, height: 800 },
  ]) {
    await page.setViewportSize(size);
    // `commit`, because the page has loaded only with its scripts.
    await page.goto(`${dashboard.service.url}/?${size.width}#/teams/${dashboard.team}/keys`, { waitUntil: 'commit' });
    await page.getByRole('heading', { name: 'Opening Latchkey…', level: 1 }).waitFor();
    await page.getByRole('img', { name: 'Loading' }).locator('div').first().waitFor();
    expect(await page.evaluate('document.styleSheets.length')).toBe(1);
    expect(await violations(page)).toEqual([]);
  }
  released.send();
  await user.heading('Keys');
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
});

it('the scripts of the first page stay below their limit, and it waits for no others', async () => {
  const { page, tab, dashboard } = user;
  const { url } = dashboard.service;
  const declared = scriptsIn(await (await fetch(`${url}/`)).text()).map((path) => `${url}${path}`);
  expect(declared.length).toBeGreaterThan(3);
  for (const [encoding, max] of Object.entries(maxBytes)) {
    const sizes = await Promise.all(declared.map((script) => bytesOf(script, encoding)));
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(max);
  }
  const before = tab.urls.length;
  await page.reload();
  await page.getByRole('link', { name: 'Of the first page' }).waitFor();
  const loaded = tab.urls.slice(before).filter((sent) => sent.endsWith('.js'));
  expect(loaded.filter((script) => !declared.includes(script))).toEqual([]);
});
