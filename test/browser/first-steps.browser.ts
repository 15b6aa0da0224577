/** The first steps of an empty team, each of which is ticked by what really happened. */
import { expect, it } from 'vitest';
import { problemsOfAllLooks } from './support/axe.ts';
import { userOf } from './support/test.ts';

const user = userOf();
const { button, call, create, sees, verdict } = user;

const steps = () => user.page.getByRole('heading', { name: /^First steps/ });
const newest = async () =>
  (
    await call('query ($t: UUID!) { keys(teamId: $t, first: 1) { nodes { id name env } } }', {
      t: user.dashboard.team,
    })
  ).keys.nodes[0];

it('leads to a key and back, tries it, and notices the first request of an API', async () => {
  const { page } = user;
  await sees('0 of 3 done');
  expect(await problemsOfAllLooks(page)).toEqual([]);
  await page.getByRole('link', { name: 'Create a test key' }).click();
  await button('Create').click();
  const secret = (await page.getByTestId('secret').textContent()) ?? '';
  expect(await newest()).toMatchObject({ name: 'First key', env: 'test' });
  await page.getByLabel('I have stored it').check();
  await button('Go on with the first steps').click();
  await sees('1 of 3 done');
  await button('Try the key').click();
  await sees('The request is accepted');
  await sees('2 of 3 done');
  await button('Try an unknown key').click();
  await sees('NOT_FOUND');
  await page.getByRole('button', { name: /Protect an API/ }).click();
  await sees('Waiting for the first accepted request with “First key”');
  await page.getByRole('tab', { name: 'Express' }).click();
  await sees("env: 'test'");
  expect(await problemsOfAllLooks(page)).toEqual([]);
  expect(await verdict({ key: secret, env: 'test' })).toBe('VALID');
  await sees('3 of 3 done');
  expect(await page.content()).not.toContain(secret);
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain((await newest()).id);
});

it('stays on the page until it is dismissed, and can then be shown again while there are no keys', async () => {
  const { page } = user;
  await sees('0 of 3 done');
  await button('Dismiss').click();
  await steps().waitFor({ state: 'detached' });
  await page.reload();
  await button('Show the first steps').click();
  const { prefix } = await create({ name: 'Made elsewhere' });
  await page.reload();
  await sees('1 of 3 done');
  await user.goTo(`try?prefix=${prefix}`);
  await button('Try it').click();
  await sees('The request is accepted');
  await user.goTo('keys');
  await sees('2 of 3 done');
  await button('Dismiss').click();
  await page.reload();
  await page.getByRole('link', { name: 'Made elsewhere' }).waitFor();
  expect(await steps().count()).toBe(0);
});

it('says what a user without manage_keys may do', async () => {
  const viewer = await user.openAs(['view_team']);
  const { page } = viewer;
  await page.getByText('it needs the permission manage_keys').waitFor();
  expect(await page.getByRole('link', { name: 'Create a test key' }).count()).toBe(0);
  await create({ name: 'From somebody else' });
  await page.reload();
  await page.getByRole('button', { name: 'Try the key' }).click();
  await page.getByText('The request is accepted').waitFor();
  await viewer.close();
});

it('a team with keys is not led through first steps', async () => {
  await create({ name: 'Old' });
  await user.page.reload();
  await user.openAs(['view_team']).then(async (fresh) => {
    await fresh.page.getByRole('link', { name: 'Old' }).waitFor();
    expect(await fresh.page.getByText('First steps').count()).toBe(0);
    await fresh.close();
  });
});
