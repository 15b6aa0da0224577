/** The search of a list takes whatever is at hand, and puts into the address only what is no secret. */
import { expect, it } from 'vitest';
import { violations } from './support/axe.ts';
import { createKey } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const other = '3c1d0e55-9a68-4d0b-9c6e-0d5a3f1b7e22';
const user = userOf({ otherTeams: [other] });
const { goTo, create, heading, revoke, button } = user;

const search = () => user.page.getByLabel('Search', { exact: true });
const typed = () => search().inputValue();
const hash = () => new URL(user.page.url()).hash;
const list = () => `#/teams/${user.dashboard.team}/keys`;
const listed = () => user.page.getByRole('link', { name: 'Wanted', exact: true }).first().waitFor();

async function paste(text: string): Promise<void> {
  await goTo('keys');
  await heading('Keys');
  await search().fill(text);
}

/** Returns once the search has begun. Before, the list is what it was, and leaving it forgets what was typed. */
async function pasteAndSearch(text: string): Promise<void> {
  const begun = user.page.waitForRequest((request) => request.postData()?.includes('"search":"') === true);
  await paste(text);
  await begun;
}

it('finds a key by a secret, a line of a log or an id, and keeps its prefix or id in the address', async () => {
  const { id, secret, prefix } = await create({ name: 'Wanted' });
  await create({ name: 'Unwanted' });
  for (const [text, kept] of [
    [secret, prefix],
    [`203.0.113.9 "GET /orders HTTP/1.1" Authorization: Bearer ${secret} 403`, prefix],
    [`{"key":"${prefix}"}`, prefix],
    [`${prefix}****`, prefix],
    [id.toUpperCase(), id],
  ] as const) {
    await paste(text);
    await listed();
    await expect.poll(typed).toBe(kept);
    await expect.poll(hash).toBe(`${list()}?search=${kept}`);
    await user.page.getByRole('link', { name: 'Unwanted' }).waitFor({ state: 'detached' });
  }
  expect(user.tab.urls.filter((url) => url.includes(secret.slice(17)))).toEqual([]);
});

it('finds a key by what only its texts have, which stays out of the address and is there after Back', async () => {
  const customer = '7d9f0a38-5c5b-4f56-8c0c-0b3a6e2d9f11';
  await create({ name: 'Wanted', tags: ['tier-1 eu'], externalId: customer, description: 'For the nightly invoices' });
  await create({ name: 'Unwanted' });
  for (const text of ['Tier-1 EU', customer, 'nightly invoices']) {
    await pasteAndSearch(text);
    await listed();
    await user.page.getByRole('link', { name: 'Unwanted' }).waitFor({ state: 'detached' });
    expect(hash()).toBe(list());
    await user.page.getByRole('link', { name: 'Wanted', exact: true }).click();
    await heading('Wanted');
    await user.page.goBack();
    await listed();
    await expect.poll(typed).toBe(text);
  }
});

it('keeps every character that is typed while the first ones are searched', async () => {
  await create({ name: 'Wanted svc-12' });
  await create({ name: 'Wanted svc-3' });
  await goTo('keys');
  await heading('Keys');
  // With pauses in which a search begins, is answered, and enters the address.
  for (const delay of [270, 300, 340]) {
    await search().fill('');
    await search().pressSequentially('wanted svc-12', { delay });
    await user.page.getByRole('link', { name: 'Wanted svc-3' }).waitFor({ state: 'detached' });
    expect(await typed()).toBe('wanted svc-12');
  }
});

it('a search that is not in the address is there after the link back to the keys', async () => {
  await create({ name: 'Wanted', tags: ['tier-1 eu'] });
  await create({ name: 'Unwanted' });
  await pasteAndSearch('tier-1 eu');
  await user.page.getByRole('link', { name: 'Unwanted' }).waitFor({ state: 'detached' });
  await user.page.getByRole('link', { name: 'Wanted', exact: true }).click();
  await heading('Wanted');
  await user.page.locator('main').getByRole('link', { name: 'Keys', exact: true }).click();
  await heading('Keys');
  await listed();
  await expect.poll(typed).toBe('tier-1 eu');
  expect(await user.page.getByRole('link', { name: 'Unwanted' }).count()).toBe(0);
  expect(hash()).toBe(list());
});

it('a name that looks like a secret is searched and kept in the address', async () => {
  await create({ name: 'OrderServiceV2Production' });
  await paste('OrderServiceV2Production');
  await user.page.getByRole('link', { name: 'OrderServiceV2Production' }).waitFor();
  await expect.poll(hash).toBe(`${list()}?search=OrderServiceV2Production`);
});

it('names revoked keys and keys of other teams beside the list, and lists revoked keys on demand', async () => {
  const revoked = await create({ name: 'Wanted' });
  await revoke(revoked.id);
  const theirs = await createKey({ service: user.dashboard.service, team: other }, { name: 'Of the others' });
  await paste(`${revoked.prefix}_****`);
  const outcome = user.page.getByRole('status', { name: 'Also found' });
  await outcome.getByText('Not in this list:').waitFor();
  await outcome.getByRole('link', { name: 'Wanted' }).waitFor();
  await outcome.getByText('revoked', { exact: true }).waitFor();
  expect(await violations(user.page)).toEqual([]);
  await button('Include them').click();
  await user.page.getByRole('row', { name: /Wanted/ }).waitFor();
  await outcome.getByText('Not in this list:').waitFor({ state: 'detached' });
  await paste(theirs.id);
  await outcome.getByText(`found in the team ${other}`).waitFor();
  await outcome.getByRole('link', { name: 'Of the others' }).click();
  await heading('Of the others');
});

it('says why a text finds no key, and keeps the text out of the address, the storage and saved views', async () => {
  const { page } = user;
  const { secret } = await create({ name: 'Wanted' });
  const part = secret.slice(20, 35);
  await paste(part);
  await page.getByText('A part of a secret can’t be found').waitFor();
  expect(hash()).toBe(list());
  await button('Options').click();
  await page.getByRole('menuitem', { name: 'Saved views…' }).click();
  await page.getByLabel('Name of the current view').fill('Mine');
  await page.keyboard.press('Enter');
  await user.dialogCloses();
  const stored = 'JSON.stringify(localStorage) + JSON.stringify(sessionStorage)';
  expect(await page.evaluate<string>(stored)).toContain('Mine');
  expect(await page.evaluate<string>(stored)).not.toContain(part);
  expect(user.tab.urls.filter((url) => url.includes(part))).toEqual([]);
});
