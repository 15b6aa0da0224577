/** Tables fit into every window, whatever their cells contain. Writes a picture of each choice of columns. */
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createKey, inDays } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

/** Not a part of the repository. */
const pictures = fileURLToPath(new URL('pictures/', import.meta.url));
mkdirSync(pictures, { recursive: true });
const source = readFileSync(new URL('../../src/dashboard/keys/list/columns.tsx', import.meta.url), 'utf8');
const columnIds = [...source.matchAll(/\bid: '(\w+)'/g)].map(([, id = '']) => id);
/** Two lines of text, and the padding of the row. */
const maxRowPx = 56;

const long = (characters: number, start: string) => start.padEnd(characters, 'x');
const many = (count: number, characters: number) =>
  Array.from({ length: count }, (_, i) => long(characters, `${String.fromCharCode(97 + (i % 26))}${i}-`));
const worst = {
  name: long(100, 'Longest'),
  description: many(7, 70).join(' '),
  externalId: long(255, 'external'),
  tags: many(20, 64),
  scopes: many(50, 100),
  allowedIps: Array.from({ length: 100 }, (_, i) => `2001:db8:aaaa:bbbb:cccc:dddd:eeee:${i.toString(16)}`),
  rateLimit: { limit: 1_000_000, windowSeconds: 86_400 },
  // Two digits, with a button below it.
  expiresAt: inDays(13),
};

const user = userOf({
  prepare: async (dashboard) => {
    await createKey(dashboard, { name: 'Plain' });
    await createKey(dashboard, { name: 'Web shop', tags: ['payments', 'web', 'eu'], description: 'Creates orders.' });
    const { id } = await createKey(dashboard, worst);
    await user.mutate(id, 'enableSigning(id: $id)', 'signingSecret');
    await user.rotate(id);
  },
});

/** What is wrong with the table of keys. An expression, because it runs in the page. */
const problemsOfTable = `(() => {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page scrolls sideways');
  for (const row of document.querySelectorAll('.keys tr')) {
    const { height } = row.getBoundingClientRect();
    if (height > ${maxRowPx}) found.push('a row of ' + height + ' px');
  }
  for (const cell of document.querySelectorAll('.keys :is(td, th)')) {
    if (!cell.checkVisibility()) continue;
    const { left, right } = cell.getBoundingClientRect();
    const name = cell.dataset.label ?? cell.textContent.slice(0, 20);
    if (left < 0 || right > innerWidth) found.push(name + ' is outside of the window');
    if (cell.scrollWidth > cell.clientWidth + 1) found.push(name + ' is wider than its column');
    for (const item of cell.querySelectorAll('.item, .more')) {
      if (!item.checkVisibility()) continue;
      const box = item.getBoundingClientRect();
      if (box.height > 24) found.push(name + ' has a broken item');
      if (box.right > right) found.push(name + ' cuts an item off');
    }
  }
  return found;
})()`;

it.for([1280, 1920])('every choice of columns fits at %i px, in rows of at most two lines', async (width) => {
  const { page } = user;
  await page.setViewportSize({ width, height: 500 });
  for (const columns of ['none', ...columnIds, columnIds.join(',')]) {
    await user.goTo(`keys?columns=${columns}`);
    await page.locator('.keys tbody tr').nth(2).waitFor();
    await expect
      .poll(() => page.locator('.keys th').count())
      .toBe(columns === 'none' ? 4 : 4 + columns.split(',').length);
    const name = columns.includes(',') ? 'all' : columns;
    await page.screenshot({ path: `${pictures}columns-${name}-${width}.png` });
    expect(await page.evaluate(problemsOfTable), `${columns} at ${width} px`).toEqual([]);
  }
});
