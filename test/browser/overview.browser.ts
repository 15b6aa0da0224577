/** The overview: numbers that agree with the lists behind them, and what to do next. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  both,
  callGraphQL,
  createKey,
  type Dashboard,
  startDashboard,
  tokenFor,
  withNewTeam,
} from './support/dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
});
beforeEach(() => {
  dashboard = withNewTeam(dashboard);
});
afterAll(() => dashboard.stop());

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

it('each number is that of its list: keys that expire on the day after the 14th, and new keys, are not counted', async () => {
  await createKey(dashboard, { name: 'In 13 days', expiresAt: inDays(13.98) });
  await createKey(dashboard, { name: 'In 15 days', expiresAt: inDays(14.2) });
  const { id } = await createKey(dashboard, { name: 'Off' });
  const disable = 'mutation ($id: UUID!) { disableKey(id: $id) { apiKey { id } } }';
  await callGraphQL(dashboard.service, tokenFor({ [dashboard.team]: both }), disable, { id });
  const tab = await dashboard.open();
  const { page } = tab;
  await tab.signIn(tokenFor({ [dashboard.team]: both }));
  await tab.goTo(`teams/${dashboard.team}/overview`);
  for (const [label, count, rows] of [
    ['Active', 2, 2],
    ['Expire within 14 days', 1, 1],
    ['Never used', 2, 2],
    ['Unused for 90 days', 0, 0],
    ['Disabled', 1, 1],
  ] as const) {
    const number = page.getByRole('link', { name: new RegExp(`^\\s*${count}\\s*${label}\\s*$`) });
    await number.click();
    await page.waitForURL('**/keys?**');
    if (rows === 0) await page.getByText('No key matches').waitFor();
    else await page.getByText(`1 to ${rows} of ${rows}`).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  }
  await tab.close();
});

it('warns of the keys that expire soon, and links to them', async () => {
  await createKey(dashboard, { name: 'In 13 days', expiresAt: inDays(13.98) });
  const tab = await dashboard.open();
  const { page } = tab;
  await tab.signIn(tokenFor({ [dashboard.team]: both }));
  await tab.goTo(`teams/${dashboard.team}/overview`);
  const warning = page.getByRole('status').filter({ hasText: 'A key expires within 14 days' });
  await warning.getByText('in 14 days', { exact: true }).waitFor();
  await warning.getByRole('link', { name: 'In 13 days' }).click();
  await page.getByRole('heading', { name: 'In 13 days' }).waitFor();
  await tab.close();
});

it('the overview of a new team leads to its first key', async () => {
  const team = randomUUID();
  const tab = await dashboard.open();
  await tab.signIn(tokenFor({ [team]: both }));
  await tab.page.getByRole('link', { name: 'Overview' }).click();
  await tab.page.getByRole('link', { name: 'Create the first key' }).click();
  await tab.page.getByRole('heading', { name: 'Create a key' }).waitFor();
  await tab.close();
});

it('on a page that stays open, the period of the calls and of the rejected keys follows the clock', async () => {
  const tab = await dashboard.open();
  const { page } = tab;
  const ends = new Map<string, number>();
  page.on('request', (request) => {
    const [, operation = ''] = /query (TeamUsage|RejectedKeys)\b/.exec(request.postDataJSON()?.query ?? '') ?? [];
    if (operation !== '') ends.set(operation, Date.parse(request.postDataJSON().variables.to));
  });
  await page.clock.install({ time: new Date().setMinutes(30, 0, 0) });
  await tab.signIn(tokenFor({ [dashboard.team]: both }));
  await tab.goTo(`teams/${dashboard.team}/overview`);
  // All answers: after them, only the clock draws the page again.
  for (const text of ['Never used', 'No verifications in this time.', 'No key was rejected in this time.'])
    await page.getByText(text, { exact: true }).waitFor();
  const [first] = ends.values();
  await page.clock.fastForward('01:00:00');
  await expect.poll(() => Math.min(...ends.values())).toBe(Number(first) + 3_600_000);
  await tab.close();
});

it('a period of days is no error before it is entered, and is part of the address', async () => {
  const tab = await dashboard.open();
  const { page } = tab;
  await tab.signIn(tokenFor({ [dashboard.team]: both }));
  await tab.goTo(`teams/${dashboard.team}/overview`);
  await page.getByLabel('Period').first().selectOption('Custom…');
  await page.getByLabel('First day').waitFor();
  expect(await page.locator('[aria-invalid=true]').count()).toBe(0);
  await page.getByLabel('First day').fill('2026-01-05');
  await page.getByLabel('Last day').fill('2026-01-04');
  await page.getByText('The last day must not be before the first.').waitFor();
  await page.getByLabel('Last day').fill('2026-01-06');
  await page.reload();
  await expect.poll(() => page.getByLabel('First day').inputValue()).toBe('2026-01-05');
  await expect.poll(() => page.getByLabel('Last day').inputValue()).toBe('2026-01-06');
  expect(await page.getByLabel('Period').last().inputValue()).toBe('24h');
  await tab.close();
});
