/** The list of keys: its filters, order and page are those of the URL, on every way to it. */
import { beforeEach, expect, it } from 'vitest';
import { both, createKey, inDays } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const otherTeam = '6b5dbd5b-6ee6-4a6e-9d1c-1d0ac0f4a1b2';
const user = userOf({
  otherTeams: [otherTeam],
  prepare: async (dashboard) => {
    for (let i = 0; i < 30; i += 1)
      await createKey(dashboard, { name: `Job ${String(i).padStart(2, '0')}`, tags: ['job'] });
    await create({ name: 'Checkout', env: 'test', externalId: 'shop-7' });
  },
});
const { button, goTo, create, verdict, revoke, hold } = user;
beforeEach(async () => {
  await goTo('keys');
  await status(/^1 to \d/);
});

const hash = () => new URL(user.page.url()).hash;
const option = (name: string) => user.page.getByRole('listbox').getByRole('option', { name: new RegExp(`^${name}`) });
const status = (text: string | RegExp) => user.page.getByText(text).waitFor();

it('each filter selects, Clear removes all of them and the search at once, and Back restores them', async () => {
  const { page } = user;
  await user.tab.goTo(
    `teams/${user.dashboard.team}/keys?search=Job&state=active&env=live&signing=off&use=never&tag=job&sort=NAME`,
  );
  await status('1 to 30 of 30');
  await expect.poll(() => page.getByLabel('Search').inputValue()).toBe('Job');
  await button('Clear').click();
  await status('1 to 31 of 31');
  expect(hash()).toBe(`#/teams/${user.dashboard.team}/keys?sort=NAME`);
  await expect.poll(() => page.getByLabel('Search').inputValue()).toBe('');
  await page.goBack();
  await status('1 to 30 of 30');
  await expect.poll(() => page.getByLabel('Search').inputValue()).toBe('Job');
  const chips = page.getByRole('button', { name: /^Remove the filter/ });
  expect(await chips.allInnerTexts()).toEqual(['Environment: live', 'Signing: Off', 'Use: Never used', 'Tag: job']);
  await button('Clear').click();
  await button('+ Filter').click();
  await option('External ID').click();
  await option('shop-7').click();
  await status('1 to 1 of 1');
  await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('+ Filter');
  // The focus moves to the button beside it, because the removed filter had it.
  await button('Remove the filter External ID: shop-7').press('Enter');
  await status('1 to 31 of 31');
  expect(await page.evaluate('document.activeElement?.textContent')).toBe('+ Filter');
});

it('the search box follows the URL: after navigation, Back, a deep link and another team', async () => {
  const { page } = user;
  const search = page.getByLabel('Search');
  await search.fill('check');
  await status('1 to 1 of 1');
  await expect.poll(hash).toContain('search=check');
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await status('1 to 31 of 31');
  await expect.poll(() => search.inputValue()).toBe('');
  await page.goBack();
  await status('1 to 1 of 1');
  await expect.poll(() => search.inputValue()).toBe('check');
  await goTo('keys?search=Job+0');
  await status('1 to 10 of 10');
  await expect.poll(() => search.inputValue()).toBe('Job 0');
  // What was typed for one team is not searched for in another.
  await user.tab.goTo(`teams/${otherTeam}/keys`);
  await status('This team has no keys yet.');
  await expect.poll(() => search.inputValue()).toBe('');
});

it('a page that is opened just after typing is shown, however slowly it loads', async () => {
  const { page } = user;
  const search = page.getByLabel('Search');
  const { asked, answer } = await hold('explain-page-');
  await search.focus();
  // In one task of the page: before the box has waited for the next key press, also on a slow machine.
  await page.evaluate(`
    document.execCommand('insertText', false, 'check');
    document.querySelector('a[href$="/try"]').click();
  `);
  await asked();
  // Longer than the box waits for the next key press.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 400))');
  await answer();
  await page.getByRole('heading', { name: 'Try a key' }).waitFor();
  await page.goBack();
  await status('1 to 31 of 31');
  expect(await search.inputValue()).toBe('');
});

it('reload, and the breadcrumb of a key, lead to the same page of the same list', async () => {
  const { page } = user;
  await goTo('keys?size=25&sort=NAME');
  await status('1 to 25 of 31');
  await button('Next page').click();
  await status('26 to 31 of 31');
  await page.reload();
  await status('26 to 31 of 31');
  await page.getByRole('link', { name: 'Job 29' }).click();
  await page.getByRole('heading', { name: 'Job 29' }).waitFor();
  await page.reload();
  await page.locator('main').getByRole('link', { name: 'Keys', exact: true }).click();
  await status('26 to 31 of 31');
  await page.goBack();
  await page.getByRole('heading', { name: 'Job 29' }).waitFor();
  await page.goBack();
  await status('26 to 31 of 31');
  await button('Previous page').click();
  await status('1 to 25 of 31');
  await page.goBack();
  await status('26 to 31 of 31');
  // The link to a page also works in a tab that has not seen the pages before it.
  const other = await user.openAs(both);
  await other.page.goto(page.url());
  await other.page.getByText('26 to 31 of 31').waitFor();
  await other.page.getByRole('button', { name: 'Previous page' }).click();
  await other.page.getByText('1 to 25 of 31').waitFor();
  await other.close();
});

it('a key that expires while the list is open says so', async () => {
  const { page } = user;
  await create({ name: 'Short', expiresAt: new Date(Date.now() + 600_000).toISOString() });
  await page.clock.install();
  await page.reload();
  const row = page.getByRole('row', { name: /Short/ });
  await row.getByText('active').waitFor();
  await page.clock.fastForward('10:01');
  await row.getByText('expired').waitFor();
});

it('the list of keys that expire soon has those of the overview: none that expired, and no badge on revoked ones', async () => {
  const { page } = user;
  await create({ name: 'In 13.9 days', expiresAt: inDays(13.9) });
  await create({ name: 'In 14.1 days', expiresAt: inDays(14.1) });
  const { id } = await create({ name: 'Revoked before', expiresAt: inDays(5) });
  const gone = await create({ name: 'Gone already', expiresAt: new Date(Date.now() + 3000).toISOString() });
  await expect.poll(() => verdict({ key: gone.secret })).toBe('EXPIRED');
  await revoke(id);
  await goTo('keys?expiry=soon&sort=EXPIRES_AT');
  await page.getByRole('link', { name: 'In 13.9 days' }).waitFor();
  expect(await page.getByRole('link', { name: 'Gone already' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'In 14.1 days' }).count()).toBe(0);
  await goTo('keys?expiry=soon&state=all');
  const row = page.getByRole('row', { name: /Revoked before/ });
  await row.waitFor();
  expect(await row.getByTitle('Expires soon').count()).toBe(0);
  await goTo('keys?use=long');
  // All keys are new.
  await status('No key matches these filters.');
});

it('remembers hidden columns and saved views, and the link to a view shows others its filter, order, columns and name', async () => {
  const { page } = user;
  await button('Options').click();
  await page.getByRole('menuitemcheckbox', { name: 'Column: Created', exact: true }).click();
  await page.getByRole('columnheader', { name: 'Created' }).waitFor({ state: 'detached' });
  // An item with a check mark leaves the menu open.
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await goTo('keys?env=test&sort=NAME');
  await status('1 to 1 of 1');
  await button('Options').click();
  await page.getByRole('menuitem', { name: 'Saved views…' }).click();
  await page.getByLabel('Name of the current view').fill('Tests');
  await button('Save').click();
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await page.getByRole('link', { name: 'Job 29', exact: true }).waitFor();
  await page.reload();
  await page.getByRole('link', { name: 'Job 29', exact: true }).waitFor();
  expect(await page.getByRole('columnheader', { name: 'Created' }).count()).toBe(0);
  await button('Options').click();
  await page.getByRole('menuitem', { name: 'Tests', exact: true }).click();
  await status('1 to 1 of 1');
  await button('Options').click();
  await page.getByRole('menuitem', { name: 'Copy the link to this list' }).click();
  await page.getByRole('menuitem', { name: 'Copied' }).waitFor();
  expect(await user.clipboard()).toBe(page.url());
  const colleague = await user.openAs(both);
  await colleague.page.goto(page.url());
  await colleague.page.getByText('1 to 1 of 1').waitFor();
  await colleague.page.getByText('View: Tests').waitFor();
  expect(await colleague.page.getByRole('columnheader', { name: 'Created' }).count()).toBe(0);
  const sorted = colleague.page.getByRole('columnheader', { name: 'Name' });
  expect(await sorted.getAttribute('aria-sort')).toBe('ascending');
  // Another filter is another view. Columns that the colleague chooses here change the link, and not the own choice.
  await colleague.page.getByRole('button', { name: 'Clear', exact: true }).click();
  await colleague.page.getByText('View: Tests').waitFor({ state: 'detached' });
  await colleague.page.getByRole('columnheader', { name: 'Created' }).waitFor();
  await colleague.close();
});

it('ignores stored views and columns that are not valid', async () => {
  const { page } = user;
  for (const key of [`latchkey-views:${user.dashboard.team}`, 'latchkey-hidden-columns']) {
    await page.evaluate(`localStorage.setItem(${JSON.stringify(key)}, '[null, 5, {"name": "five"}]')`);
  }
  await page.reload();
  await button('Options').click();
  await page.getByRole('menuitem', { name: 'Saved views…' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'five' }).count()).toBe(0);
});

it('a list that is loading after an empty one is not said to be empty', async () => {
  const { page } = user;
  const { id } = await create({ name: 'Revoked long ago' });
  await revoke(id);
  await goTo('keys?search=zzz');
  // The list without filters is not known to the page.
  await page.reload();
  await status('No key matches these filters.');
  const { answer } = await hold('KeyList');
  await button('Clear the filters').click();
  await page.locator('table[aria-busy=true]').waitFor();
  expect(await page.getByText(/^All keys of this team|^This team has no keys|^No key matches/).count()).toBe(0);
  await answer();
  await status(/^1 to \d/);
});

it('while a page loads, no range is shown, and when all are selected, no single key can be deselected', async () => {
  const { page } = user;
  await goTo('keys?search=Job&size=25');
  await status('1 to 25 of 30');
  await page.getByLabel('Select all keys on this page').check();
  await button('Select all 30').click();
  const { answer } = await hold('KeyList');
  await button('Next page').click();
  await page.locator('table[data-stale=true]').waitFor();
  expect(await page.getByText(/\d to \d/).count()).toBe(0);
  await answer();
  await status('26 to 30 of 30');
  for (const box of await page.getByRole('checkbox').all()) {
    expect(await box.isChecked()).toBe(true);
    expect(await box.isDisabled()).toBe(true);
  }
  await status('30 selected');
  await button('Clear the selection').click();
  const last = page.getByRole('checkbox', { name: /^Select Job/ }).last();
  expect(await last.isChecked()).toBe(false);
  await last.check();
  await status('1 selected');
});

it('a phone shows cards with environment, last use and expiry below the search, wraps long names, and offers all orders', async () => {
  await create({ name: `Partner-${'feed'.repeat(22)}` });
  const phone = await user.openAs(both, { viewport: { width: 320, height: 640 } });
  const { page } = phone;
  const first = page.getByRole('row').nth(1).getByRole('link');
  await first.and(page.getByText(/^Partner-feed/)).waitFor();
  const { y = 0, width = 0 } = (await first.boundingBox()) ?? {};
  expect(y).toBeLessThan(400);
  expect(width).toBeLessThan(320);
  const card = page.getByRole('row').nth(1);
  await card.getByText('live', { exact: true }).waitFor();
  for (const label of ['Last used', 'Expires'])
    expect(await card.locator(`[data-label="${label}"]`).innerText()).toBe('never');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  const choose = async (field: string, value: string) => {
    await page.getByRole('button', { name: '+ Filter' }).click();
    await page.getByRole('option', { name: field }).click();
    await page.getByRole('option', { name: value }).click();
  };
  await choose('Order', 'Oldest first');
  await first.and(page.getByText('Job 00')).waitFor();
  await choose('Order', 'Name, A to Z');
  await first.and(page.getByText('Checkout')).waitFor();
  await choose('Environment', 'test');
  await page.getByRole('button', { name: 'Remove the filter Environment: test' }).waitFor();
  await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Options' }).click();
  await page.getByText('Wider windows show more columns.').waitFor();
  await phone.close();
});

it('without a clipboard, as over plain HTTP, the menus say that nothing was copied', async () => {
  const { page } = user;
  await page.addInitScript('delete Navigator.prototype.clipboard');
  await page.reload();
  for (const [menu, item] of [
    ['Actions for Checkout', 'Copy id'],
    ['Options', 'Copy the link to this list'],
  ] as const) {
    await button(menu).click();
    await page.getByRole('menuitem', { name: item }).click();
    await page.getByRole('menuitem', { name: 'This browser does not allow the page to copy' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
  }
});

it('several tags select the keys with all of them', async () => {
  const { page } = user;
  await create({ name: 'Both tags', tags: ['a, b', 'two'] });
  await create({ name: 'One tag', tags: ['two'] });
  await button('+ Filter').click();
  await option('Tag').waitFor();
  await page.keyboard.type('tag');
  await page.keyboard.press('Enter');
  await option('two').waitFor();
  await page.keyboard.type('TWO');
  await expect.poll(() => page.getByRole('listbox').getByRole('option').allInnerTexts()).toEqual(['two\n2']);
  await page.keyboard.press('Enter');
  await status('1 to 2 of 2');
  await page.goto(`${page.url()}&tag=a,+b`);
  await status('1 to 1 of 1');
  await page.getByRole('link', { name: 'Both tags' }).waitFor();
  await button('Remove the filter Tag: two').click();
  await status('1 to 1 of 1');
  await expect.poll(hash).toContain('keys?tag=a%2C+b');
});

it('marks keys that must be signed and rotations under way, which a filter selects', async () => {
  const { page } = user;
  const marked = (name: string) => page.getByRole('row', { name: new RegExp(name) });
  const signed = await create({ name: 'Signed' });
  await user.mutate(signed.id, 'enableSigning(id: $id)', 'signingSecret');
  const { id } = await create({ name: 'Rotated' });
  await user.rotate(id);
  await page.reload();
  await marked('Signed').getByRole('img', { name: 'Requests must be signed' }).waitFor();
  await marked('Rotated').getByText('rotating').waitFor();
  expect(await page.getByText('rotating').count()).toBe(1);
  expect(await page.getByRole('img', { name: 'Requests must be signed' }).count()).toBe(1);
  await button('+ Filter').click();
  await option('Rotation').click();
  await option('Under way').click();
  await status('1 to 1 of 1');
  await marked('Rotated').waitFor();
});

it('shows the calls of the last 7 days in words and as a chart, after the list is shown', async () => {
  const { page } = user;
  const { secret } = await create({ name: 'Called' });
  const { answer } = await hold('KeyCalls');
  for (let i = 0; i < 3; i += 1) expect(await verdict({ key: secret })).toBe('VALID');
  await page.reload();
  await status(/^1 to \d/);
  expect(await page.locator('.day-bars').count()).toBe(0);
  await answer();
  const chart = (name: string) => page.getByRole('row', { name: new RegExp(name) }).locator('svg[role=img]');
  await chart('Called').waitFor();
  await expect
    .poll(async () => {
      await page.reload();
      await chart('Called').waitFor();
      return await chart('Called').textContent();
    })
    .toBe('3 calls in 7 days, accepted or rejected, 3 today');
  expect(await chart('Job 29').textContent()).toBe('0 calls in 7 days, accepted or rejected, 0 today');
});
