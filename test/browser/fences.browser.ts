/** Freezing keys in an incident: what is frozen is counted before, shown on every page while it lasts, and stated in a receipt. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { all, userOf } from './support/test.ts';

const user = userOf({ permissions: all });
const { button, goTo, create, verdict, dialog, dialogCloses, sees, revoke, call } = user;

async function savedReceipt(): Promise<string> {
  const [download] = await Promise.all([user.page.waitForEvent('download'), button('Save the receipt').click()]);
  return readFileSync(await download.path(), 'utf8');
}

const banner = () => user.page.getByRole('status').filter({ hasText: /^Keys are frozen/ });

it('keys are frozen after they were counted, a banner says so on every page, and lifting it lets them work again', async () => {
  const { page } = user;
  const { secret } = await create({ name: 'Of the build server', tags: ['ci'] });
  const { secret: other } = await create({ name: 'Of the shop' });
  await page.getByRole('link', { name: 'Freeze', exact: true }).click();
  await page.getByLabel('Reason').fill('The build server was broken into');
  await page.getByRole('combobox', { name: 'Tags' }).fill('ci');
  await page.keyboard.press('Enter');
  await button('Count the keys…').click();
  await dialog('Freeze these keys?').getByText('1 key meets the conditions').waitFor();
  expect(await verdict({ key: secret })).toBe('VALID');
  await dialog().getByRole('button', { name: 'Freeze' }).click();
  await sees('Frozen: 1 key');
  expect([await verdict({ key: secret }), await verdict({ key: other })]).toEqual(['FROZEN', 'VALID']);
  expect(await savedReceipt()).toContain('keys frozen: The build server was broken into');
  await goTo('keys');
  await banner().getByText('Keys tagged ci').waitFor();
  await banner().getByText('The build server was broken into').waitFor();
  const reader = await user.openAs(['view_team']);
  await reader.goTo('audit');
  await reader.page
    .getByRole('status')
    .filter({ hasText: /^Keys are frozen/ })
    .waitFor();
  expect(await reader.page.getByRole('button', { name: /^Lift/ }).count()).toBe(0);
  await reader.close();
  await banner().getByRole('button', { name: 'Lift the fence “The build server was broken into”…' }).click();
  await dialog('Lift this fence?').getByRole('button', { name: 'Lift' }).click();
  await banner().waitFor({ state: 'detached' });
  await dialogCloses();
  expect(await verdict({ key: secret })).toBe('VALID');
});

it('a rejected condition is named at its field, and nothing is frozen', async () => {
  const { page } = user;
  await goTo('freeze');
  await page.getByLabel('Reason').fill('A drill');
  await page.getByLabel('Until').fill('2001-01-01T00:00');
  await button('Count the keys…').click();
  await sees('must be in the future');
  expect(await page.getByLabel('Reason').inputValue()).toBe('A drill');
  expect(await banner().count()).toBe(0);
});

it('the page of a revoked key saves the receipt', async () => {
  const { id } = await create({ name: 'Gone' });
  await revoke(id);
  await goTo(`keys/${id}`);
  expect(await savedReceipt()).toContain('key revoked: Gone');
});

it('a tripwire can be made, and its page says what it is', async () => {
  const { page } = user;
  await goTo('keys/new');
  await page.getByLabel('Name').fill('In the backup');
  await button('More settings').click();
  await page.getByLabel('Tripwire').check();
  await button('Create').click();
  await sees('In the backup');
  const { secret, id } = await create({ name: 'In the password store', tripwire: true });
  expect(await verdict({ key: secret })).toBe('NOT_FOUND');
  const query = 'query ($teamId: UUID!) { keys(teamId: $teamId, filter: { search: "In the" }) { nodes { tripwire } } }';
  const made = async () => (await call(query, { teamId: user.dashboard.team })).keys.nodes;
  await expect.poll(made).toEqual([{ tripwire: true }, { tripwire: true }]);
  const other = await user.openAs(['view_team']);
  await other.goTo(`keys/${id}`);
  await other.page.getByRole('status').filter({ hasText: 'Nobody uses this key' }).waitFor();
  await other.close();
});
