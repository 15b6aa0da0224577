/** Changes of keys from the list: one with its menu, several after a dry run. */
import { readFileSync } from 'node:fs';
import type { Request, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { inDays } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const user = userOf();
const { button, goTo, create, call, verdict, update, revoke, hold, dialog, dialogCloses, sees, clipboard } = user;

const listOf = async (search: string) => goTo(`keys?search=${encodeURIComponent(search)}`);
const choose = async (key: string, item: string) => {
  await button(`Actions for ${key}`).click();
  await user.page.getByRole('menuitem', { name: item, exact: true }).click();
};

async function filterBy(field: string, value: string) {
  await button('+ Filter').click();
  for (const name of [field, value]) await user.page.getByRole('option', { name, exact: true }).click();
}

async function read(id: string) {
  const query = 'query ($id: UUID!) { key(id: $id) { state tags expiresAt } }';
  return (await call(query, { id })).key;
}

it('a click on a row opens the key, and its menu copies what identifies it and returns the focus', async () => {
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
  await expect.poll(() => user.focused('getAttribute("aria-label")')).toBe('Actions for Opened');
  expect(page.url()).toContain('/keys?search=Opened');
  await page
    .getByRole('row', { name: /Opened/ })
    .getByText('active')
    .click();
  await page.getByRole('heading', { name: 'Opened' }).waitFor();
});

it('disables, enables and revokes a key from its row, after a confirmation that names it', async () => {
  const { page } = user;
  const key = await create({ name: 'Switched' });
  await listOf('Switched');
  await choose('Switched', 'Disable…');
  await page.getByRole('dialog').getByText(key.prefix).waitFor();
  await page.getByLabel('Reason').fill('looks leaked');
  await button('Disable 1 key').click();
  await sees('“Switched” is disabled.');
  await dialogCloses();
  await page
    .getByRole('row', { name: /Switched/ })
    .getByText('disabled')
    .waitFor();
  expect(await verdict({ key: key.secret })).toBe('DISABLED');
  await choose('Switched', 'Enable');
  await sees('“Switched” is enabled.');
  expect(await verdict({ key: key.secret })).toBe('VALID');
  await choose('Switched', 'Revoke…');
  expect(await button('Revoke 1 key').getAttribute('aria-disabled')).toBe('true');
  await page.getByLabel(/To continue/).fill(key.prefix);
  await button('Revoke 1 key').click();
  await sees('“Switched” is revoked.');
  expect(await verdict({ key: key.secret })).toBe('REVOKED');
  // A revocation is final.
  const message = page.getByRole('group', { name: 'Message' }).filter({ hasText: 'revoked' });
  expect(await message.getByRole('button', { name: 'Undo' }).count()).toBe(0);
});

const daysOf = async (id: string) => Math.round((Date.parse((await read(id)).expiresAt) - Date.now()) / 86_400_000);

it('renews a key by 90 days: one that expires soon with one click, any one with its menu', async () => {
  const weekly = await create({ name: 'Weekly', expiresAt: inDays(7) });
  const yearly = await create({ name: 'Yearly', expiresAt: inDays(365) });
  await goTo('keys?sort=NAME');
  await button('Renew Weekly').click();
  await sees('“Weekly” is renewed (until');
  expect(await daysOf(weekly.id)).toBe(97);
  expect(await button('Renew Yearly').count()).toBe(0);
  await choose('Yearly', 'Renew by 90 days');
  await sees('“Yearly” is renewed (until');
  expect(await daysOf(yearly.id)).toBe(455);
});

it('one key or several are as they were before after Undo, by mouse and by keyboard', async () => {
  const { page } = user;
  const keys = [];
  for (const i of [0, 1]) keys.push(await create({ name: `Undone ${i}`, tags: ['kept'], expiresAt: inDays(7) }));
  const ids = keys.map(({ id }) => id);
  await listOf('Undone');
  await button('Renew Undone 0').click();
  await button('Undo').click();
  await sees('Undone.');
  expect(await daysOf(ids[0] ?? '')).toBe(7);
  await page.getByLabel('Select all keys on this page').check();
  await button('Tag…').click();
  await page.getByRole('combobox', { name: 'Add tags' }).fill('added');
  await page.keyboard.press('Enter');
  await button('Tag 2 keys').click();
  await sees('2 keys tagged.');
  expect((await read(ids[1] ?? '')).tags).toEqual(['kept', 'added']);
  await dialogCloses();
  await page.keyboard.press('z');
  await expect
    .poll(async () => (await Promise.all(ids.map(read))).map(({ tags }) => tags))
    .toEqual([['kept'], ['kept']]);
  await page.getByLabel('Select all keys on this page').check();
  await button('Disable…').click();
  await button('Disable 2 keys').click();
  await sees('2 keys disabled.');
  // The dialog returns the focus first.
  await expect.poll(() => user.focused()).toBe('Keys');
  const toast = page.getByRole('group', { name: 'Message' }).filter({ hasText: '2 keys disabled.' });
  await toast.getByRole('button', { name: 'Undo' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Enable 2 keys again?' }).waitFor();
  await button('Enable them again').press('Enter');
  await expect
    .poll(async () => (await Promise.all(ids.map(read))).map(({ state }) => state))
    .toEqual(['ACTIVE', 'ACTIVE']);
});

it('Undo leaves a key as it is that was changed again, and says so', async () => {
  const { page } = user;
  const { id } = await create({ name: 'Changed again', expiresAt: inDays(7) });
  await listOf('Changed again');
  await button('Renew Changed again').click();
  await sees('“Changed again” is renewed');
  await update(id, { expiresAt: inDays(30) });
  await page.keyboard.press('z');
  await page.getByRole('alert').getByText('PRECONDITION_FAILED').waitFor();
  expect(await daysOf(id)).toBe(30);
});

it('asks before it renews an expired key', async () => {
  const expiresAt = new Date(Date.now() + 3000).toISOString();
  const { id, secret } = await create({ name: 'Long gone', expiresAt });
  await expect.poll(() => verdict({ key: secret })).toBe('EXPIRED');
  await listOf('Long gone');
  await button('Renew… Long gone').click();
  await dialog('Renew keys').getByText('Expired keys work again.').waitFor();
  await button('Cancel').click();
  await dialogCloses();
  expect(await verdict({ key: secret })).toBe('EXPIRED');
  await choose('Long gone', 'Renew…');
  await button('Renew 1 key').click();
  await sees('“Long gone” is renewed');
  expect(await daysOf(id)).toBe(90);
});

it('does not renew a key that another user has changed meanwhile', async () => {
  const key = await create({ name: 'Contested', expiresAt: inDays(5) });
  await listOf('Contested');
  await button('Renew Contested').waitFor();
  const expiresAt = inDays(2);
  await update(key.id, { expiresAt });
  await button('Renew Contested').click();
  await user.page.getByRole('alert').getByText('PRECONDITION_FAILED').waitFor();
  expect((await read(key.id)).expiresAt).toBe(expiresAt);
});

it('revokes selected keys: says which and how many before, and how many after', async () => {
  const { page } = user;
  const keys = [];
  for (let i = 0; i < 4; i += 1) keys.push(await create({ name: `Leaked ${i}` }));
  await listOf('Leaked');
  for (const i of [0, 1, 2]) await page.getByLabel(`Select Leaked ${i}`).check();
  await sees('3 selected');
  // Another user revokes one of them before the dialog opens.
  await revoke(keys[2]?.id ?? '');
  await button('Revoke…').click();
  await sees('2 keys will be changed:');
  const affected = page.getByRole('region', { name: 'Keys that will be changed' });
  expect(await affected.getByRole('listitem').allTextContents()).toEqual([
    `Leaked 0 ${keys[0]?.prefix}`,
    `Leaked 1 ${keys[1]?.prefix}`,
  ]);
  await page.getByRole('region', { name: 'Keys that will not be changed' }).getByText('already revoked').waitFor();
  expect(await button('Revoke 2 keys').getAttribute('aria-disabled')).toBe('true');
  await page.getByLabel(/To continue/).fill('2');
  await button('Revoke 2 keys').click();
  await sees('2 keys revoked.');
  await page.getByRole('table').getByRole('link', { name: 'Leaked 0' }).waitFor({ state: 'detached' });
  const verdicts = await Promise.all(keys.map(({ secret }) => verdict({ key: secret })));
  expect(verdicts).toEqual(['REVOKED', 'REVOKED', 'REVOKED', 'VALID']);
});

it('tags all keys that match a filter, also those on other pages, says before which it can’t, and lists what failed', async () => {
  const { page } = user;
  const many = Array.from({ length: 20 }, (_, i) => `tag-${i}`);
  const full = await create({ name: 'Batch full', tags: many });
  const gone = await create({ name: 'Batch gone' });
  await revoke(gone.id);
  const keys = [];
  for (let i = 0; i < 26; i += 1) keys.push(await create({ name: `Batch ${i}`, tags: ['kept'] }));
  await goTo('keys?search=Batch&size=25&state=all');
  await sees('1 to 25 of 28');
  await page.getByLabel('Select all keys on this page').check();
  await sees('25 selected');
  await button('Select all 28').click();
  await sees('28 selected');
  await button('Tag…').click();
  await sees('No key will be changed.');
  await sees('1 already revoked');
  await page.getByRole('combobox', { name: 'Add tags' }).fill('batch');
  await page.keyboard.press('Enter');
  await sees('26 keys will be changed:');
  await sees('2 keys will not be changed: ');
  for (const reason of ['1 already revoked', '1 would have more than 20 tags']) await sees(reason);
  const calls = user.callsOf('ChangeKeys');
  const error = { field: 'keys[3].settings.tags', message: 'must have at most 20 entries' };
  const answered = await user.fail('ChangeKeys', {
    message: 'Invalid input.',
    extensions: { code: 'BAD_USER_INPUT', errors: [error] },
  });
  page.once('response', answered);
  await button('Tag 26 keys').click();
  await sees('25 keys tagged, 1 failed');
  const failed = page.getByRole('region', { name: 'Keys that were not changed' });
  await failed.getByText('must have at most 20 entries').waitFor();
  // The second call is without the key that the service rejected.
  expect(calls.map(({ keys }) => keys?.length)).toEqual([26, 25]);
  await button('Close').last().click();
  const tags = await Promise.all(keys.map(async ({ id }) => (await read(id)).tags.join()));
  expect(tags.filter((names) => names === 'kept,batch')).toHaveLength(25);
  expect((await read(full.id)).tags).toEqual(many);
});

it('a selected key that does not exist anymore is listed, and the others are changed', async () => {
  const { page, context } = user;
  const { id } = await create({ name: 'Purged 0' });
  await create({ name: 'Purged 1' });
  await listOf('Purged');
  await sees('1 to 2 of 2');
  await page.getByLabel('Select all keys on this page').check();
  await context.route('**/graphql', (route) => {
    if (route.request().postDataJSON().variables?.id !== id) return route.fallback();
    const error = { message: 'There is no such key', extensions: { code: 'KEY_NOT_FOUND' } };
    return route.fulfill({ json: { data: null, errors: [error] } });
  });
  await button('Disable…').click();
  await page.getByRole('region', { name: 'Keys that can’t be found' }).getByText(id).waitFor();
  await button('Disable 1 key').click();
  await sees('“Purged 1” is disabled.');
});

it('an error that concerns all keys ends the reading of the selected keys', async () => {
  const { page, context } = user;
  for (let i = 0; i < 8; i += 1) await create({ name: `Unread ${i}` });
  await listOf('Unread');
  await sees('1 to 8 of 8');
  await page.getByLabel('Select all keys on this page').check();
  const aborted: string[] = [];
  page.on('requestfailed', (request) => aborted.push(request.postData() ?? ''));
  const asked: Route[] = [];
  await context.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('OneKey') === true) asked.push(route);
    else await route.fallback();
  });
  await button('Disable…').click();
  await expect.poll(() => asked.length).toBe(4);
  const error = { message: 'Not allowed.', extensions: { code: 'FORBIDDEN' } };
  await asked[0]?.fulfill({ json: { data: null, errors: [error] } });
  await page.getByRole('alert').getByText('FORBIDDEN').waitFor();
  await expect.poll(() => aborted.length).toBe(3);
  expect(asked).toHaveLength(4);
});

it('a selection survives a dialog that one Escape closes, but not another filter', async () => {
  const { page } = user;
  await create({ name: 'Picked' });
  await listOf('Picked');
  await page.getByLabel('Select Picked').check();
  await sees('1 selected');
  // It survives a dialog that was cancelled, with one Escape, also from the field of the tags.
  await button('Tag…').click();
  await page.getByRole('combobox', { name: 'Add tags' }).click();
  await page.keyboard.press('Escape');
  await dialogCloses();
  await sees('1 selected');
  await filterBy('Environment', 'live');
  await page.getByText('1 selected').waitFor({ state: 'detached' });
});

it('nothing can be selected while the keys load', async () => {
  const { page } = user;
  await create({ name: 'Still loading' });
  const { answer } = await hold('KeyList');
  await listOf('Still loading');
  const all = page.getByLabel('Select all keys on this page');
  await all.waitFor();
  expect(await all.isDisabled()).toBe(true);
  await answer();
  await all.check();
  await sees('1 selected');
});

it('rows of the previous filter, still shown while the next ones load, can’t be selected', async () => {
  const { page } = user;
  await create({ name: 'Left over' });
  await listOf('Left over');
  const checkbox = page.getByLabel('Select Left over');
  await checkbox.waitFor();
  const { answer } = await hold('KeyList');
  await filterBy('Environment', 'test');
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
  await create({ name: '=HYPERLINK("http://evil.example","Exported")', externalId: '+1', tags: ['@a', 'b'] });
  await goTo('keys?search=Exported&size=25');
  await sees('1 to 25 of 31');
  await button('Options').click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
  const text = readFileSync(await (await download).path(), 'utf8');
  const lines = text.trimEnd().split('\r\n');
  expect(lines).toHaveLength(32);
  expect(lines[0]).toMatch(/^\ufeffid,teamId,env,prefix,state,name,/);
  expect(lines[1]).toContain(`,"'=HYPERLINK(""http://evil.example"",""Exported"")",`);
  expect(lines[1]).toContain(`,'+1,ada@example.com,"'@a;b",`);
});

it('an export ends when the user leaves the list, and saves nothing', async () => {
  const { page } = user;
  await listOf('Exported');
  const { asked, answer } = await hold('ExportedKeys');
  const isExport = (request: Request) => request.postData()?.includes('ExportedKeys') === true;
  await button('Options').click();
  await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
  await asked();
  const ended = page.waitForEvent('requestfailed', isExport);
  await page.getByRole('link', { name: 'Overview' }).click();
  await ended;
  await answer();
});

const select = async (name: string) => {
  await listOf(name);
  await user.page.getByLabel(`Select ${name}`).check();
};

it('a session that ends during a change of keys is continued above its dialog', async () => {
  await create({ name: 'Half done' });
  await select('Half done');
  await button('Disable…').click();
  await button('Disable 1 key').waitFor();
  const recover = await user.expire('ChangeKeys');
  await button('Disable 1 key').click();
  await dialog('Sign in again').waitFor();
  await recover();
  await user.signInAgain();
  await sees('“Half done” is disabled.');
  await dialogCloses();
});

it('what failed is tried again with the keys as they are then, and with what was entered', async () => {
  const { page } = user;
  const { id } = await create({ name: 'Moving target' });
  const standing = await create({ name: 'Standing target' });
  await listOf('target');
  for (const name of ['Moving', 'Standing']) await page.getByLabel(`Select ${name} target`).check();
  await button('Tag…').click();
  await page.getByRole('combobox', { name: 'Add tags' }).fill('moved');
  await page.keyboard.press('Enter');
  for (const [externalId, keys, changed] of [
    ['one', '2 keys', '1 key'],
    ['two', '1 key', '0 keys'],
  ]) {
    await button(`Tag ${keys}`).waitFor();
    await update(id, { externalId });
    await button(`Tag ${keys}`).click();
    await sees(`${changed} tagged, 1 failed`);
    await button('Try those again').click();
  }
  // What was changed by the first attempt can be undone.
  await button('Undo').click();
  await expect.poll(async () => (await read(standing.id)).tags).toEqual([]);
  await button('Tag 1 key').click();
  await sees('“Moving target” is tagged (moved).');
  expect((await read(id)).tags).toEqual(['moved']);
});

it.each([
  { what: 'is stopped', stop: () => button('Stop').click(), told: 'whether its keys are changed is not known' },
  { what: 'is not answered within half a minute', told: 'The server did not answer within 30 seconds' },
])('a change that $what can be closed, and says that its outcome is not known', async ({ stop, told }) => {
  await create({ name: 'Unanswered' });
  await select('Unanswered');
  await button('Disable…').click();
  const { answer } = await hold('ChangeKeys');
  await button('Disable 1 key').click();
  await stop?.();
  await user.page.getByText(told).waitFor();
  await button('Close').last().click();
  await dialogCloses();
  await answer();
});

it('a change that rejects calls is red, says how many of the keys are in use, and for many keys is typed', async () => {
  const { page } = user;
  const keys = [];
  for (let i = 0; i < 12; i += 1) keys.push(await create({ name: `Fleet ${String(i).padStart(2, '0')}` }));
  for (const { secret } of keys.slice(0, 2)) expect(await verdict({ key: secret })).toBe('VALID');
  await expect
    .poll(async () => {
      const { keys: page } = await call('query ($team: UUID!) { keys(teamId: $team) { nodes { lastUsedAt } } }', {
        team: user.dashboard.team,
      });
      return page.nodes.filter(({ lastUsedAt }: { lastUsedAt: string | null }) => lastUsedAt !== null).length;
    })
    .toBe(2);
  await listOf('Fleet');
  await page.getByLabel('Select all keys on this page').check();
  await button('Disable…').click();
  await sees('2 of them were used in the last day, 2 in the last hour.');
  const disable = button('Disable 12 keys');
  expect(await disable.getAttribute('aria-disabled')).toBe('true');
  expect(await disable.getAttribute('style')).toContain('red');
  await page.getByLabel('To continue, type the number of keys').fill('12');
  await disable.click();
  await sees('12 keys disabled.');
});
