/** The list of a team with 10,000 keys, in a browser that has seen nothing of it: from the sign-in link to the first row. */
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../browser/support/browser.ts';
import { progress } from '../../harness/print.ts';
import { Server } from '../../harness/server.ts';
import { median } from '../../harness/statistics.ts';
import { seedKeys } from '../../support/seed-keys.ts';
import { sessionToken } from '../../support/service.ts';
import { temporaryDirectory } from '../../support/temporary-database.ts';
import type { Bench } from './figures.ts';

const rounds = 9;
const keys = 10_000;
/** A slow phone or an old laptop has about a quarter of the speed of a developer's machine. */
const browsers = [
  { name: 'a browser', slowdown: 1, atMost: 0.9 },
  { name: 'a browser that gets a quarter of the processor', slowdown: 4, atMost: 2 },
];

/** Notes the first row's paint in ms since the navigation, in the page: Playwright polls only twice a second. */
const notePaint = `globalThis.firstRowPainted = new Promise((resolve) => {
  new MutationObserver((_, observer) => {
    if (document.querySelector('tbody tr[data-id]') === null) return;
    observer.disconnect();
    // The first callback is before the paint of the row, the second before the next one.
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
  }).observe(document, { childList: true, subtree: true });
})`;

export const dashboard: Bench = async () => {
  progress(`dashboard, a team of ${keys.toLocaleString('en-US')} keys`);
  const directory = temporaryDirectory().path;
  const [team = ''] = await seedKeys(directory, keys, keys);
  const server = await Server.startService({ directory });
  const browser = await launchBrowser();
  const token = sessionToken({ [team]: ['view_team', 'manage_keys'] });
  const times = new Map(browsers.map(({ name }) => [name, [] as number[]]));
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    progress(`dashboard, round ${round} of ${rounds}`);
    for (const { name, slowdown } of browsers) {
      const painted = await timeToFirstRow(browser, server.url, token, slowdown);
      if (round > 0) times.get(name)?.push(painted);
    }
  }
  await browser.close();
  await server.stop();
  return browsers.map(({ name, atMost }) => {
    const [measured = []] = [times.get(name)];
    return {
      name: `the first row at 10,000 keys, in ${name}`,
      floor: '',
      value: `slowest of ${rounds}: ${(Math.max(...measured) / 1000).toFixed(2)} s`,
      result: median(measured) / 1000,
      atMost,
      unit: ' s',
    };
  });
};

async function timeToFirstRow(browser: Browser, url: string, token: string, slowdown: number): Promise<number> {
  // A context of its own has an empty cache.
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const headers = { origin: url, 'latchkey-session': 'current' };
  await context.request.post(`${url}/session`, { headers, data: { token } });
  const page = await context.newPage();
  await page.addInitScript(notePaint);
  const debuggerOf = await context.newCDPSession(page);
  await debuggerOf.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.goto(url, { waitUntil: 'commit' });
  const painted = await page.evaluate<number>('globalThis.firstRowPainted');
  await context.close();
  return painted;
}
