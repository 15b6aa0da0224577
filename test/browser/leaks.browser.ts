/** A reported leak: who looks at a key, a list or the overview sees it, and gets from it to a new secret. */
import { expect, it } from 'vitest';
import { leakUrl as url, userOf } from './support/test.ts';

const user = userOf();
const { button, goTo, create, call, verdict, mutate, rotate, leak, dialog, dialogCloses, sees } = user;

const banner = () => user.page.getByRole('alert').filter({ hasText: 'has leaked' });
const attention = () => user.page.getByRole('region', { name: 'Needs attention' });
const state = async (id: string) => (await call('query ($id: UUID!) { key(id: $id) { state } }', { id })).key.state;
const secretShown = async () => (await user.page.getByTestId('secret').textContent())?.trim() ?? '';

it('a key says which secret leaked, where, when and who reported it, and puts it first of what needs attention', async () => {
  const { id, secret } = await create({ name: 'Shop' });
  await leak(secret);
  await leak(secret, { url: 'https://git.example.com/fork' });
  await goTo(`keys/${id}`);
  await banner().getByText(secret.slice(0, 16)).waitFor();
  await banner().getByText('by your leak scanner').waitFor();
  await banner().getByText('Found in commit:').waitFor();
  await banner().getByText('and in 1 more place').waitFor();
  expect(await banner().locator('time').count()).toBe(1);
  const link = banner().getByRole('link', { name: url });
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
  const [first = ''] = await attention().locator('p').allTextContents();
  expect(first).toContain('The current secret was reported as leaked');
});

it('a place that is not a web address is no link', async () => {
  const { id, secret } = await create();
  await leak(secret, { url: 'javascript:alert(1)' });
  await goTo(`keys/${id}`);
  await banner().getByText('javascript:alert(1)').waitFor();
  expect(await banner().getByRole('link').count()).toBe(0);
});

it('the list marks leaked keys and filters by them, and the overview counts them and names them first', async () => {
  const { page } = user;
  const { secret } = await create({ name: 'Exposed' });
  await create({ name: 'Safe' });
  await leak(secret);
  await goTo('overview');
  const notice = page.getByRole('status').filter({ hasText: 'A key has leaked' });
  await notice.getByRole('link', { name: 'Exposed' }).waitFor();
  await page.getByRole('link', { name: '1 Leaked' }).click();
  await page.getByRole('row').filter({ hasText: 'Exposed' }).getByText('leaked', { exact: true }).waitFor();
  await page.waitForURL(/state=leaked/);
  expect(await page.getByRole('row').filter({ hasText: 'Safe' }).count()).toBe(0);
});

it('one action disables the key and issues a new secret, then offers to enable it', async () => {
  const { id, secret } = await create({ name: 'Shop' });
  await leak(secret);
  await goTo(`keys/${id}`);
  await button('Disable and issue a new secret…').click();
  await dialog('Issue a new secret?').getByRole('button', { name: 'Disable and issue a new secret' }).click();
  await sees('The new secret of “Shop”');
  const issued = await secretShown();
  await banner().waitFor({ state: 'detached' });
  expect([await verdict({ key: secret }), await verdict({ key: issued })]).toEqual(['ROTATED', 'DISABLED']);
  await button('Copy').first().click();
  await button('Enable the key').click();
  await sees('“Shop” is enabled.');
  expect([await verdict({ key: secret }), await verdict({ key: issued })]).toEqual(['ROTATED', 'VALID']);
});

it('a disabled key gets a new secret in the same way, and can stay disabled', async () => {
  const { id, secret } = await create({ name: 'Shop' });
  await leak(secret);
  await mutate(id, 'disableKey(id: $id)');
  await goTo(`keys/${id}`);
  await banner().getByRole('button', { name: 'Issue a new secret…' }).click();
  await dialog().getByRole('button', { name: 'Disable and issue a new secret' }).click();
  await sees('The new secret of “Shop”');
  const issued = await secretShown();
  await button('Copy').first().click();
  await button('Leave it disabled').click();
  await user.page.getByTestId('secret').waitFor({ state: 'detached' });
  expect([await verdict({ key: secret }), await verdict({ key: issued })]).toEqual(['ROTATED', 'DISABLED']);
});

it('the action leaves the new secret of another session as it is', async () => {
  const { id, secret } = await create({ name: 'Shop' });
  await leak(secret);
  await goTo(`keys/${id}`);
  await button('Disable and issue a new secret…').click();
  const theirs = await rotate(id);
  await dialog().getByRole('button', { name: 'Disable and issue a new secret' }).click();
  await dialog().getByText('The leaked secret was replaced meanwhile').waitFor();
  await mutate(id, 'enableKey(id: $id)');
  expect(await verdict({ key: theirs })).toBe('VALID');
});

it('a disabled key is rotated on its page too, without an overlap, and stays disabled', async () => {
  const { id, secret } = await create({ name: 'Shop' });
  await mutate(id, 'disableKey(id: $id)');
  await goTo(`keys/${id}?tab=rotation`);
  expect(await user.page.getByLabel('Accept the current secret for').isDisabled()).toBe(true);
  await button('Rotate…').click();
  await dialog('Rotate without an overlap?').getByRole('button', { name: 'Rotate without an overlap' }).click();
  const issued = await secretShown();
  expect([await verdict({ key: secret }), await verdict({ key: issued })]).toEqual(['ROTATED', 'DISABLED']);
  await button('Copy').first().click();
});

it('of a previous secret, the banner offers to end the overlap', async () => {
  const { id, secret } = await create();
  await leak(secret);
  await rotate(id);
  await goTo(`keys/${id}`);
  await sees('The previous secret of this key has leaked');
  await banner().getByRole('button', { name: 'End the overlap…' }).click();
  await dialog().getByRole('button', { name: 'End the overlap' }).click();
  await banner().waitFor({ state: 'detached' });
  expect(await verdict({ key: secret })).toBe('ROTATED');
});

it('enabling a key whose leaked secret would work again names the leak, on its page and in the list', async () => {
  const { page } = user;
  const { id, secret } = await create({ name: 'Exposed' });
  await leak(secret);
  await mutate(id, 'disableKey(id: $id)');
  await goTo(`keys/${id}`);
  await button('Enable').click();
  await dialog('Enable this key?')
    .getByText(`The leaked secret ${secret.slice(0, 16)} works again`)
    .waitFor();
  expect(await user.focused()).toBe('Cancel');
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await dialogCloses();
  await goTo('keys');
  // The list from before the key was created is fresh enough to be shown.
  await page.reload();
  await button('Actions for Exposed').click();
  await page.getByRole('menuitem', { name: 'Enable…' }).click();
  await dialog().getByText('1 key has leaked').waitFor();
  expect(await state(id)).toBe('DISABLED');
});

it('renewing an expired key names its leak, also one that is newer than the page', async () => {
  const { page } = user;
  const [shown, known] = [await create({ name: 'Shown' }), await create({ name: 'Known' })];
  for (const { id } of [shown, known]) await user.update(id, { expiresAt: new Date(Date.now() + 1500).toISOString() });
  await leak(known.secret);
  await expect.poll(async () => [await state(shown.id), await state(known.id)]).toEqual(['EXPIRED', 'EXPIRED']);
  const renewal = () => dialog('Renew this key?').getByRole('button', { name: /^Renew/ });
  await goTo(`keys/${shown.id}`);
  await page
    .getByRole('button', { name: /^Renew by / })
    .first()
    .click();
  await leak(shown.secret);
  await renewal().click();
  await sees('“Shown” has leaked meanwhile, and stays expired.');
  await goTo(`keys/${known.id}`);
  await page
    .getByRole('button', { name: /^Renew by / })
    .first()
    .click();
  await dialog()
    .getByText(`The leaked secret ${known.secret.slice(0, 16)} works again`)
    .waitFor();
  expect(await renewal().textContent()).toBe('Renew anyway');
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await goTo('keys');
  await page.reload();
  await button('Actions for Known').click();
  await page.getByRole('menuitem', { name: /^Renew/ }).click();
  await dialog().getByText('1 key has leaked').waitFor();
  expect([await state(shown.id), await state(known.id)]).toEqual(['EXPIRED', 'EXPIRED']);
});

it('undoing a disable asks first, by mouse and by keyboard, and names a leak', async () => {
  const { page } = user;
  const { id, secret } = await create({ name: 'Exposed' });
  await leak(secret);
  await goTo(`keys/${id}`);
  await button('Disable').click();
  await dialog().getByRole('button', { name: 'Disable' }).click();
  await sees('“Exposed” is disabled.');
  await dialogCloses();
  await page.keyboard.press('z');
  await dialog('Enable “Exposed” again?').getByText('It has leaked').waitFor();
  expect(await state(id)).toBe('DISABLED');
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await dialogCloses();
  expect(await state(id)).toBe('DISABLED');
});

it('a key that has leaked since it was shown is enabled by no click that does not say so', async () => {
  const { page } = user;
  const listed = await create({ name: 'Listed' });
  await mutate(listed.id, 'disableKey(id: $id)');
  await goTo('keys');
  await page.reload();
  await button('Actions for Listed').click();
  await page.getByRole('menuitem', { name: 'Enable', exact: true }).waitFor();
  await leak(listed.secret);
  await page.getByRole('menuitem', { name: 'Enable', exact: true }).click();
  await sees('“Listed” has leaked meanwhile, and stays disabled.');
  expect(await state(listed.id)).toBe('DISABLED');
  const shown = await create({ name: 'Shown' });
  await goTo(`keys/${shown.id}`);
  await button('Disable').click();
  await dialog().getByRole('button', { name: 'Disable' }).click();
  await sees('“Shown” is disabled.');
  await dialogCloses();
  await leak(shown.secret);
  await page.keyboard.press('z');
  await dialog('Enable “Shown” again?').getByRole('button', { name: 'Enable it again' }).click();
  await sees('“Shown” has leaked meanwhile, and stays disabled.');
  expect(await state(shown.id)).toBe('DISABLED');
});

it('z undoes nothing that came before a change that can’t be undone', async () => {
  const { page } = user;
  const { id } = await create({ name: 'Kept', tags: ['before'] });
  await goTo(`keys/${id}?tab=settings`);
  await page.getByRole('combobox', { name: 'Tags' }).fill('after');
  await page.getByRole('combobox', { name: 'Tags' }).press('Enter');
  await button('Save labels').click();
  await sees('Saved: Tags.');
  await goTo('overview');
  await page.getByRole('radio', { name: 'Notify and disable the key' }).check();
  await button('Save').click();
  await sees('For leaked keys: Notify and disable the key.');
  await page.getByRole('heading', { name: 'Overview', level: 1 }).click();
  await page.keyboard.press('z');
  await page.keyboard.press('?');
  await dialog().waitFor();
  expect((await call('query ($id: UUID!) { key(id: $id) { tags } }', { id })).key.tags).toEqual(['before', 'after']);
});

it('the menu of a key copies a link to it, and a summary without a secret', async () => {
  const { page } = user;
  const { id, secret } = await create({ name: 'Shop', externalId: 'acme' });
  await leak(secret);
  await mutate(id, `disableKey(id: $id, reason: "Seen in a log")`);
  await goTo(`keys/${id}`);
  await button('More actions').click();
  await page.getByRole('menuitem', { name: 'Copy link' }).click();
  await expect.poll(user.clipboard).toBe(page.url());
  await page.getByRole('menuitem', { name: 'Copy summary' }).click();
  await expect.poll(user.clipboard).toContain('**Shop**');
  const summary = await user.clipboard();
  for (const part of [id, 'State: disabled', 'by your leak scanner', url, 'acme', 'Created by ada@example.com'])
    expect(summary).toContain(part);
  expect(summary).not.toContain(secret.slice(0, 20));
});
