/** Changes of keys from the list: one with its menu, several after a dry run. */
import { readFileSync } from 'node:fs';
import type { Request, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { both, holdOperation, tokenFor } from './support/dashboard.ts';
import { signedInUser } from './support/test.ts';

const dayMs = 86_400_000;
const user = signedInUser({ permissions: both });
const { button, goTo, create, call, verdict, update, revoke } = user;

const clipboard = () => user.page.evaluate<string>('navigator.clipboard.readText()');
const listOf = async (search: string) => goTo(`keys?search=${encodeURIComponent(search)}`);
const choose = async (key: string, item: string) => {
  await button(`Actions for ${key}`).click();
  await user.page.getByRole('menuitem', { name: item, exact: true }).click();
};

async function read(id: string) {
  const query = 'query ($id: UUID!) { key(id: $id) { state tags expiresAt } }';
  return (await call(query, { id })).key;
}

it('a click on a row opens the key, and its menu copies what identifies it', async () => {
  const { page } = user;
  const key = await create({ name: 'Opened' });
  await listOf('Opened');
  await choose('Opened', 'Copy id');
  await page.getByRole('menuitem', { name: 'Copied' }).waitFor();
  expect(await clipboard()).toBe(key.id);
  await page.getByRole('menuitem', { name: 'Copy prefix' }).click();
  await expect.poll(clipboard).toBe(key.prefix);
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  expect(page.url()).toContain('/keys?search=Opened');
  await page
    .getByRole('row', { name: /Opened/ })
    .getByText('active')
    .click();
  await page.getByRole('heading', { name: 'Opened' }).waitFor();
});

it('the menu of a row is usable by keyboard, and returns the focus', async () => {
  const { page } = user;
  await create({ name: 'By keyboard' });
  await listOf('By keyboard');
  await button('Actions for By keyboard').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Copy id' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Escape');
  const focused = 'document.activeElement.getAttribute("aria-label")';
  await expect.poll(() => page.evaluate<string>(focused)).toBe('Actions for By keyboard');
});

it('disables, enables and revokes a key from its row, after a confirmation that names it', async () => {
  const { page } = user;
  const key = await create({ name: 'Switched' });
  await listOf('Switched');
  await choose('Switched', 'Disable…');
  await page.getByRole('dialog').getByText(key.prefix).waitFor();
  await page.getByLabel('Reason').fill('looks leaked');
  await button('Disable 1 key').click();
  await page.getByText('1 key disabled').waitFor();
  await button('Close').last().click();
  await page
    .getByRole('row', { name: /Switched/ })
    .getByText('disabled')
    .waitFor();
  expect(await verdict({ key: key.secret })).toBe('DISABLED');
  await choose('Switched', 'Enable');
  await page.getByText('“Switched” is enabled.').waitFor();
  expect(await verdict({ key: key.secret })).toBe('VALID');
  await choose('Switched', 'Revoke…');
  expect(await button('Revoke 1 key').isDisabled()).toBe(true);
  await page.getByLabel(/To continue/).fill(key.prefix);
  await button('Revoke 1 key').click();
  await page.getByText('1 key revoked').waitFor();
  expect(await verdict({ key: key.secret })).toBe('REVOKED');
});

it('renews an expiring key with one click, by 90 days', async () => {
  const { page } = user;
  const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
  const expiresAt = inDays(7);
  const key = await create({ name: 'Weekly', expiresAt });
  const long = await create({ name: 'Yearly', expiresAt: inDays(365) });
  await listOf('Weekly');
  await button('Renew Weekly').click();
  await page.getByText('“Weekly” now expires on').waitFor();
  expect((await read(key.id)).expiresAt).toBe(new Date(Date.parse(expiresAt) + 90 * dayMs).toISOString());
  await listOf('Yearly');
  await page.getByRole('link', { name: 'Yearly', exact: true }).waitFor();
  expect(await button('Renew Yearly').count()).toBe(0);
  await choose('Yearly', 'Renew by 90 days');
  await page.getByText('“Yearly” now expires on').waitFor();
  const renewed = Date.parse((await read(long.id)).expiresAt) - Date.now();
  expect(Math.round(renewed / dayMs)).toBe(455);
});

it('does not renew a key that another user has changed meanwhile', async () => {
  const { page } = user;
  const key = await create({
    name: 'Contested',
    expiresAt: new Date(Date.now() + 5 * dayMs).toISOString(),
  });
  await listOf('Contested');
  await button('Renew Contested').waitFor();
  const expiresAt = new Date(Date.now() + 2 * dayMs).toISOString();
  await update(key.id, { expiresAt });
  await button('Renew Contested').click();
  await page.getByRole('alert').getByText('PRECONDITION_FAILED').waitFor();
  expect((await read(key.id)).expiresAt).toBe(expiresAt);
});

it('revokes selected keys: says which and how many, then what became of each', async () => {
  const { page } = user;
  const keys = [];
  for (let i = 0; i < 4; i += 1) keys.push(await create({ name: `Leaked ${i}` }));
  await listOf('Leaked');
  await page.getByLabel('Select Leaked 0').check();
  await page.getByLabel('Select Leaked 1').check();
  await page.getByLabel('Select Leaked 2').check();
  await page.getByText('3 selected').waitFor();
  // Another user revokes one of them before the dialog opens.
  await revoke(keys[2]?.id ?? '');
  await button('Revoke…').click();
  await page.getByText('2 keys will be changed:').waitFor();
  const affected = page.getByRole('region', { name: 'Keys that will be changed' });
  expect(await affected.getByRole('listitem').allTextContents()).toEqual([
    `Leaked 0 ${keys[0]?.prefix}`,
    `Leaked 1 ${keys[1]?.prefix}`,
  ]);
  await page.getByRole('region', { name: 'Keys that will not be changed' }).getByText('already revoked').waitFor();
  expect(await button('Revoke 2 keys').isDisabled()).toBe(true);
  await page.getByLabel(/To continue/).fill('2');
  await button('Revoke 2 keys').click();
  await page.getByText('2 keys revoked').waitFor();
  await button('Close').last().click();
  await page.getByRole('link', { name: 'Leaked 0' }).waitFor({ state: 'detached' });
  const verdicts = await Promise.all(keys.map(({ secret }) => verdict({ key: secret })));
  expect(verdicts).toEqual(['REVOKED', 'REVOKED', 'REVOKED', 'VALID']);
});

it('tags all keys that match a filter, also those on other pages, and lists what failed', async () => {
  const { page } = user;
  const many = Array.from({ length: 20 }, (_, i) => `tag-${i}`);
  const full = await create({ name: 'Batch full', tags: many });
  const keys = [];
  for (let i = 0; i < 27; i += 1) keys.push(await create({ name: `Batch ${i}`, tags: ['kept'] }));
  await goTo(`keys?search=Batch&size=25`);
  await page.getByText('1 to 25 of 28').waitFor();
  await page.getByLabel('Select all keys on this page').check();
  await page.getByText('25 selected').waitFor();
  await button('Select all 28').click();
  await page.getByText('28 selected').waitFor();
  await button('Tag…').click();
  await page.getByText('No key will be changed.').waitFor();
  await page.getByRole('combobox', { name: 'Add tags' }).fill('batch');
  await page.keyboard.press('Enter');
  await page.getByText('28 keys will be changed:').waitFor();
  const calls: unknown[] = [];
  page.on('request', (request) => {
    if (request.postData()?.includes('ChangeKeys') === true) calls.push(request.postDataJSON().variables.keys.length);
  });
  await button('Tag 28 keys').click();
  await page.getByText('27 keys tagged, 1 failed').waitFor();
  const failed = page.getByRole('region', { name: 'Keys that were not changed' });
  await failed.getByText('must have at most 20 entries').waitFor();
  // The second call is without the key that the service rejected.
  expect(calls).toEqual([28, 27]);
  await button('Close').last().click();
  expect((await read(keys[0]?.id ?? '')).tags).toEqual(['kept', 'batch']);
  expect((await read(full.id)).tags).toEqual(many);
});

it('one Escape closes the dialog of the tags, also from their field', async () => {
  const { page } = user;
  await create({ name: 'Tagged' });
  await listOf('Tagged');
  await page.getByLabel('Select all keys on this page').check();
  await button('Tag…').click();
  await page.getByRole('combobox', { name: 'Add tags' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

it('a selected key that does not exist anymore is listed, and the others are changed', async () => {
  const { page, context } = user;
  const { id } = await create({ name: 'Purged 0' });
  await create({ name: 'Purged 1' });
  await listOf('Purged');
  await page.getByText('1 to 2 of 2').waitFor();
  await page.getByLabel('Select all keys on this page').check();
  await context.route('**/graphql', (route) => {
    if (route.request().postDataJSON().variables.id !== id) return route.continue();
    const error = { message: 'There is no such key', extensions: { code: 'KEY_NOT_FOUND' } };
    return route.fulfill({ json: { data: null, errors: [error] } });
  });
  await button('Disable…').click();
  await page.getByRole('region', { name: 'Keys that can’t be found' }).getByText(id).waitFor();
  await button('Disable 1 key').click();
  await page.getByText('1 key disabled').waitFor();
});

it('an error that concerns all keys ends the reading of the selected keys', async () => {
  const { page, context } = user;
  for (let i = 0; i < 8; i += 1) await create({ name: `Unread ${i}` });
  await listOf('Unread');
  await page.getByText('1 to 8 of 8').waitFor();
  await page.getByLabel('Select all keys on this page').check();
  const aborted: string[] = [];
  page.on('requestfailed', (request) => aborted.push(request.postData() ?? ''));
  const asked: Route[] = [];
  await context.route('**/graphql', (route) => {
    asked.push(route);
  });
  await button('Disable…').click();
  await expect.poll(() => asked.length).toBe(4);
  const error = { message: 'Not allowed.', extensions: { code: 'FORBIDDEN' } };
  await asked[0]?.fulfill({ json: { data: null, errors: [error] } });
  await page.getByRole('alert').getByText('FORBIDDEN').waitFor();
  await expect.poll(() => aborted.length).toBe(3);
  expect(asked).toHaveLength(4);
});

it('a selection does not survive another filter', async () => {
  const { page } = user;
  await create({ name: 'Picked' });
  await listOf('Picked');
  await page.getByLabel('Select Picked').check();
  await page.getByText('1 selected').waitFor();
  // It survives a dialog that was cancelled.
  await button('Disable…').click();
  await button('Cancel').click();
  await page.getByText('1 selected').waitFor();
  await page.getByLabel('Environment').selectOption('live');
  await page.getByText('1 selected').waitFor({ state: 'detached' });
});

it('rows of the previous filter, still shown while the next ones load, can’t be selected', async () => {
  const { page } = user;
  await create({ name: 'Left over' });
  await listOf('Left over');
  const checkbox = page.getByLabel('Select Left over');
  await checkbox.waitFor();
  const { answer } = await holdOperation(user.tab, 'KeyList');
  await page.getByLabel('Environment').selectOption('test');
  await page.locator('table[data-stale=true]').waitFor();
  await checkbox.click();
  expect(await checkbox.isChecked()).toBe(false);
  expect(await page.getByLabel('Select all keys on this page').isDisabled()).toBe(true);
  await answer();
  await checkbox.waitFor({ state: 'detached' });
  expect(await page.getByText(/\d selected/).count()).toBe(0);
});

it('exports all pages of the filtered list as CSV, in which no cell is a formula', async () => {
  const { page } = user;
  for (let i = 0; i < 30; i += 1) await create({ name: `Exported ${i}` });
  await create({
    name: '=HYPERLINK("http://evil.example","Exported")',
    externalId: '+1',
    tags: ['@a', 'b'],
  });
  await goTo(`keys?search=Exported&size=25`);
  await page.getByText('1 to 25 of 31').waitFor();
  await button('Options').click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
  const text = readFileSync(await (await download).path(), 'utf8');
  const lines = text.trimEnd().split('\r\n');
  expect(lines).toHaveLength(32);
  expect(lines[0]).toMatch(/^id,teamId,env,prefix,state,name,/);
  expect(lines[1]).toContain(`,"'=HYPERLINK(""http://evil.example"",""Exported"")",`);
  expect(lines[1]).toContain(`,'+1,"'@a;b",`);
});

it('an export ends when the user leaves the list, and saves nothing', async () => {
  const { page } = user;
  await listOf('Exported');
  const { asked, answer } = await holdOperation(user.tab, 'ExportedKeys');
  const isExport = (request: Request) => request.postData()?.includes('ExportedKeys') === true;
  await button('Options').click();
  await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
  await asked();
  const ended = page.waitForEvent('requestfailed', isExport);
  await page.getByRole('link', { name: 'Overview' }).click();
  await ended;
  await answer();
});

it('a session that can only view can copy, but neither select nor change', async () => {
  await create({ name: 'Only seen' });
  const viewer = await user.dashboard.open();
  await viewer.signIn(tokenFor({ [user.dashboard.team]: ['view_team'] }));
  await viewer.page.getByRole('button', { name: 'Actions for Only seen' }).click();
  await viewer.page.getByRole('menuitem', { name: 'Copy id' }).waitFor();
  expect(await viewer.page.getByRole('menuitem').allTextContents()).toEqual(['Copy id', 'Copy prefix', 'Try']);
  expect(await viewer.page.getByRole('checkbox').count()).toBe(0);
  await viewer.close();
});

const select = async (name: string) => {
  await listOf(name);
  await user.page.getByLabel(`Select ${name}`).check();
};

it('a session that ends during a change of keys is continued above its dialog', async () => {
  const { page, context } = user;
  await create({ name: 'Half done' });
  await select('Half done');
  await button('Disable…').click();
  await button('Disable 1 key').waitFor();
  let isExpired = true;
  await context.route('**/graphql', (route) => {
    if (!isExpired) return route.continue();
    const error = { message: 'The session token has expired.', extensions: { code: 'UNAUTHENTICATED' } };
    return route.fulfill({ status: 401, json: { errors: [error] } });
  });
  await button('Disable 1 key').click();
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await again.getByLabel('Session token', { exact: true }).waitFor();
  isExpired = false;
  await again.getByLabel('Session token', { exact: true }).fill(tokenFor({ [user.dashboard.team]: both }));
  await again.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('1 key disabled').waitFor();
  // One Escape closes one dialog.
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

it('what failed is tried again with the keys as they are then, and with what was entered', async () => {
  const { page } = user;
  const { id } = await create({ name: 'Moving target' });
  await select('Moving target');
  await button('Tag…').click();
  await page.getByRole('combobox', { name: 'Add tags' }).fill('moved');
  await page.keyboard.press('Enter');
  for (const externalId of ['one', 'two']) {
    await button('Tag 1 key').waitFor();
    await update(id, { externalId });
    await button('Tag 1 key').click();
    await page.getByText('0 keys tagged, 1 failed').waitFor();
    await button('Try those again').click();
  }
  await button('Tag 1 key').click();
  await page.getByText('1 key tagged').waitFor();
  expect((await read(id)).tags).toEqual(['moved']);
});

it('a stopped change can be closed before its last calls are answered, and says that their outcome is not known', async () => {
  const { page } = user;
  await create({ name: 'Unanswered' });
  await select('Unanswered');
  await button('Disable…').click();
  const { answer } = await holdOperation(user.tab, 'ChangeKeys');
  await button('Disable 1 key').click();
  await button('Stop').click();
  await page.getByText('whether its keys are changed is not known').waitFor();
  await button('Close').last().click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await answer();
});

it('a call that is not answered ends after half a minute, and says that its outcome is not known', async () => {
  const { page } = user;
  await create({ name: 'Silent' });
  await select('Silent');
  await button('Disable…').click();
  const { answer } = await holdOperation(user.tab, 'ChangeKeys');
  await button('Disable 1 key').click();
  await page.getByText('The server did not answer within 30 seconds').waitFor({ timeout: 40_000 });
  await button('Close').last().click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await answer();
});
