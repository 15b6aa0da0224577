/** A team with 10,000 keys: what people notice of the page's speed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seedKeys } from '../support/seed-keys.ts';
import { both, type Dashboard, startOwnDashboard, type Tab, tokenFor } from './support/dashboard.ts';

const manyKeys = 10_000;
const longestTaskMs = 100;
const maxTurns = 10;
/** The time that the work of `slowness` takes when nothing else runs on a machine with two shared cores. */
const quietMs = 10;
const directory = mkdtempSync(join(tmpdir(), 'latchkey-many-keys-'));
let dashboard: Dashboard;
let team: string;
let tab: Tab;
beforeAll(async () => {
  [team = ''] = await seedKeys(directory, manyKeys, manyKeys);
  dashboard = await startOwnDashboard({ DATA_DIR: directory });
  tab = await dashboard.open();
  await tab.signIn(tokenFor({ [team]: both }));
  await tab.page.getByText('1 to 50 of 10,000').waitFor();
});
afterAll(async () => {
  await dashboard.stop();
  rmSync(directory, { recursive: true, force: true });
});

/**
 * The longest task of the page's thread while something is done, in milliseconds of a quiet machine: the shortest of
 * several times, because other processes and Playwright's own scripts take part. The first that is short enough ends it.
 */
async function longestTask(page: Page, work: () => Promise<void>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < maxTurns && shortest >= longestTaskMs; turn += 1) {
    const before = await slowness(page);
    await page.evaluate(`
      globalThis.tasks = [];
      globalThis.observer?.disconnect();
      globalThis.observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
      observer.observe({ entryTypes: ['longtask'] });
    `);
    await work();
    const time = await page.evaluate<number>(
      'new Promise((done) => setTimeout(() => done(Math.max(0, ...tasks)), 300))',
    );
    shortest = Math.min(shortest, time / Math.max(before, await slowness(page)));
  }
  return Math.round(shortest);
}

/**
 * How much slower the browser is at the moment than on a quiet machine; at least 1. Others can take half of a shared
 * machine for minutes, which no repetition evens out.
 */
async function slowness(page: Page): Promise<number> {
  const ms = await page.evaluate<number>(`(() => {
    const times = [];
    for (let turn = 0; turn < 30; turn += 1) {
      const start = performance.now();
      const table = document.createElement('table');
      for (let i = 0; i < 100; i += 1) {
        const row = table.insertRow();
        for (let k = 0; k < 8; k += 1) row.insertCell().textContent = 'cell ' + i * k;
      }
      document.body.append(table);
      table.getBoundingClientRect();
      table.remove();
      times.push(performance.now() - start);
    }
    return Math.min(...times);
  })()`);
  return Math.max(1, ms / quietMs);
}

it('scrolling, typing, selecting and paging hold the page up for no more than 100 ms', async () => {
  const { page } = tab;
  await tab.goTo(`teams/${team}/keys?size=100&sort=NAME`);
  await page.getByText('1 to 100 of').waitFor();
  // No roles: Playwright computes the names of all elements for them.
  const firstIs = async (name: string) => {
    await page.locator('.keys tbody tr:first-child a', { hasText: name }).waitFor();
  };
  const longest = {
    scrolling: await longestTask(page, async () => {
      for (let turn = 0; turn < 30; turn += 1) await page.mouse.wheel(0, turn < 15 ? 400 : -400);
    }),
    typing: await longestTask(page, async () => {
      await page.locator('input[type=search]').pressSequentially('key 000042', { delay: 40 });
      await firstIs('Key 0000420');
      await page.locator('input[type=search]').fill('');
      await firstIs('Key 0000000');
    }),
    paging: await longestTask(page, async () => {
      await page.locator('text="Next page"').click();
      await firstIs('Key 0000100');
      await page.locator('text="Previous page"').click();
      await firstIs('Key 0000000');
    }),
    selecting: await longestTask(page, async () => {
      await page.locator('.keys thead input').check();
      await page.locator('text="100 selected"').waitFor();
      await page.locator('.keys thead input').uncheck();
    }),
    menu: await longestTask(page, async () => {
      await page.locator('.row-menu').first().click();
      await page.locator('text="Copy id"').waitFor();
      await page.keyboard.press('Escape');
    }),
  };
  console.log('longest tasks in milliseconds:', longest);
  expect(Math.max(...Object.values(longest))).toBeLessThan(longestTaskMs);
  await tab.close();
});
