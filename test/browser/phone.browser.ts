/** A phone of 390 pixels: no page scrolls sideways, and no cell of a table is cut off. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type Created, callGraphQL, createKey, inDays, tokenFor, verdictOn } from './support/dashboard.ts';
import { all, userOf } from './support/test.ts';

const pictures = fileURLToPath(new URL('pictures/', import.meta.url));
mkdirSync(pictures, { recursive: true });
const name = 'Longest-'.padEnd(100, 'name');
let key: Created;
let webhook: string;

const user = userOf({
  permissions: all,
  tab: { viewport: { width: 390, height: 844 } },
  prepare: async (dashboard) => {
    const tags = ['payments', 'web', 'x'.repeat(64)];
    key = await createKey(dashboard, { name, tags, description: 'Reads. '.repeat(70), expiresAt: inDays(3) });
    await createKey(dashboard, { name: 'Web shop' });
    for (const sourceIp of ['192.0.2.1', '2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff']) {
      await verdictOn(dashboard.service, { key: key.secret, sourceIp });
      await verdictOn(dashboard.service, { key: key.secret, env: 'test', sourceIp });
    }
    const { createWebhook } = await callGraphQL(
      dashboard.service,
      tokenFor({ [dashboard.team]: all }),
      'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }',
      { input: { teamId: dashboard.team, url: `http://127.0.0.1:9/${'path'.repeat(40)}` } },
    );
    webhook = createWebhook.webhook.id;
    await user.update(key.id, { description: 'Writes. '.repeat(60) });
  },
});

/** Everything of a cell that is outside of it or of the window. An expression, because it runs in the page. */
const problems = `(() => {
  const found = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) found.push('the page is ' + scrollWidth + ' px wide');
  for (const cell of document.querySelectorAll('td, th')) {
    // What only screen readers get, such as the heads of cards.
    if (!cell.checkVisibility() || cell.closest('thead') !== null && getComputedStyle(cell.closest('thead')).clipPath !== 'none') continue;
    const { left, right } = cell.getBoundingClientRect();
    const text = (cell.dataset.label ?? '') + ' ' + cell.textContent.slice(0, 30);
    if (left < 0 || right > innerWidth + 1) found.push('outside of the window: ' + text);
    for (const part of [cell, ...cell.querySelectorAll('*')]) {
      if (part.closest('svg, input, .for-readers, [data-size]') !== null) continue;
      const { overflowX } = getComputedStyle(part);
      if (part.clientWidth > 0 && part.scrollWidth > part.clientWidth + 1) found.push('cut off: ' + text + ' ' + overflowX);
    }
  }
  return found;
})()`;

const pages: Readonly<Record<string, () => Promise<unknown>>> = {
  keys: async () => {
    await user.goTo('keys');
    await user.page.locator('.keys tbody tr').nth(1).waitFor();
  },
  'a-selection': async () => {
    await user.goTo('keys');
    await user.page.getByLabel('Select Web shop').check();
  },
  'a-new-key': async () => {
    await user.goTo('keys/new');
    await user.heading('Create a key');
  },
  overview: async () => {
    await user.goTo('overview');
    await user.sees('Longest-');
  },
  audit: async () => {
    await user.goTo('audit');
    await user.page.getByRole('rowgroup', { name: 'Created' }).nth(1).waitFor();
    await user.page.getByRole('button', { name: 'Changed' }).first().click();
  },
  ...Object.fromEntries(
    ['overview', 'settings', 'access', 'rotation', 'usage', 'history'].map((tab) => [
      `key-${tab}`,
      async () => {
        await user.goTo(`keys/${key.id}?tab=${tab}`);
        await user.page.getByRole('tabpanel').waitFor();
      },
    ]),
  ),
  'recent-sources': async () => {
    await user.goTo(`keys/${key.id}`);
    await expect
      .poll(async () => {
        await user.page.reload();
        await user.page.getByText('Recent sources').first().waitFor();
        return await user.page.getByText('2001:db8:aaaa').count();
      })
      .toBeGreaterThan(0);
  },
  address: async () => {
    await user.goTo('addresses?address=2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff');
    await user.page.locator('.data-table').waitFor();
  },
  try: async () => {
    await user.goTo('try');
    await user.heading('Try a key');
  },
  explanation: async () => {
    await user.goTo('try');
    await user.page.getByLabel('Key', { exact: true }).fill(key.secret);
    await user.page.getByRole('button', { name: /^(Try|Explain)/ }).click();
    await user.page.locator('.data-table').first().waitFor();
  },
  webhooks: async () => {
    await user.goTo('webhooks');
    await user.page.locator('.data-table').waitFor();
  },
  deliveries: async () => {
    await user.goTo(`webhooks/${webhook}`);
    await expect
      .poll(async () => {
        await user.page.reload();
        await user.page.getByText('Outcome').first().waitFor();
        return await user.page.getByRole('button', { name: 'key.updated' }).count();
      })
      .toBeGreaterThan(0);
  },
  import: async () => {
    await user.goTo('import');
    await user.heading('Import keys');
  },
  'import-preview': async () => {
    await user.goTo('import');
    const lines = [1, 2].map((line) => JSON.stringify({ name: `${name.slice(2)}${line}`, sha256: randomUUID() }));
    await user.page.getByLabel('Or paste the lines').fill(lines.join('\n'));
    await user.page.locator('.data-table').waitFor();
  },
};

it.for(Object.keys(pages))('on a phone, nothing of this page is cut off: %s', async (page) => {
  await pages[page]?.();
  await user.page.locator('main h1').waitFor();
  await expect.poll(() => user.page.locator('[aria-label=Loading], .mantine-Skeleton-root').count()).toBe(0);
  await user.page.screenshot({ path: `${pictures}phone-${page}.png`, fullPage: true });
  expect(await user.page.evaluate(problems)).toEqual([]);
});
