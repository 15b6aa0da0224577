/** The programs that manage the keys of a team: what is shown once, what works with it, and what ends. */
import { expect, it } from 'vitest';
import { all, userOf } from './support/test.ts';

const user = userOf({ permissions: all });
const { button, goTo, call, dialog, dialogCloses, sees, heading } = user;

const newKey = `mutation ($input: CreateManagementKeyInput!) {
  createManagementKey(input: $input) { managementKey { id } secret }
}`;

async function addKey(input: object = {}): Promise<{ readonly id: string; readonly secret: string }> {
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const permissions = ['view_team', 'manage_keys'];
  const { createManagementKey: made } = await call(newKey, {
    input: { teamId: user.dashboard.team, name: 'Billing', permissions, expiresAt, ...input },
  });
  return { id: made.managementKey.id, secret: made.secret };
}

/** Creates a key of the team as a program does. Returns the status and the body of the answer. */
async function createWith(secret: string, name: string) {
  const response = await fetch(`${user.dashboard.service.url}/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ teamId: user.dashboard.team, name, env: 'live' }),
  });
  return { status: response.status, body: await response.json() };
}

it('a new management key is shown once, works, and leads to everything that was made with it', async () => {
  const { page } = user;
  await page.getByRole('link', { name: 'Access', exact: true }).click();
  await sees('This team has no management keys yet.');
  await page.getByRole('link', { name: 'Create a management key' }).click();
  await page.getByLabel('Name').fill('Billing backend');
  await page.getByLabel('Expires', { exact: true }).selectOption('In 30 days');
  await button('Create').click();
  const secret = (await page.getByTestId('secret').textContent()) ?? '';
  expect(secret).toMatch(/^lk_mgmt_/);
  await page.getByLabel('I have stored it').check();
  await button('Go to the management key').click();
  await heading('Billing backend');
  expect(await page.content()).not.toContain(secret);

  expect(await createWith(secret, 'Of a customer')).toMatchObject({ status: 201 });
  await user.create({ name: 'Of a person' });
  await page.getByRole('link', { name: 'Everything made by this key' }).click();
  await page.getByRole('link', { name: 'Of a customer' }).waitFor();
  expect(await page.getByRole('link', { name: 'Of a person' }).count()).toBe(0);
  await goTo('access');
  await page.getByRole('row', { name: /Billing backend.*active.*view_team, manage_keys.*everywhere/ }).waitFor();
});

it('a management key has no expiry beyond a year, and at least one permission', async () => {
  const { page } = user;
  await goTo('access/keys/new');
  await page.getByLabel('Name').fill('Too long');
  expect(await page.getByLabel('Expires', { exact: true }).locator('option').allTextContents()).not.toContain('Never');
  for (const permission of ['view_team', 'manage_keys']) await page.getByLabel(permission).uncheck();
  await button('Create').click();
  await sees('Choose at least one.');
  expect(await user.focused('value')).toBe('view_team');
  await page.getByLabel('manage_keys').check();
  await page.getByLabel('Expires', { exact: true }).selectOption('At a date…');
  await page.getByLabel('Date or time').fill('800d');
  await button('Create').click();
  await sees('at most a year from now');
});

it('offers no permission that the user lacks', async () => {
  const { page, goTo, close } = await user.openAs(['view_team', 'manage_access']);
  await goTo('access/keys/new');
  await page.getByLabel('view_team').waitFor();
  expect(await page.getByLabel('view_team').isEnabled()).toBe(true);
  expect(await page.getByLabel('manage_keys').isEnabled()).toBe(false);
  await page.getByRole('textbox', { name: 'Name' }).waitFor();
  await close();
});

it('a rotated management key shows its new secret once, and a revoked one is rejected', async () => {
  const { page } = user;
  const { id, secret } = await addKey({ name: 'Rotated' });
  await goTo(`access/keys/${id}`);
  await button('Rotate…').click();
  await dialog().getByLabel('Accept the current secret for').selectOption('0');
  await dialog().getByRole('button', { name: 'Rotate', exact: true }).click();
  const next = (await page.getByTestId('secret').textContent()) ?? '';
  expect(next).not.toBe(secret);
  expect((await createWith(secret, 'Late')).status).toBe(401);
  expect((await createWith(next, 'In time')).status).toBe(201);
  await page.getByLabel('I have stored it').check();
  await button('Go back to the management key').click();
  await button('Revoke…').click();
  await dialog().getByRole('button', { name: 'Revoke permanently' }).click();
  await dialogCloses();
  await sees('“Rotated” is revoked.');
  expect((await createWith(next, 'After')).status).toBe(401);
  await button('Revoke…').waitFor({ state: 'detached' });
  await goTo('audit');
  await page.getByRole('rowgroup', { name: 'Management key revoked' }).getByRole('link').first().click();
  await heading('Rotated');
});

it('a signed management key shows both secrets, and asks before the second is lost', async () => {
  const { page } = user;
  await goTo('access/keys/new');
  await page.getByLabel('Name').fill('Signed');
  await page.getByLabel('Require signed requests').check();
  await button('Create').click();
  await page.getByTestId('secret').waitFor();
  await page.getByLabel('I have stored it').check();
  await goTo('keys');
  await dialog('Leave without the signing secret?').getByRole('button', { name: 'Stay' }).click();
  await button('Continue to the signing secret').click();
  await page.getByRole('heading', { name: 'The signing secret of “Signed”' }).waitFor();
  expect(await page.getByTestId('secret').textContent()).toMatch(/^[0-9a-f]{64}$/);
  await page.getByLabel('I have stored it').check();
  await button('Go to the management key').click();
  await heading('Signed');
});

it('a management key of another team is one that does not exist', async () => {
  const { id } = await addKey();
  const other = await user.openAs(all);
  await other.goTo('access');
  await other.close();
  await user.tab.goTo(`teams/${user.dashboard.team}/access/keys/${id.replace(/.{4}$/, '0000')}`);
  await heading('There is no such management key');
  await goTo('access/keys/nonsense');
  await heading('There is no such management key');
});

it('a trust rule is made from a platform, names claims that can be taken by others, and is deleted', async () => {
  const { page } = user;
  await goTo('access');
  await sees('This team has no trust rules yet.');
  await page.getByRole('link', { name: 'Create a trust rule' }).click();
  await page.getByLabel('Name').fill('Deploy of the shop');
  await page.getByLabel('Platform').selectOption('GitHub Actions');
  const claims = page.getByLabel('Claims');
  expect(await claims.inputValue()).toContain('repository_id:');
  await button('Create').click();
  await sees('repository_id needs a value');
  await claims.fill('repository: shop/web');
  await button('Create').click();
  await sees('repository_id instead of repository');
  await claims.fill('repository_id: 123\nref: refs/heads/main');
  await button('Create').click();
  await sees('“Deploy of the shop” is created.');
  const rule = page.getByRole('row', { name: /Deploy of the shop/ });
  await rule.getByText('repository_id: 123').waitFor();
  await button('Delete Deploy of the shop…').click();
  await dialog('Delete this trust rule?').getByRole('button', { name: 'Delete permanently' }).click();
  await dialogCloses();
  await sees('This team has no trust rules yet.');
});

it('without manage_access, nothing about access is loaded', async () => {
  const other = await user.openAs(['view_team', 'manage_keys']);
  await other.goTo('access');
  await other.page.getByText('Your session does not grant manage_access').waitFor();
  expect(await other.page.getByRole('link', { name: 'Access', exact: true }).count()).toBe(0);
  await other.close();
});
