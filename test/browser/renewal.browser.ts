/** Renewal: one click before a key expires, a question after that. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  both,
  callGraphQL,
  createKey,
  type Dashboard,
  startDashboard,
  type Tab,
  tokenFor,
  verdictOn,
  withNewTeam,
} from './support/dashboard.ts';

const dayMs = 86_400_000;
let dashboard: Dashboard;
let tab: Tab;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(async () => dashboard.stop());
beforeEach(async () => {
  dashboard = withNewTeam(dashboard);
  tab = await dashboard.open();
  await tab.signIn(tokenFor({ [dashboard.team]: both }));
});
afterEach(async () => tab.close());

const button = (name: string) => tab.page.getByRole('button', { name, exact: true });
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const daysOf = async (id: string) => {
  const query = 'query ($id: UUID!) { key(id: $id) { expiresAt } }';
  const { key } = await callGraphQL(dashboard.service, tokenFor({ [dashboard.team]: both }), query, { id });
  return Math.round((Date.parse(key.expiresAt) - Date.now()) / dayMs);
};

it('the overview renews a key that expires soon with one click', async () => {
  const { page } = tab;
  const { id } = await createKey(dashboard, { name: 'Monthly', expiresAt: inDays(5) });
  await createKey(dashboard, { name: 'Weekly', expiresAt: inDays(3) });
  await tab.goTo(`teams/${dashboard.team}/overview`);
  await page.getByText('2 keys expire within 14 days').waitFor();
  await button('Renew Monthly').click();
  await page.getByText('“Monthly” now expires on').waitFor();
  await page.getByText('A key expires within 14 days').waitFor();
  expect(await daysOf(id)).toBe(95);
  await button('Renew Weekly').click();
  await page.getByText('“Weekly” now expires on').waitFor();
  await page.getByText('expires within 14 days').waitFor({ state: 'detached' });
});

it('a session that can only view is not offered a renewal', async () => {
  await createKey(dashboard, { name: 'Only seen', expiresAt: inDays(5) });
  const viewer = await dashboard.open();
  await viewer.signIn(tokenFor({ [dashboard.team]: ['view_team'] }));
  await viewer.goTo(`teams/${dashboard.team}/overview`);
  await viewer.page.getByRole('link', { name: 'Only seen' }).waitFor();
  expect(await viewer.page.getByRole('button', { name: /^Renew/ }).count()).toBe(0);
  await viewer.close();
});

it('asks before it revives an expired key, also from the menu of its row', async () => {
  const { page } = tab;
  const expiresAt = new Date(Date.now() + 10_000).toISOString();
  const { id, secret } = await createKey(dashboard, { name: 'Long gone', expiresAt });
  await expect.poll(() => verdictOn(dashboard.service, { key: secret }), { timeout: 30_000 }).toBe('EXPIRED');
  await tab.goTo(`teams/${dashboard.team}/keys?search=Long+gone`);
  const dialog = page.getByRole('dialog', { name: 'Renew keys' });
  await button('Renew… Long gone').click();
  await dialog.getByText('Expired keys work again.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await verdictOn(dashboard.service, { key: secret })).toBe('EXPIRED');
  await button('Actions for Long gone').click();
  await page.getByRole('menuitem', { name: 'Renew…' }).click();
  await dialog.getByRole('button', { name: 'Renew 1 key' }).click();
  await page.getByText('1 key renewed').waitFor();
  expect(await daysOf(id)).toBe(90);
});
