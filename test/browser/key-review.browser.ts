/** A review of keys: states as tabs, filters from the values in use, sorts by use, and the view of keys that anyone can use. */
import { beforeEach, expect, it } from 'vitest';
import { both, createKey, inDays } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const user = userOf();
const { button, goTo, create, revoke, mutate, sees } = user;

const tab = (name: string) =>
  user.page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: new RegExp(`^${name}`) });
const tabs = () => user.page.getByRole('navigation', { name: 'States' }).getByRole('link').allInnerTexts();
const options = () => user.page.getByRole('listbox').getByRole('option');
const option = (name: string | RegExp) => options().and(user.page.getByRole('option', { name }));
const names = () => user.page.locator('.key-name a').allInnerTexts();
const listed = async (...expected: string[]) => await expect.poll(names).toEqual(expected);

async function filterBy(field: string, value: string | RegExp): Promise<void> {
  await button('+ Filter').click();
  await option(field).click();
  await option(value).click();
}

beforeEach(async () => {
  await create({ name: 'Expires', expiresAt: inDays(3), tags: ['billing'], scopes: ['read'] });
  await revoke((await create({ name: 'Gone', tags: ['billing'] })).id);
  await mutate((await create({ name: 'Off', scopes: ['read', 'write'] })).id, 'disableKey(id: $id)');
  await create({
    name: 'Open',
    tags: ['billing', 'eu'],
    externalId: 'shop-7',
    rateLimit: { limit: 5, windowSeconds: 60 },
  });
  await create({ name: 'Office', allowedIps: ['192.0.2.1'] });
  await goTo('keys');
  await user.page.reload();
  await listed('Office', 'Open', 'Off', 'Expires');
});

it('the states are tabs with the number of their keys, of which the filters leave those that match', async () => {
  const { page } = user;
  const all = [
    'Not revoked\n4',
    'Active\n3',
    'Expiring\n1',
    'Leaked\n0',
    'Disabled\n1',
    'Expired\n0',
    'Revoked\n1',
    'All\n5',
  ];
  await expect.poll(tabs).toEqual(all.map((text) => text.replace('\n', '')));
  expect(await tab('Not revoked').getAttribute('aria-current')).toBe('page');
  await tab('Disabled').click();
  await listed('Off');
  expect(await tab('Disabled').getAttribute('aria-current')).toBe('page');
  await tab('Expiring').click();
  await listed('Expires');
  await tab('Revoked').click();
  await listed('Gone');
  await page.goBack();
  await listed('Expires');
  await page.reload();
  await listed('Expires');
  await goTo('keys?tag=billing');
  await listed('Open', 'Expires');
  await expect
    .poll(tabs)
    .toEqual(['Not revoked2', 'Active2', 'Expiring1', 'Leaked0', 'Disabled0', 'Expired0', 'Revoked1', 'All3']);
  // A tab keeps the filters.
  await tab('Revoked').click();
  await listed('Gone');
  await button('Remove the filter Tag: billing').waitFor();
});

it('the numbers of the tabs follow a change of a key', async () => {
  await expect.poll(tabs).toContain('Disabled1');
  await button('Actions for Open').click();
  await user.page.getByRole('menuitem', { name: 'Disable…' }).click();
  await user
    .dialog()
    .getByRole('button', { name: /^Disable/ })
    .click();
  await expect.poll(tabs).toContain('Disabled2');
});

it('at 390 px, the tabs are one row that scrolls, and the page is no wider', async () => {
  const phone = await user.openAs(both, { viewport: { width: 390, height: 844 } });
  await phone.goTo('keys');
  const states = phone.page.getByRole('navigation', { name: 'States' });
  await states.getByText('All').waitFor();
  const boxes = (await states.getByRole('link').all()).map(async (link) => (await link.boundingBox())?.y);
  const tops = await Promise.all(boxes);
  expect(new Set(tops).size).toBe(1);
  expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await phone.close();
});

it('a filter is a field and then one of the values in use, each with its number, narrowed by typing', async () => {
  const { page } = user;
  await button('+ Filter').click();
  await option('Tag').click();
  await expect.poll(() => options().allInnerTexts()).toEqual(['billing\n2', 'eu\n1']);
  await page.keyboard.type('E');
  await expect.poll(() => options().allInnerTexts()).toEqual(['eu\n1']);
  await page.keyboard.press('Enter');
  await listed('Open');
  await button('Remove the filter Tag: eu').click();
  await filterBy('Scope', /^read/);
  await listed('Off', 'Expires');
  await filterBy('Scope', /^write/);
  await listed('Off');
  await button('Clear').click();
  await filterBy('Allowed sources', 'Some');
  await listed('Office');
  // An option that is chosen already, and the way back to the fields.
  await button('+ Filter').click();
  await option('Allowed sources').click();
  await page.keyboard.press('Backspace');
  await option('Created by').click();
  await option(/^ada@example.com/).click();
  await listed('Office');
  await button('Remove the filter Created by: ada@example.com').waitFor();
  await button('Clear').click();
  await filterBy('Rate limit', 'Limited');
  await listed('Open');
  await button('Clear').click();
  await filterBy('Expiry', 'Never expires');
  await listed('Office', 'Open', 'Off');
});

it('a value beyond those that the menu lists is found by typing', async () => {
  for (let i = 0; i < 6; i += 1)
    await create({ name: `Many ${i}`, tags: Array.from({ length: 20 }, (_, tag) => `label-${i * 20 + tag}`) });
  await button('+ Filter').click();
  await option('Tag').click();
  await sees('There are more: type to find them.');
  expect(await option('label-99').count()).toBe(0);
  await user.page.keyboard.type('label-99');
  await option('label-99').click();
  await listed('Many 4');
});

it('a click on a tag, scope, external id or creator in the list filters by it, and opens no key', async () => {
  const { page } = user;
  const cell = (value: string) =>
    page.getByRole('row', { name: /Open/ }).getByRole('button', { name: value, exact: true });
  await goTo('keys?columns=tags,scopes,externalId,creator');
  await cell('eu').click();
  await listed('Open');
  await button('Remove the filter Tag: eu').waitFor();
  await cell('billing').click();
  await button('Remove the filter Tag: billing').waitFor();
  await cell('shop-7').click();
  await button('Remove the filter External ID: shop-7').waitFor();
  await cell('ada@example.com').click();
  await button('Remove the filter Created by: ada@example.com').waitFor();
  await listed('Open');
  await goTo('keys?columns=scopes');
  await page.getByRole('button', { name: 'write', exact: true }).click();
  await listed('Off');
});

it('a click on a tag, external id, creator or responsible person of a key lists the keys that have it too', async () => {
  const { page } = user;
  const facts = page.getByRole('region', { name: 'Facts' });
  for (const { value, chip, nth = 0 } of [
    { value: 'billing', chip: 'Tag: billing' },
    { value: 'shop-7', chip: 'External ID: shop-7' },
    { value: 'ada@example.com', chip: 'Created by: ada@example.com' },
    { value: 'ada@example.com', chip: 'Responsible: ada@example.com', nth: 1 },
  ]) {
    await goTo('keys');
    await page.getByRole('link', { name: 'Open', exact: true }).click();
    await facts.getByRole('link', { name: value, exact: true }).nth(nth).click();
    await button(`Remove the filter ${chip}`).waitFor();
  }
});

it('sorts by last use and by calls, and shows what a review needs as columns', async () => {
  const { page } = user;
  const { secret } = await createKey(user.dashboard, { name: 'Used' });
  for (let i = 0; i < 2; i += 1) expect(await user.verdict({ key: secret })).toBe('VALID');
  const first = async () => (await names())[0];
  await expect
    .poll(async () => {
      await goTo('keys?sort=-CALLS');
      await page.reload();
      await page.locator('.key-name a').first().waitFor();
      return await first();
    })
    .toBe('Used');
  const header = (name: string) => page.getByRole('columnheader', { name });
  expect(await header('Last 7 days').getAttribute('aria-sort')).toBe('descending');
  await header('Last used').getByRole('button').click();
  await expect.poll(() => header('Last used').getAttribute('aria-sort')).toBe('ascending');
  await expect.poll(async () => (await names()).at(-1)).toBe('Used');
  await header('Last used').getByRole('button').click();
  await expect.poll(first).toBe('Used');
  await goTo('keys?columns=sources,signing,limit,creator');
  const cells = page.getByRole('row', { name: /Open/ }).locator('td[data-label]');
  await expect.poll(() => cells.allInnerTexts()).toEqual(['anywhere', 'off', '5 per minute', 'ada@example.com']);
  expect(
    await page
      .getByRole('row', { name: /Office/ })
      .locator('td[data-label="Allowed sources"]')
      .innerText(),
  ).toBe('1');
});

it('every team has a view of the live keys that anyone can use from anywhere', async () => {
  const { page } = user;
  await create({ name: 'Trial', env: 'test' });
  const signed = await create({ name: 'Signed' });
  await mutate(signed.id, 'enableSigning(id: $id)', 'signingSecret');
  await button('Options').click();
  await page.getByRole('menuitem', { name: 'Live keys that anyone can use from anywhere' }).click();
  await listed('Open', 'Expires');
  await sees('View: Live keys that anyone can use from anywhere');
});
