/** The overview: numbers that agree with the lists behind them, and what to do next. */
import { expect, it } from 'vitest';
import { maxUsageDays } from '../../src/domain/usage-periods.ts';
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

interface Asked {
  readonly operation: string;
  readonly from: number;
  readonly to: number;
}

/** Records the periods that the page asks for. */
function periods(): Asked[] {
  const asked: Asked[] = [];
  user.page.on('request', (request) => {
    const [, operation = ''] = /query (TeamUsage|RejectedKeys)\b/.exec(request.postDataJSON()?.query ?? '') ?? [];
    if (operation === '') return;
    const { from, to } = request.postDataJSON().variables;
    asked.push({ operation, from: Date.parse(from), to: Date.parse(to) });
  });
  return asked;
}

const lastOf = (asked: readonly Asked[], operation: string) =>
  asked.filter((one) => one.operation === operation).toSorted((a, b) => a.to - b.to || a.from - b.from);

it('the period of a page that stays open follows the clock', async () => {
  const { page } = user;
  const asked = periods();
  await page.clock.install({ time: new Date().setMinutes(30, 0, 0) });
  await goTo('overview');
  await page.reload();
  // All answers: after them, only the clock draws the page again.
  for (const text of ['Never used', 'No verifications in this time.', 'No key was rejected in this time.'])
    await page.getByText(text, { exact: true }).waitFor();
  const first = Math.max(...asked.map(({ to }) => to));
  await page.clock.fastForward('01:00:00');
  for (const operation of ['TeamUsage', 'RejectedKeys'])
    await expect.poll(() => lastOf(asked, operation).at(-1)?.to).toBe(first + 3_600_000);
});

it('calls, rejected keys and the comparison have one period, which is part of the address', async () => {
  const { page } = user;
  const asked = periods();
  await goTo('overview');
  await sees('No key was rejected in this time.');
  await page.getByLabel('Period').selectOption('Last 7 days');
  await page.waitForURL('**/overview?period=7d');
  const ofWeek = () => asked.filter(({ to, from }) => to - from > 6 * 86_400_000);
  await expect.poll(() => lastOf(ofWeek(), 'RejectedKeys')).toHaveLength(1);
  await expect.poll(() => lastOf(ofWeek(), 'TeamUsage')).toHaveLength(2);
  const [before, calls] = lastOf(ofWeek(), 'TeamUsage');
  expect(lastOf(ofWeek(), 'RejectedKeys')[0]).toMatchObject({ from: calls?.from, to: calls?.to });
  expect(before?.to).toBe(calls?.from);
  await page.reload();
  await expect.poll(() => page.getByLabel('Period').inputValue()).toBe('7d');
});

it('a month is read in parts without a gap, none of which can have too many counts', async () => {
  const asked = periods();
  await goTo('overview?period=30d');
  await sees('No verifications in this time.');
  const parts = lastOf(asked, 'TeamUsage');
  const dayMs = 86_400_000;
  for (const { from, to } of parts) expect(to - from).toBeLessThanOrEqual(maxUsageDays * dayMs);
  expect(parts.slice(1).map(({ from }) => from)).toEqual(parts.slice(0, -1).map(({ to }) => to));
  // The period, and the one before it. Today has not ended.
  expect((parts.at(-1)?.to ?? 0) - (parts[0]?.from ?? 0)).toBeGreaterThan(58 * dayMs);
});

it('a bar of the chart, or its row in the table, lists the keys that were rejected in that time', async () => {
  const { page } = user;
  const { secret } = await create({ name: 'Misplaced' });
  await user.verdict({ key: secret, env: 'test' });
  await goTo('overview?period=7d');
  const rejected = page.getByRole('table', { name: 'Rejected keys' });
  // Counts arrive within a second or so; the page asks again by itself, the impatient reload.
  await expect
    .poll(async () => {
      await page.reload();
      await rejected.or(page.getByText('No key was rejected')).first().waitFor();
      return await rejected.count();
    })
    .toBe(1);
  const asked = periods();
  await page.locator('.recharts-bar-rectangle path').last().click();
  await page.waitForURL('**/overview?*bar=*');
  await expect.poll(() => lastOf(asked, 'RejectedKeys').map(({ from, to }) => to - from)).toContain(86_400_000);
  await rejected.getByRole('link', { name: 'Misplaced' }).waitFor();
  await page.reload();
  // The column of a day without calls.
  await page.locator('.recharts-bar-background-rectangle').first().click();
  await sees('No key was rejected in this time.');
  await button('Show the whole period').press('Enter');
  await button('Show the whole period').waitFor({ state: 'detached' });
  expect(page.url()).not.toContain('bar=');
  await page.getByText('The chart as a table').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/overview?*bar=*');
  await rejected.getByRole('link', { name: 'Misplaced' }).click();
  await user.heading('Misplaced');
});

/** What the chart shows at one moment. An expression, because it runs in the page. */
const axes = `(() => {
  const count = (selector) => document.querySelectorAll(selector).length;
  const labels = [...document.querySelectorAll('.recharts-xAxis-tick-labels text')]
    .map((label) => label.getBoundingClientRect());
  return {
    bars: count('.recharts-xAxis .recharts-cartesian-axis-tick'),
    labels: labels.length,
    overlapping: labels.slice(1).filter(({ left }, i) => left <= labels[i].right).length,
    unlabeled: count('.recharts-cartesian-grid-horizontal line') - count('.recharts-yAxis-tick-labels text'),
  };
})()`;

it('every line and every marked bar of the chart has its label, on a phone too', async () => {
  const { page } = user;
  const hours = Array.from({ length: 24 }, (_, i) => ({
    hour: new Date(Date.now() - i * 3_600_000).toISOString(),
    code: 'VALID',
    count: 123_456 * (i + 1),
  }));
  await user.answerWith('TeamUsage', { json: { data: { teamUsage: hours } } });
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 800 });
    for (const [period, bars] of [
      ['24h', 4],
      ['7d', 4],
      ['30d', 5],
    ] as const) {
      await goTo(`overview?period=${period}`);
      // The chart of the former period is gone.
      await expect.poll(() => page.getByLabel('Period').inputValue()).toBe(period);
      const shown = () => page.evaluate<object>(axes);
      const expected = { bars, labels: bars, overlapping: 0, unlabeled: 0 };
      await expect.poll(shown, { message: `${period}, ${width} px` }).toEqual(expected);
    }
  }
});

it('a period of days is no error before it is entered, and is part of the address', async () => {
  const { page } = user;
  await goTo('overview');
  await page.getByLabel('Period').selectOption('Custom…');
  await page.getByLabel('First day').waitFor();
  expect(await page.locator('[aria-invalid=true]').count()).toBe(0);
  await page.getByLabel('First day').fill('2026-01-05');
  await page.getByLabel('Last day').fill('2026-01-04');
  await page.getByText('The last day must not be before the first.').waitFor();
  await page.getByLabel('Last day').fill('2026-01-06');
  await page.waitForURL('**/overview?*2026-01-06*');
  await page.reload();
  await expect.poll(() => page.getByLabel('First day').inputValue()).toBe('2026-01-05');
  await expect.poll(() => page.getByLabel('Last day').inputValue()).toBe('2026-01-06');
});
