/** The page of one key never mixes keys, never loses edits, and never overwrites what the user has not seen. */
import { expect, it } from 'vitest';
import { both, tokenFor } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const user = userOf();
const { button, goTo, create, call, verdict, update, hold, sees, heading } = user;

const open = (id: string, tab = 'settings') => goTo(`keys/${id}?tab=${tab}`);
const choose = (tab: string) => user.page.getByRole('tab', { name: tab, exact: true }).click();
/** Waits for the message that a change was saved, and closes it, at once: after a few seconds, it is gone by itself. */
const saved = async () => {
  const message = user.page.getByRole('group', { name: 'Message' }).filter({ hasText: 'Saved:' }).last();
  await message.getByRole('button', { name: 'Close' }).dispatchEvent('click');
  await message.waitFor({ state: 'detached' });
};
const sources = () => user.page.getByLabel('Sources that can use the key');
const read = async (id: string) =>
  (
    await call(
      `query ($id: UUID!) { key(id: $id) {
        name description allowedIps scopes tags externalId metadata rateLimit { limit windowSeconds } disabledAt prefix previousPrefix
      } }`,
      { id },
    )
  ).key;

it('the form of one key never shows under another one that is opened in the same tab, also after Back', async () => {
  const { page } = user;
  const first = await create({ name: 'First', allowedIps: ['10.0.0.1'] });
  const second = await create({ name: 'Second', allowedIps: [] });
  await open(first.id);
  await heading('First');
  await expect.poll(() => sources().inputValue()).toBe('10.0.0.1');
  await open(second.id);
  await heading('Second');
  expect([await page.getByLabel('Name', { exact: true }).inputValue(), await sources().inputValue()]).toEqual([
    'Second',
    '',
  ]);
  await page.getByLabel('Name', { exact: true }).fill('Unsaved');
  await choose('Access');
  await sources().fill('10.9.9.9');
  await page.goBack();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Leave' }).click();
  await heading('First');
  expect([await page.getByLabel('Name', { exact: true }).inputValue(), await sources().inputValue()]).toEqual([
    'First',
    '10.0.0.1',
  ]);
  await choose('Access');
  expect(await button('Save sources').isDisabled()).toBe(true);
  expect(await read(first.id)).toMatchObject({ name: 'First', allowedIps: ['10.0.0.1'] });
});

it('unsaved edits are kept when the user stays, and choosing another tab of the page does not ask', async () => {
  const { page } = user;
  const { id } = await create({ name: 'Edited' });
  await open(id, 'access');
  await sources().fill('10.0.0.0/8');
  await choose('History');
  await page.getByRole('rowgroup', { name: 'Created' }).waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
  await button('Stay').click();
  await choose('Access');
  expect(await sources().inputValue()).toBe('10.0.0.0/8');
  await button('Save sources').click();
  await saved();
  await page.getByRole('link', { name: 'Overview' }).click();
  await heading('Overview');
});

it('a key that has expired is renamed without another expiry', async () => {
  const { page } = user;
  const expiresAt = new Date(Date.now() + 2000).toISOString();
  const { id, secret } = await create({ name: 'Expired', expiresAt });
  await expect.poll(() => verdict({ key: secret })).toBe('EXPIRED');
  await open(id);
  await page.getByLabel('Name', { exact: true }).fill('Renamed');
  await button('Save details').click();
  await saved();
  expect(await read(id)).toMatchObject({ name: 'Renamed' });
});

it('what is typed while a change is saved is kept, also if another session changed the key', async () => {
  const { page } = user;
  const { id } = await create({ name: 'Typed on' });
  await open(id);
  const { answer } = await hold('UpdateKey');
  await page.getByLabel('Name', { exact: true }).fill('Renamed');
  await button('Save details').click();
  await page.getByLabel('Description', { exact: true }).fill('late');
  await answer();
  await heading('Renamed');
  await saved();
  await button('Save details').click();
  await saved();

  await update(id, { name: 'Theirs' });
  const { answer: rejected } = await hold('UpdateKey');
  await page.getByLabel('Name', { exact: true }).fill('Mine');
  await button('Save details').click();
  await page.getByLabel('Description', { exact: true }).fill('typed later');
  await rejected();
  const dialog = page.getByRole('dialog', { name: 'Changed since you opened it' });
  await dialog.getByLabel('Take theirs').check();
  await dialog.getByRole('button', { name: 'Use theirs' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Theirs');
  await button('Save details').click();
  await saved();
  expect(await read(id)).toMatchObject({ name: 'Theirs', description: 'typed later' });
});

/** Returns to the tab of the browser after the data of the page has become stale. */
async function returnLater(): Promise<void> {
  const { page } = user;
  const loaded = page.waitForResponse((response) => response.request().postData()?.includes('OneKey') === true);
  await page.clock.setFixedTime(Date.now() + 60_000);
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
  await loaded;
}

it('a limit and the window that another session gave it are not combined', async () => {
  const { page } = user;
  const { id } = await create({ name: 'Limited', rateLimit: { limit: 100, windowSeconds: 60 } });
  const hourly = { limit: 100, windowSeconds: 3600 };
  await open(id, 'access');
  await page.getByLabel('Rate limit', { exact: true }).fill('200');
  await update(id, { name: 'Limited per hour', rateLimit: hourly });
  await returnLater();
  await heading('Limited per hour');
  await button('Save restrictions').click();
  const dialog = page.getByRole('dialog', { name: 'Changed since you opened it' });
  await dialog.getByText('Keep mine: 200 per minute').waitFor();
  await dialog.getByText('Take theirs: 100 per hour').waitFor();
  expect((await read(id)).rateLimit).toEqual(hourly);
});

it('a field that another session changed is merged by the user, and nothing is overwritten before', async () => {
  const { id } = await create({ name: 'Contested', allowedIps: ['10.0.0.1'] });
  await open(id, 'access');
  await sources().fill('10.0.0.1\n10.0.0.2');
  await update(id, { allowedIps: ['10.0.0.1', '192.0.2.7'], name: 'Renamed elsewhere' });
  await button('Save sources').click();
  const dialog = user.page.getByRole('dialog', { name: 'Changed since you opened it' });
  await dialog.getByText('Name: changed from “Contested” to “Renamed elsewhere”').waitFor();
  await dialog.getByText('Take theirs: 10.0.0.1, 192.0.2.7').waitFor();
  expect((await read(id)).allowedIps).toEqual(['10.0.0.1', '192.0.2.7']);
  await dialog.getByLabel('Take theirs').check();
  await dialog.getByRole('button', { name: 'Use theirs' }).click();
  await expect.poll(() => sources().inputValue()).toBe('10.0.0.1\n192.0.2.7');

  await sources().fill('10.0.0.3');
  await update(id, { allowedIps: ['10.0.0.4'] });
  await button('Save sources').click();
  const save = dialog.getByRole('button', { name: 'Save mine over theirs' });
  // The first attempt is rejected before the second one is held.
  await save.waitFor();
  const { answer } = await hold('UpdateKey');
  await save.click();
  await expect.poll(() => save.getAttribute('data-loading')).toBe('true');
  // It is too late to continue editing.
  expect(await dialog.getByRole('button', { name: 'Continue editing' }).isDisabled()).toBe(true);
  expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0);
  await answer();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(async () => await read(id)).toMatchObject({ allowedIps: ['10.0.0.3'], name: 'Renamed elsewhere' });
});

it('removing all sources asks, and says that the key becomes usable from anywhere', async () => {
  const { id, secret } = await create({ allowedIps: ['10.0.0.1'] });
  await open(id, 'access');
  await expect.poll(() => sources().inputValue()).toBe('10.0.0.1');
  await sources().fill('');
  await button('Save sources').click();
  const dialog = user.page.getByRole('dialog', { name: 'Allow every source?' });
  await dialog.getByText('the key can be used from anywhere').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await verdict({ key: secret, sourceIp: '192.0.2.1' })).toBe('SOURCE_NOT_ALLOWED');
  await button('Save sources').click();
  await dialog.getByRole('button', { name: 'Allow every source' }).click();
  await saved();
  expect(await verdict({ key: secret, sourceIp: '192.0.2.1' })).toBe('VALID');
});

it.each([
  ['0.0.0.0/0\n::/0', 'every source'],
  ['0.0.0.0/1\n128.0.0.0/1 # and the other half', 'every IPv4 source'],
  ['203.0.113.9\n8.0.0.0/7', '0.78% of all IPv4 addresses'],
])('a list that hardly protects the key, %j, is saved and created only after a question', async (list, allowed) => {
  const { page } = user;
  const ask = async (submit: string, confirmed: boolean) => {
    await page.getByText(`With this list, ${allowed} can use the key.`).waitFor();
    await button(submit).click();
    const dialog = page.getByRole('dialog', { name: `Allow ${allowed}?` });
    await dialog.getByRole('button', { name: confirmed ? `Allow ${allowed}` : 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  const { id } = await create({ allowedIps: ['10.0.0.1'] });
  await open(id, 'access');
  await expect.poll(() => sources().inputValue()).toBe('10.0.0.1');
  await sources().fill(list);
  await ask('Save sources', false);
  expect((await read(id)).allowedIps).toEqual(['10.0.0.1']);
  await ask('Save sources', true);
  await saved();
  expect((await read(id)).allowedIps).toEqual(list.split('\n'));
  await goTo(`keys/new?name=Wide&source=${list.split('\n').map(encodeURIComponent).join('&source=')}`);
  await ask('Create', false);
  expect(await page.getByTestId('secret').count()).toBe(0);
  await ask('Create', true);
  await page.getByTestId('secret').waitFor();
  await page.getByLabel('I have stored it').check();
});

it('edits scopes, rate limit, labels and metadata, and shows what the server rejects beside its field', async () => {
  const { page } = user;
  const { id } = await create({ name: 'Detailed' });
  await open(id, 'access');
  await page.getByRole('combobox', { name: 'Scopes' }).pressSequentially('orders:read,orders:write ');
  await page.getByLabel('Rate limit', { exact: true }).fill('0');
  await sees('It must be a number from 1 to 1,000,000.');
  await button('Save restrictions').click();
  await expect.poll(() => user.focused('value')).toBe('0');
  await page.getByLabel('Rate limit', { exact: true }).fill('100');
  await page.getByLabel('Per', { exact: true }).selectOption('hour');
  await button('Save restrictions').click();
  await saved();
  await choose('Settings');
  await page.getByLabel('External ID', { exact: true }).fill('customer-7');
  await page.getByRole('combobox', { name: 'Tags' }).fill('partner');
  await page.getByRole('combobox', { name: 'Tags' }).press('Enter');
  await page.getByLabel('Metadata', { exact: true }).fill('{"plan":');
  await sees('It is not JSON');
  await page.getByLabel('Metadata', { exact: true }).fill('{"plan":"pro"}');
  await button('Save labels').click();
  await saved();
  expect(await read(id)).toMatchObject({
    scopes: ['orders:read', 'orders:write'],
    tags: ['partner'],
    externalId: 'customer-7',
    metadata: { plan: 'pro' },
    rateLimit: { limit: 100, windowSeconds: 3600 },
  });
  await page.getByLabel('External ID', { exact: true }).fill('a \u202e trick');
  await button('Save labels').click();
  await sees('must have no characters that reorder text');
  await page.getByLabel('External ID', { exact: true }).fill('customer-7');
  // The message was about the text that is gone.
  expect(await page.getByText('must have no characters that reorder text').count()).toBe(0);
});

it('rotates with an overlap, shows live who still uses the previous secret, and ends the overlap', async () => {
  const { page } = user;
  const { id, secret } = await create({ name: 'Rotated' });
  await open(id, 'rotation');
  await page.getByLabel('Accept the current secret for').selectOption('1 hour');
  await button('Rotate').click();
  const next = (await page.getByTestId('secret').textContent()) ?? '';
  expect(next).toMatch(/^lk_live_\w{8}_\w{49}$/);
  await button('Copy').click();
  await button('Watch the previous secret').click();
  const use = page.getByLabel('Use of the previous secret');
  await use.getByText('No client has used the previous secret').waitFor();
  for (const key of [secret, next]) {
    expect(await verdict({ key, sourceIp: '192.0.2.44' })).toBe('VALID');
  }
  await use.getByText('Some client still has it').waitFor();
  await page.getByLabel('Sources of the previous secret').getByText('192.0.2.44').first().waitFor();
  await button('End the overlap…').click();
  const { answer } = await hold('EndOverlap');
  const dialog = page.getByRole('dialog', { name: 'End the overlap now?' });
  await dialog.getByRole('button', { name: 'End the overlap' }).click();
  // It is too late to cancel.
  await dialog.getByRole('button', { name: 'Cancel', disabled: true }).waitFor();
  expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0);
  await answer();
  await sees('It is not accepted anymore');
  expect(await verdict({ key: secret })).toBe('ROTATED');
  expect(await verdict({ key: next })).toBe('VALID');
  expect(await page.content()).not.toContain(next);
});

it('loads older entries of the history only on request, and tries again those that are missing', async () => {
  const { page } = user;
  const { id } = await create({ name: 'Much changed' });
  for (let i = 0; i < 50; i += 1) await update(id, { tags: [`version-${i}`] });
  await open(id, 'history');
  const entries = page.getByRole('rowgroup', { name: /./ });
  await entries.nth(49).waitFor();
  const calls = user.callsOf('TeamTrail');
  const recover = await user.fail('TeamTrail', { message: 'It failed.', extensions: { code: 'INTERNAL' } });
  await button('Show older entries').click();
  await page.getByRole('alert').getByText('It failed.').waitFor();
  await recover();
  await button('Try again').click();
  await entries.nth(50).waitFor();
  await returnLater();
  expect(calls).toHaveLength(2);
});

it('shows recent sources with verdicts, suggests ranges of the accepted ones, and previews the list', async () => {
  const { page } = user;
  const { id, secret } = await create({ name: 'Observed' });
  for (const sourceIp of ['192.0.2.1', '192.0.2.2', '198.51.100.7']) await verdict({ key: secret, sourceIp });
  await verdict({ key: secret, sourceIp: '203.0.113.66', env: 'test' });
  await open(id, 'overview');
  const known = async () => {
    await page.reload();
    const table = page.getByRole('region', { name: 'Recent sources' }).getByRole('table');
    await table.or(page.getByText('No sources yet')).first().waitFor();
    return await table.getByRole('row').count();
  };
  // The four sources and the head. They may be written in parts.
  await expect.poll(known, { interval: 1000 }).toBe(5);
  await page.getByRole('row', { name: /192\.0\.2\.1 current .* VALID 1/ }).waitFor();
  await sees('The key works from everywhere, and was used from 3 addresses.');
  await button('Choose allowed sources').first().click();
  await expect.poll(() => user.focused()).toBe('Access');
  // The source whose requests were all rejected is not suggested.
  expect(await page.getByRole('button', { name: /203/ }).count()).toBe(0);
  await button('Add 198.51.100.7').click();
  await expect.poll(() => user.focused('value')).toBe('198.51.100.7\n');
  await button('Preview with recent sources').click();
  await sees('accepts 1 and rejects 3');
  await button('Add 192.0.2.0/24, 2 addresses').click();
  await button('Save sources').click();
  await saved();
  expect((await read(id)).allowedIps).toEqual(['198.51.100.7', '192.0.2.0/24']);
  await sources().fill('10.0.0.1');
  await button('Allow only observed sources').click();
  expect((await sources().inputValue()).trim().split('\n').toSorted()).toEqual(['192.0.2.0/24', '198.51.100.7']);
});

it('says that the list of recent sources is full, and never that an allow-list rejects none then', async () => {
  const { page } = user;
  const { id, secret } = await create({ name: 'Used from everywhere' });
  for (let i = 0; i < 101; i += 1) await verdict({ key: secret, sourceIp: `10.0.0.${i}` });
  const unlisted = async () =>
    (await call('query ($id: UUID!) { unlistedSources(keyId: $id) { secret } }', { id })).unlistedSources;
  await expect.poll(unlisted, { interval: 1000 }).toHaveLength(1);
  await open(id, 'overview');
  const table = page.getByRole('region', { name: 'Recent sources' });
  await table.getByText('The list of recent sources is full').waitFor();
  expect(await table.getByRole('row').count()).toBe(101);
  await choose('Access');
  await button('Add 10.0.0.0/24, 100 addresses').click();
  await sees('An allow-list of the observed sources may reject clients.');
  await page.getByRole('button', { name: 'Preview with recent sources' }).click();
  await sees('This list accepts the 100 recent sources that are known.');
  await sees('There were more sources than are listed. How many of those it rejects is not known.');
  expect(await page.getByText('rejects 0').count()).toBe(0);
  await sources().fill('');
});

it('whatever identifies a key can be copied, and signing examples stay after the secret is gone', async () => {
  const { clipboard } = user;
  const { id, prefix } = await create({ name: 'Copied', signing: true });
  await open(id);
  for (const [what, text] of [
    ['the prefix', prefix],
    ['the key ID', id],
  ] as const) {
    await button(`Copy ${what}`).click();
    await expect.poll(clipboard).toBe(text);
  }
  await button('More actions').click();
  for (const [item, text] of [
    ['Copy key ID', id],
    ['Copy team ID', user.dashboard.team],
    ['Copy curl command', '/v1/keys/self'],
  ] as const) {
    await user.page.getByRole('menuitem', { name: item }).click();
    await expect.poll(clipboard).toContain(text);
  }
  await user.page.keyboard.press('Escape');
  await choose('Access');
  await button('Copy the curl example').click();
  await expect.poll(clipboard).toContain(id);
});

it('a key of another team of the session is shown under its own team', async () => {
  const other = '6b5dbd5b-6ee6-4a6e-9d1c-1d0ac0f4a1b2';
  const { id } = await create({ name: 'At home' });
  const abroad = await user.dashboard.open();
  await abroad.signIn(tokenFor({ [user.dashboard.team]: both, [other]: both }));
  await abroad.goTo(`teams/${other}/keys/${id}?tab=history`);
  await abroad.page.getByRole('heading', { name: 'At home' }).waitFor();
  await abroad.page.waitForURL(`**/teams/${user.dashboard.team}/keys/${id}?tab=history`);
  await abroad.page.getByRole('rowgroup', { name: 'Created' }).waitFor();
  await abroad.close();
});

it('a revocation needs the prefix each time, stays on screen until it is answered, and rejects the key from then on', async () => {
  const { page } = user;
  const { id, prefix, secret } = await create({ name: 'Condemned' });
  const dialog = page.getByRole('dialog', { name: 'Revoke this key permanently?' });
  await open(id);
  await button('Revoke…').click();
  expect(await dialog.getByRole('button', { name: 'Revoke permanently' }).isDisabled()).toBe(true);
  await dialog.getByLabel(/To continue/).fill(prefix);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await button('Revoke…').click();
  expect(await dialog.getByLabel(/To continue/).inputValue()).toBe('');
  await dialog.getByLabel(/To continue/).fill(prefix);
  const { asked, answer } = await hold('RevokeKey');
  await dialog.getByRole('button', { name: 'Revoke permanently' }).click();
  await asked();
  await page.keyboard.press('Escape');
  await user.context.setOffline(true);
  await answer();
  await dialog.getByRole('alert').getByText('The server can’t be reached').waitFor();
  await user.context.setOffline(false);
  await dialog.getByRole('button', { name: 'Revoke permanently' }).click();
  await sees('A revoked key can’t be changed.');
  expect(await verdict({ key: secret })).toBe('REVOKED');
});

it('an overlap that outlasts its key is shown to end at the expiry, goes on after a renewal, and ends when revoked', async () => {
  const { page } = user;
  const expiresAt = new Date(Date.now() + 1_800_000).toISOString();
  const { id } = await create({ name: 'Short', expiresAt });
  await open(id, 'rotation');
  const previous = page.getByRole('region', { name: 'The previous secret' });
  await sees('The overlap ends when the key expires');
  await page.getByLabel('Accept the current secret for').selectOption('0');
  expect(await page.getByText('The overlap ends when the key expires').count()).toBe(0);
  await page.getByLabel('Accept the current secret for').selectOption('1 hour');
  await button('Rotate').click();
  await button('Copy').click();
  await button('Watch the previous secret').click();
  await previous.locator(`time[datetime="${expiresAt}"]`).waitFor();
  await update(id, { expiresAt: new Date(Date.now() + 3000).toISOString() });
  await previous.getByText('because the key has expired. If you renew the key, its overlap may go on.').waitFor();
  await button('End the overlap…').waitFor();
  await update(id, { expiresAt: null });
  await page.reload();
  await previous.getByText('It is accepted beside the new one').waitFor();
  await user.mutate(id, 'disableKey(id: $id)');
  await page.reload();
  await previous.getByText('Once the key is enabled, it is accepted beside the new one').waitFor();
  await goTo('keys?state=disabled');
  await page.getByTitle('The previous secret is accepted, once the key is enabled, until').waitFor();
  await user.revoke(id);
  await open(id, 'rotation');
  await previous.getByText('because the key is revoked').waitFor();
});
