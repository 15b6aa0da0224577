/** The rows of the list of keys: what stays in view, ranges, the keyboard, and the texts that cells cut off. */
import { expect, it } from 'vitest';
import { createKey } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const description = 'Reads the orders of all shops each night. '.repeat(8).trim();
const tags = ['payments', 'web', 'eu', 'night', 'reporting', 'finance'];

const user = userOf({
  prepare: async (dashboard) => {
    for (let i = 0; i < 29; i += 1) await createKey(dashboard, { name: `Job ${String(i).padStart(2, '0')}` });
    await createKey(dashboard, { name: 'Job 29', description, tags });
  },
});
const { button, heading } = user;

const list = async (search = '') => {
  await user.goTo(`keys?sort=NAME${search}`);
  await user.page.locator('.keys:not([data-stale=true]) tbody tr:first-child a', { hasText: 'Job 00' }).waitFor();
  await user.page.getByRole('link', { name: 'Job 29' }).waitFor();
};
const selected = async () => {
  const boxes = await user.page.getByRole('checkbox', { name: /^Select Job/, checked: true }).all();
  return await Promise.all(boxes.map(async (box) => (await box.getAttribute('aria-label'))?.slice(-2)));
};
const box = (name: string) => user.page.getByLabel(`Select ${name}`);
const top = async (selector: string) => (await user.page.locator(selector).boundingBox())?.y ?? -1;

it('the selection and the head of the table stay in view, below the header of the page', async () => {
  const { page } = user;
  await list();
  await box('Job 00').check();
  await box('Job 29').scrollIntoViewIfNeeded();
  await page.mouse.wheel(0, 5000);
  await expect.poll(() => page.evaluate<number>('scrollY')).toBeGreaterThan(300);
  const header = await page.locator('header').boundingBox();
  const bar = page.getByRole('region', { name: 'Selected keys' });
  const barBox = await bar.boundingBox();
  expect(barBox?.y).toBe((header?.y ?? 0) + (header?.height ?? 0));
  expect(await top('.keys thead')).toBe((barBox?.y ?? 0) + (barBox?.height ?? 0));
  await button('Clear the selection').click();
  await bar.waitFor({ state: 'detached' });
  // The focus has gone to the heading, and the page with it.
  await page.mouse.wheel(0, 5000);
  await expect.poll(() => top('.keys thead')).toBe((header?.y ?? 0) + (header?.height ?? 0));
  // Nor does the head cover the row to which the keyboard goes.
  await page.locator('.keys tbody a').nth(20).focus();
  for (let i = 0; i < 15; i += 1) await page.keyboard.press('k');
  const head = await page.locator('.keys thead').boundingBox();
  const row = await page.locator('.keys tbody tr').nth(5).boundingBox();
  expect(row?.y).toBeGreaterThanOrEqual((head?.y ?? 0) + (head?.height ?? 0) - 1);
});

it('a click with Shift, and Space with Shift, select or clear all keys since the last one', async () => {
  const { page } = user;
  await list();
  await box('Job 03').click();
  await box('Job 06').click({ modifiers: ['Shift'] });
  expect(await selected()).toEqual(['03', '04', '05', '06']);
  await box('Job 05').click({ modifiers: ['Shift'] });
  expect(await selected()).toEqual(['03', '04']);
  await box('Job 01').focus();
  await page.keyboard.press('Shift+Space');
  expect(await selected()).toEqual(['01', '02', '03', '04', '05']);
});

it('j and k move between rows, x selects, Enter opens, and each row is one stop of the Tab key', async () => {
  const { page } = user;
  await list();
  await page.keyboard.press('j');
  expect(await user.focused()).toBe('Job 00');
  for (const key of ['j', 'j', 'ArrowDown', 'k']) await page.keyboard.press(key);
  expect(await user.focused()).toBe('Job 02');
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Shift+X');
  expect(await selected()).toEqual(['02', '03', '04']);
  await page.keyboard.press('Tab');
  expect(await user.focused()).toBe('Job 05');
  await page.keyboard.press('ArrowRight');
  expect(await user.focused('ariaLabel')).toBe('Actions for Job 05');
  await page.keyboard.press('Shift+Tab');
  expect(await user.focused()).toBe('Job 05');
  await page.keyboard.press('ArrowLeft');
  expect(await user.focused('ariaLabel')).toBe('Select Job 05');
  await page.keyboard.press('Enter');
  await heading('Job 05');
});

it('the dialog of shortcuts lists those of the rows, and turns off those of a single key', async () => {
  const { page } = user;
  await list();
  await page.keyboard.press('?');
  for (const text of ['Go to the next or previous key', 'Select the key', 'Open the key']) await user.sees(text);
  await page.getByRole('checkbox', { name: 'Shortcuts of a single key' }).uncheck();
  await page.keyboard.press('Escape');
  await user.dialogCloses();
  const before = await user.focused();
  await page.keyboard.press('j');
  expect(await user.focused()).toBe(before);
  await page.evaluate('localStorage.clear()');
});

it('the whole text of a cell is shown to the pointer and to the keyboard, until Escape', async () => {
  const { page } = user;
  await list('&columns=tags,description');
  const whole = page.getByRole('tooltip');
  await page.locator('.clipped', { hasText: 'Reads the orders' }).hover();
  await whole.filter({ hasText: description }).waitFor();
  await page.keyboard.press('Escape');
  await whole.waitFor({ state: 'detached' });
  await page.locator('.more').first().hover();
  await expect.poll(() => whole.textContent()).toBe(tags.join('\n'));
  await page.mouse.move(0, 0);
  await whole.waitFor({ state: 'detached' });
  await page.keyboard.press('k');
  expect(await user.focused()).toBe('Job 29');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => whole.textContent()).toBe(tags.join('\n'));
  // Each tag in view is a button.
  for (const tag of await page.locator('.keys .item button').allTextContents()) {
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => user.focused()).toBe(tag);
  }
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => whole.textContent()).toBe(description);
  const { x = 0, width = 0 } = (await whole.boundingBox()) ?? {};
  expect(x + width).toBeLessThanOrEqual(1280);
  await page.keyboard.press('ArrowRight');
  expect(await user.focused('ariaLabel')).toBe('Actions for Job 29');
  await whole.waitFor({ state: 'detached' });
});
