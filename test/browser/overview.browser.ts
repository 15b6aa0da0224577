/** The overview: numbers that agree with the lists behind them, and what to do next. */
import { expect, it } from 'vitest';
import { inDays } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const user = userOf();
const { goTo, create, button, sees } = user;

it('each number is that of its list, without new keys and later expiries', async () => {
  await create({ name: 'In 13 days', expiresAt: inDays(13.98) });
  await create({ name: 'In 15 days', expiresAt: inDays(14.2) });
  await user.mutate((await create({ name: 'Off' })).id, 'disableKey(id: $id)');
  await goTo('overview');
  for (const [label, count] of [
    ['Active', 2],
    ['Expire within 14 days', 1],
    ['Never used', 2],
    ['Unused for 90 days', 0],
    ['Disabled', 1],
  ] as const) {
    await user.page.getByRole('link', { name: new RegExp(`^\\s*${count}\\s*${label}\\s*$`) }).click();
    await user.page.waitForURL('**/keys?**');
    await sees(count === 0 ? 'No key matches' : `1 to ${count} of ${count}`);
    await user.page.goBack();
    await user.heading('Overview');
  }
});

it('warns of the keys that expire soon, links to them, and renews them with one click', async () => {
  const { page } = user;
  await create({ name: 'Monthly', expiresAt: inDays(13.98) });
  await create({ name: 'Weekly', expiresAt: inDays(3) });
  await goTo('overview');
  const warning = page.getByRole('status').filter({ hasText: '2 keys expire within 14 days' });
  await warning.getByText('in 14 days', { exact: true }).waitFor();
  await warning.getByRole('link', { name: 'Monthly' }).click();
  await user.heading('Monthly');
  await page.goBack();
  await button('Renew Monthly').click();
  await sees('“Monthly” is renewed');
  await sees('A key expires within 14 days');
  await button('Renew Weekly').click();
  await sees('“Weekly” is renewed');
  await page.getByText('expires within 14 days').waitFor({ state: 'detached' });
});

it('the periods of a page that stays open follow the clock', async () => {
  const { page } = user;
  const ends = new Map<string, number>();
  page.on('request', (request) => {
    const [, operation = ''] = /query (TeamUsage|RejectedKeys)\b/.exec(request.postDataJSON()?.query ?? '') ?? [];
    if (operation !== '') ends.set(operation, Date.parse(request.postDataJSON().variables.to));
  });
  await page.clock.install({ time: new Date().setMinutes(30, 0, 0) });
  await goTo('overview');
  await page.reload();
  // All answers: after them, only the clock draws the page again.
  for (const text of ['Never used', 'No verifications in this time.', 'No key was rejected in this time.'])
    await page.getByText(text, { exact: true }).waitFor();
  const [first] = ends.values();
  await page.clock.fastForward('01:00:00');
  await expect.poll(() => Math.min(...ends.values())).toBe(Number(first) + 3_600_000);
});

it('a period of days is no error before it is entered, and is part of the address', async () => {
  const { page } = user;
  await goTo('overview');
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
});
