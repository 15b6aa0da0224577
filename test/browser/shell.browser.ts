/** What every page has: titles, focus, commands, shortcuts, the teams and the language. */
import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { expect, it } from 'vitest';
import { permissions } from '../../src/domain/key/permission.ts';
import { violations } from './support/axe.ts';
import { both, createKey, inDays, jwtSecret } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const user = userOf({
  prepare: async (dashboard) => {
    for (let i = 0; i < 30; i += 1) await createKey(dashboard, { name: `Key ${i}` });
  },
});
const { goTo, create, hold, heading, focused, dialogCloses } = user;

it('each page has a title of its own, and its heading has the focus after a navigation', async () => {
  const { page } = user;
  for (const [link, heading] of [
    ['Overview', 'Overview'],
    ['Try a key', 'Try a key'],
    ['Keys', 'Keys'],
  ] as const) {
    await page.getByRole('link', { name: link, exact: true }).click();
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await expect.poll(() => page.title()).toBe(`${heading} · Latchkey`);
    await expect.poll(() => focused('tagName')).toBe('H1');
  }
  await page.getByRole('link', { name: 'Key 7', exact: true }).click();
  await expect.poll(() => page.title()).toBe('Key 7 · Latchkey');
});

it.for([
  { width: 1280, height: 600 },
  // The smallest window in which the header is sticky.
  { width: 800, height: 500 },
])('nothing that takes the focus is hidden under the header, in a window of $width × $height', async (viewport) => {
  const { page } = user;
  await page.setViewportSize(viewport);
  await page.getByRole('link', { name: 'Key 0', exact: true }).waitFor();
  expect(await page.evaluate<string>('getComputedStyle(document.querySelector("header")).position')).toBe('sticky');
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  await page.getByRole('link', { name: 'Key 0', exact: true }).focus();
  const hidden: string[] = [];
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Shift+Tab');
    const overlap = await page.evaluate<string | null>(`(() => {
      const element = document.activeElement;
      if (element === document.body) return null;
      const { left, right, top, bottom } = element.getBoundingClientRect();
      // The middle of what is in the window: the states scroll sideways. The link that skips the header is in front of it.
      const middle = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
      const seen = document.elementFromPoint(middle, (top + bottom) / 2);
      return element.contains(seen) || seen?.contains(element) ? null : element.outerHTML.slice(0, 80);
    })()`);
    if (overlap !== null) hidden.push(overlap);
  }
  expect(hidden).toEqual([]);
});

it('the keyboard searches, lists its shortcuts and runs commands, but never while someone types', async () => {
  const { page } = user;
  const search = page.getByLabel('Search', { exact: true });
  await search.waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('a/b?');
  expect(await search.inputValue()).toBe('a/b?');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await search.fill('');
  // From a page without a list, to the list.
  await page.getByRole('link', { name: 'Try a key' }).click();
  await heading('Try a key');
  await page.getByRole('heading', { name: 'Try a key' }).focus();
  await page.keyboard.press('/');
  await page.waitForURL('**/keys');
  await expect.poll(() => focused('tagName')).toBe('INPUT');
  await page.keyboard.press('Control+k');
  const command = page.getByRole('combobox', { name: 'Command' });
  await command.fill('overv');
  await page.keyboard.press('Enter');
  await heading('Overview');
  await dialogCloses();
  await page.keyboard.press('Control+k');
  await command.fill('Key 7');
  await page.getByRole('option', { name: 'Search keys for “Key 7”' }).click();
  await page.getByRole('link', { name: 'Key 7', exact: true }).waitFor();
  await dialogCloses();
  await page.getByRole('heading', { name: 'Keys', exact: true }).focus();
  await page.keyboard.press('?');
  const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await shortcuts.getByLabel('Shortcuts of a single key').uncheck();
  await page.keyboard.press('Escape');
  await shortcuts.waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await page.keyboard.press('/');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await focused('tagName')).not.toBe('INPUT');
});

it('a hundred teams, about the maximum of a token, are found by name or id', async () => {
  const ids = Array.from({ length: 100 }, () => randomUUID()).sort();
  // Not the first: its page is open already.
  const wanted = ids[50] ?? '';
  const teams = Object.fromEntries(ids.map((id) => [id, ['view_team']]));
  const claims = { teams, team_names: { [wanted]: 'Payments' } };
  const many = jwt.sign(claims, jwtSecret, { subject: 'ada@example.com', expiresIn: 3600 });
  const { page, tab } = user;
  await user.forget();
  await tab.signIn(many);
  const switcher = page.getByRole('combobox', { name: 'Team' });
  await switcher.fill('paym');
  await page.getByRole('option', { name: 'Payments' }).click();
  await page.waitForURL(`**/teams/${wanted}/keys`);
  await expect.poll(() => switcher.inputValue()).toBe('Payments');
  await switcher.fill(ids[99] ?? '');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/teams/${ids[99]}/keys`);
  await expect.poll(() => switcher.inputValue()).toBe(ids[99]);
  await tab.goTo(`teams/${wanted}/overview`);
  await page.getByText(`Team Payments, ${wanted}`).waitFor();
});

it('the list of teams is under its field, and its texts can be read in all colors', async () => {
  const { page, tab } = user;
  const teams = { [user.dashboard.team]: both, [randomUUID()]: both };
  const claims = { teams, team_names: Object.fromEntries(Object.keys(teams).map((id, i) => [id, `Team ${i}`])) };
  await user.forget();
  await tab.signIn(jwt.sign(claims, jwtSecret, { subject: 'ada@example.com', expiresIn: 3600 }));
  const field = page.getByRole('combobox', { name: 'Team' });
  await field.click();
  const list = page.locator('.mantine-Select-dropdown');
  await list.getByRole('option').first().waitFor();
  await page.keyboard.press('ArrowDown');
  const [of, at] = await Promise.all([field.boundingBox(), list.boundingBox()]);
  expect(Math.abs((of?.x ?? 0) - (at?.x ?? 99))).toBeLessThan(2);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await list.locator('[data-combobox-selected]').waitFor();
    expect(await violations(page, ['color-contrast'])).toEqual([]);
  }
});

it('the pages of a team are in at most two rows on a phone', async () => {
  const all = await user.openAs(permissions, { viewport: { width: 390, height: 800 } });
  const links = all.page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  expect(await links.count()).toBe(10);
  const boxes = await Promise.all((await links.all()).map((link) => link.boundingBox()));
  expect(new Set(boxes.map((box) => box?.y)).size).toBe(2);
  expect(Math.max(...boxes.map((box) => (box?.x ?? 0) + (box?.width ?? 999)))).toBeLessThanOrEqual(390);
  await all.close();
});

it('times are in English in a German browser, and tick', async () => {
  const { id } = await create({ name: 'Soon over', expiresAt: inDays(300) });
  const tab = await user.openAs(both, { locale: 'de-DE', timezoneId: 'UTC' });
  await tab.goTo(`keys/${id}`);
  await tab.page.getByText('in 10 months').first().waitFor();
  const created = tab.page
    .locator('time')
    .filter({ hasText: /seconds? ago|now/ })
    .first();
  const text = await created.textContent();
  expect(await created.getAttribute('title')).toMatch(/^\d{1,2} \w{3,4} 2\d{3}, \d\d:\d\d:\d\d (?:UTC|GMT)/);
  await expect.poll(() => tab.page.locator('time').allTextContents()).not.toContain(text);
  await tab.close();
});

it('a page in dark colors is printed in light ones, without its navigation', async () => {
  const { page } = user;
  await page.emulateMedia({ colorScheme: 'dark' });
  const scheme = () => page.evaluate<string>('document.documentElement.dataset.mantineColorScheme');
  await expect.poll(scheme).toBe('dark');
  await page.emulateMedia({ media: 'print' });
  await expect.poll(scheme).toBe('light');
  expect(await page.getByRole('link', { name: 'Overview' }).isVisible()).toBe(false);
  await page.emulateMedia({ media: 'screen' });
  await expect.poll(scheme).toBe('dark');
});

it('a whole key in the palette leads to its prefix, and is in no address', async () => {
  const { page } = user;
  const { prefix, secret } = await create({ name: 'Pasted' });
  for (const pasted of [secret, `Bearer ${secret}`]) {
    await goTo('overview');
    await heading('Overview');
    // The palette of the first time may still close.
    await dialogCloses();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command' }).fill(pasted);
    await page.getByRole('option', { name: 'Pasted' }).waitFor();
    await page.getByRole('option', { name: 'Search keys for this text' }).click();
    await page.getByRole('link', { name: 'Pasted', exact: true }).waitFor();
    await expect.poll(() => page.url()).toContain(`search=${prefix}`);
    expect(page.url()).not.toContain(secret.slice(-30));
  }
});

it('a page that is chosen before the first answer is not replaced', async () => {
  const { page, dashboard } = user;
  await page.goto('about:blank');
  const viewer = await hold('Viewer');
  const code = await hold('explain-page-');
  await page.goto(dashboard.service.url);
  await page.getByRole('img', { name: 'Loading' }).waitFor();
  await page.evaluate(`location.hash = '/teams/${dashboard.team}/try'`);
  await code.asked();
  await viewer.answer();
  await page.getByRole('link', { name: 'Try a key', exact: true }).waitFor();
  await code.answer();
  await heading('Try a key');
  expect(new URL(page.url()).hash).toBe(`#/teams/${dashboard.team}/try`);
});

it('shows that a page loads, until it is shown', async () => {
  const { page } = user;
  const { answer } = await hold('explain-page-');
  await page.getByRole('link', { name: 'Try a key', exact: true }).click();
  const progress = page.getByRole('progressbar', { name: 'Loading the page' });
  await progress.waitFor({ state: 'attached' });
  await answer();
  await heading('Try a key');
  await progress.waitFor({ state: 'detached' });
});

it('says that a key is missing, or that an id is malformed without a request', async () => {
  const { page } = user;
  await goTo(`keys/${randomUUID()}`);
  await heading('There is no such key');
  const calls = user.callsOf('OneKey');
  await goTo('keys/not-an-id');
  await heading('This is not the address of a key');
  await page.getByRole('link', { name: 'Go to the keys of the team' }).click();
  await page.getByRole('link', { name: 'Key 7', exact: true }).waitFor();
  expect(calls).toEqual([]);
});
