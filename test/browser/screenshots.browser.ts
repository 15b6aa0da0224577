/**
 * The pictures of docs/reference/dashboard.md and the README: each page of an example team in both color schemes. With
 * `UPDATE_SCREENSHOTS=1`, they are written to docs/reference/dashboard; otherwise only taken, to see that it works.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedBrowser } from './support/browser.ts';
import { type ExampleTeam, startExampleTeam, today } from './support/example-team.ts';

const pictures =
  process.env.UPDATE_SCREENSHOTS === undefined
    ? null
    : fileURLToPath(new URL('../../docs/reference/dashboard/', import.meta.url));
const maxBytes = 60_000;
const directory = mkdtempSync(join(tmpdir(), 'latchkey-screenshots-'));
let example: ExampleTeam;
beforeAll(async () => {
  example = await startExampleTeam(directory);
});
afterAll(async () => {
  await example.service.stop();
  rmSync(directory, { recursive: true, force: true });
});

interface Picture {
  readonly file: string;
  /** A page of the team. */
  readonly place: (example: ExampleTeam) => string;
  readonly team?: 'emptyTeam';
  readonly act?: (page: Page) => Promise<unknown>;
  /** By default, a window of this height. */
  readonly height?: number;
}

const list: readonly Picture[] = [
  {
    file: 'keys',
    place: () => 'keys',
    // They appear after the list.
    act: (page) => page.locator('.day-bars').first().waitFor(),
  },
  { file: 'new-key', place: () => 'keys/new?name=Invoice%20mailer&tag=payments&scope=invoices:read', height: 900 },
  {
    file: 'secret',
    place: () => 'keys/new?name=Invoice%20mailer&env=test',
    act: async (page) => {
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByTestId('secret').waitFor();
      // Otherwise, the dashboard asks before the next page.
      await page.getByLabel('I have stored it').check();
    },
  },
  { file: 'key', place: ({ ids }) => `keys/${ids.shop}`, height: 900 },
  { file: 'key-settings', place: ({ ids }) => `keys/${ids.shop}?tab=settings`, height: 900 },
  { file: 'key-rotation', place: ({ ids }) => `keys/${ids.warehouse}?tab=rotation` },
  { file: 'key-history', place: ({ ids }) => `keys/${ids.shop}?tab=history` },
  { file: 'overview', place: () => 'overview', height: 900 },
  {
    file: 'try',
    place: () => 'try',
    act: async (page) => {
      await page.getByLabel('Key', { exact: true }).fill('lk_live_nosuchkey');
    },
  },
  { file: 'audit', place: () => 'audit', height: 620 },
  { file: 'webhooks', place: () => 'webhooks' },
  {
    file: 'webhook',
    place: ({ webhookId }) => `webhooks/${webhookId}`,
    act: (page) => page.getByRole('button', { name: 'key.rotated' }).click(),
  },
  { file: 'access', place: () => 'access', height: 620 },
  { file: 'policy', place: () => 'policy', height: 900 },
  { file: 'members', place: () => 'members', height: 620 },
  { file: 'import', place: () => 'import' },
  {
    file: 'commands',
    place: () => 'keys',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: 'Overview' }).waitFor();
    },
  },
  {
    file: 'first-use',
    place: () => 'keys',
    team: 'emptyTeam',
    // The list's own message appears before the steps.
    act: (page) => page.getByText('0 of 3 done').waitFor(),
  },
];

/** Nothing loads or moves any more. */
const isComplete = `document.querySelector('main h1')?.textContent && document.fonts.status === 'loaded' &&
  document.querySelector('[aria-label=Loading], .mantine-Skeleton-root, [aria-busy=true]') === null &&
  document.getAnimations().every(({ playState }) => playState !== 'running')`;

it.for(['light', 'dark'] as const)('takes a picture of each page in %s colors', async (colorScheme) => {
  if (pictures !== null) mkdirSync(pictures, { recursive: true });
  const context = await (await sharedBrowser()).newContext({
    colorScheme,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    viewport: { width: 1280, height: 760 },
  });
  const page = await context.newPage();
  const debuggerOf = await context.newCDPSession(page);
  await page.clock.setFixedTime(today + 60_000);
  await page.goto(`${example.service.url}/#token=${example.token}`);
  await page.getByRole('button', { name: 'Yes, sign in' }).click();
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
  for (const { file, place, act, team = 'team', height = 760 } of list) {
    await page.setViewportSize({ width: 1280, height });
    await page.goto(new URL(`/#/teams/${example[team]}/${place(example)}`, example.service.url).href);
    await act?.(page);
    await expect.poll(() => page.evaluate(isComplete)).toBe(true);
    const { data } = await debuggerOf.send('Page.captureScreenshot', { format: 'webp', quality: 60 });
    const picture = Buffer.from(data, 'base64');
    if (pictures !== null) writeFileSync(`${pictures}${file}-${colorScheme}.webp`, picture);
    expect(picture.length, file).toBeLessThan(maxBytes);
  }
  await context.close();
});
