/** Renewal: one click before a key expires, a confirmation after that. */
import { expect } from 'vitest';
import { verdictOn } from './support/dashboard.ts';
import { it as base } from './support/test.ts';

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const it = base.extend('daysOf', ({ call }) => async (id: string) => {
  const { key } = await call('query ($id: UUID!) { key(id: $id) { expiresAt } }', { id });
  return Math.round((Date.parse(key.expiresAt) - Date.now()) / dayMs);
});

it('the overview renews a key that expires soon with one click', async ({ page, goTo, button, create, daysOf }) => {
  const { id } = await create({ name: 'Monthly', expiresAt: inDays(5) });
  await create({ name: 'Weekly', expiresAt: inDays(3) });
  await goTo('overview');
  await page.getByText('2 keys expire within 14 days').waitFor();
  await button('Renew Monthly').click();
  await page.getByText('“Monthly” now expires on').waitFor();
  await page.getByText('A key expires within 14 days').waitFor();
  expect(await daysOf(id)).toBe(95);
  await button('Renew Weekly').click();
  await page.getByText('“Weekly” now expires on').waitFor();
  await page.getByText('expires within 14 days').waitFor({ state: 'detached' });
});

it('asks before it renews an expired key', async ({ dashboard, page, goTo, button, create, daysOf }) => {
  const expiresAt = new Date(Date.now() + 3000).toISOString();
  const { id, secret } = await create({ name: 'Long gone', expiresAt });
  await expect.poll(() => verdictOn(dashboard.service, { key: secret }), { timeout: 30_000 }).toBe('EXPIRED');
  await goTo('keys?search=Long+gone');
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
