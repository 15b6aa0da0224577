/** The people of a team: who has left, and what becomes of the keys that they are responsible for. */
import type { Request } from 'playwright-core';
import { expect, it } from 'vitest';
import { all, userOf } from './support/test.ts';

const user = userOf({ permissions: all });
const { button, goTo, call, create, dialog, dialogCloses, sees } = user;

async function importMembers(...subjects: readonly string[]): Promise<void> {
  const input = { teamId: user.dashboard.team, subjects };
  await call('mutation ($input: ImportMembersInput!) { importMembers(input: $input) { added } }', { input });
}

const responsibleOf = async (id: string) =>
  (await call('query ($id: UUID!) { key(id: $id) { responsible state } }', { id })).key;

const row = (subject: string) => user.page.getByRole('row', { name: new RegExp(subject) });

it('who has left is listed with their keys, which work until they are handed over in one step', async () => {
  const { page } = user;
  await importMembers('ada@example.com', 'grace@example.com');
  const [first, second, other] = await Promise.all([
    create({ name: 'First', responsible: 'grace@example.com' }),
    create({ name: 'Second', responsible: 'grace@example.com' }),
    create({ name: 'Other', responsible: 'ada@example.com' }),
  ]);
  await page.getByRole('link', { name: 'Members', exact: true }).click();
  await button('Record that grace@example.com has left…').click();
  await dialog().getByRole('button', { name: 'Record' }).click();
  await dialogCloses();
  await row('grace@example.com').getByText('left', { exact: true }).waitFor();
  expect(await user.verdict({ key: first.secret, env: 'live' })).toBe('VALID');

  await page.getByLabel('State').selectOption('left');
  await row('ada@example.com').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: '2 keys of grace@example.com' }).click();
  await page.getByRole('link', { name: 'First' }).waitFor();
  expect(await page.getByRole('link', { name: 'Other' }).count()).toBe(0);
  await page.goBack();
  await button('Hand over the keys of grace@example.com…').click();
  await dialog().getByRole('button', { name: 'Hand over' }).click();
  await sees('Name a person or a team.');
  await dialog().getByLabel('New responsible person or team').fill('Team Payments');
  await dialog().getByRole('button', { name: 'Hand over' }).click();
  await sees('Team Payments is responsible for 2 keys more.');
  await row('grace@example.com').getByText('none').waitFor();
  for (const { id } of [first, second]) {
    expect(await responsibleOf(id)).toEqual({ responsible: 'Team Payments', state: 'ACTIVE' });
  }
  expect(await responsibleOf(other.id)).toMatchObject({ responsible: 'ada@example.com' });
});

it('a pasted list of those with access is imported once the user has seen who would have left', async () => {
  await importMembers('ada@example.com', 'grace@example.com', 'bob@example.com');
  await goTo('members');
  await button('Import members…').click();
  const list = dialog().getByLabel('Everyone who has access');
  await list.fill('ada@example.com\r\n\n  grace@example.com\n');
  await button('Compare').click();
  await sees('0 people will be added.');
  await list.fill('ada@example.com\ngrace@example.com\nCN=Carl,OU=Shop\n');
  expect(await button('Import').count()).toBe(0);
  await button('Compare').click();
  await sees('1 person will be added.');
  await dialog().getByText('1 person will be recorded as left').waitFor();
  await dialog().getByRole('listitem').filter({ hasText: 'bob@example.com' }).waitFor();
  expect(await dialog().getByRole('listitem').count()).toBe(1);
  expect(await row('bob@example.com').getByText('active', { exact: true }).count()).toBe(1);
  await button('Import').click();
  await sees('1 added, 1 left.');
  await dialogCloses();
  await row('bob@example.com').getByText('left', { exact: true }).waitFor();
  await row('CN=Carl,OU=Shop').getByText('active', { exact: true }).waitFor();
  await row('ada@example.com').getByText('active', { exact: true }).waitFor();
});

it('an import that fails in the middle says what it has done, and goes on from there', async () => {
  await goTo('members');
  await button('Import members…').click();
  const list = dialog().getByLabel('Everyone who has access');
  // Not the user, who becomes a member when the service writes that.
  await list.fill(`dora@example.com\n${'b'.repeat(256)}`);
  await button('Compare').click();
  await sees('Line 2 must have at most 255 characters');
  await list.fill('dora@example.com\ncarl@example.com');
  // No clicks from here on: a button ignores the second click of a double click at its place.
  await button('Compare').press('Enter');
  await sees('2 people will be added.');
  let calls = 0;
  const isImport = (request: Request) => request.postData()?.includes('importMembers(') === true;
  const half = { importMembers: { added: 2, left: 1, hasMore: true } };
  await user.answerCalls((request) => isImport(request) && ++calls === 1, { json: { data: half } });
  const failure = { message: 'Not now.', extensions: { code: 'UNAVAILABLE' } };
  const stop = await user.answerCalls((request) => isImport(request) && calls === 1, {
    status: 503,
    json: { data: null, errors: [failure] },
  });
  await button('Import').press('Enter');
  await sees('Before the error: 2 added, 1 left.');
  await stop();
  await button('Import').press('Enter');
  await sees('4 added, ');
  await dialogCloses();
});

it('the list of keys is filtered by people who have left', async () => {
  const { page } = user;
  await importMembers('ada@example.com', 'grace@example.com');
  await create({ name: 'Orphan', responsible: 'grace@example.com' });
  await create({ name: 'Kept', responsible: 'ada@example.com' });
  await importMembers('ada@example.com');
  await goTo('keys?responsibleState=LEFT');
  await page.getByRole('link', { name: 'Orphan' }).waitFor();
  expect(await page.getByRole('link', { name: 'Kept' }).count()).toBe(0);
  await sees('Who is responsible: Has left');
});

it('without manage_keys, members are shown, and nothing can be changed', async () => {
  await importMembers('grace@example.com');
  const other = await user.openAs(['view_team']);
  await other.goTo('members');
  await other.page.getByText('grace@example.com').waitFor();
  expect(await other.page.getByRole('button', { name: /grace|Import/ }).count()).toBe(0);
  await other.close();
});
