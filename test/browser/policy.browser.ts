/** The policy of a team: who sets it, and forms that show it before the server would reject what they send. */
import { expect, it } from 'vitest';
import { all, userOf } from './support/test.ts';

const user = userOf({ permissions: all });
const { button, goTo, call, sees } = user;

async function setPolicy(rules: object, env = 'live'): Promise<void> {
  const input = { teamId: user.dashboard.team, env, ...rules };
  await call('mutation ($input: SetKeyPolicyInput!) { setKeyPolicy(input: $input) { policy { env } } }', { input });
}

async function keyIn(url: string) {
  const query = `query ($id: UUID!) {
    key(id: $id) { createdAt expiresAt scopes signingEnabled rateLimit { limit windowSeconds } }
  }`;
  return (await call(query, { id: /keys\/([0-9a-f-]{36})/.exec(url)?.[1] })).key;
}

const lifetimeDays = ({ createdAt, expiresAt }: { readonly createdAt: string; readonly expiresAt: string }) =>
  (Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000;

it('a saved policy is shown again, and another environment keeps its own', async () => {
  const { page } = user;
  await page.getByRole('link', { name: 'Policy', exact: true }).click();
  const live = page.getByRole('region', { name: 'Keys for live' });
  await live.getByLabel('Longest lifetime').fill('30');
  await live.getByLabel('Require allowed sources').check();
  await live.getByLabel('Permit certain scopes only').check();
  await live.getByLabel('Permitted scopes').fill('orders:read Read orders\norders:write');
  await live.getByLabel('Highest rate limit').fill('100');
  await live.getByLabel('Disable keys that violate it at').fill('2050-01-31T12:00');
  await button('Save for live').click();
  await sees('The policy for live is saved.');
  await page.reload();
  await expect.poll(() => live.getByLabel('Longest lifetime').inputValue()).toBe('30 days');
  expect(await live.getByLabel('Require allowed sources').isChecked()).toBe(true);
  expect(await live.getByLabel('Permitted scopes').inputValue()).toBe('orders:read Read orders\norders:write');
  expect(await live.getByLabel('Disable keys that violate it at').inputValue()).toBe('2050-01-31T12:00');
  const test = page.getByRole('region', { name: 'Keys for test' });
  expect(await test.getByLabel('Longest lifetime').inputValue()).toBe('');
});

it('a lifetime that the server rejects is named at its field, and what was typed stays', async () => {
  const { page } = user;
  await goTo('policy');
  const live = page.getByRole('region', { name: 'Keys for live' });
  await live.getByLabel('Longest lifetime').fill('5000');
  await live.getByLabel('Require an expiry').check();
  await button('Save for live').click();
  await sees('must be from 60 to');
  expect(await live.getByLabel('Longest lifetime').inputValue()).toBe('5000 days');
  expect(await live.getByLabel('Require an expiry').isChecked()).toBe(true);
});

it('without manage_policy, the policy is shown in words and can’t be changed', async () => {
  await setPolicy({ maxLifetimeSeconds: 86_400 * 30, scopes: [] });
  const other = await user.openAs(['view_team']);
  await other.goTo('policy');
  await other.page.getByText('It expires at most 30 days after its secret was issued.').waitFor();
  await other.page.getByText('Its scopes are among: none.').waitFor();
  expect(await other.page.getByRole('button', { name: /^Save/ }).count()).toBe(0);
  await other.close();
});

it('a new key is within the policy: its expiry is shortened, and the rules are shown before', async () => {
  const { page } = user;
  await setPolicy({
    maxLifetimeSeconds: 86_400 * 20,
    requireSigning: true,
    maxRateLimit: { limit: 50, windowSeconds: 60 },
    scopes: [{ name: 'orders:read', description: 'Read orders' }, { name: 'orders:write' }],
  });
  await goTo('keys/new');
  await sees('What the policy demands of a live key');
  const expires = page.getByLabel('Expires', { exact: true });
  await expect.poll(() => expires.inputValue()).toBe('20');
  const offered = await expires.locator('option').allTextContents();
  expect(offered).not.toContain('Never');
  expect(offered).not.toContain('In 90 days');
  await page.getByLabel('Name').fill('Within');
  await page.getByRole('combobox', { name: 'Scopes' }).click();
  await page.getByRole('option', { name: 'orders:read Read orders' }).click();
  expect(await page.getByLabel('Require signed requests').isDisabled()).toBe(true);
  await button('Create').click();
  await page.getByLabel('I have stored it').check();
  await button('Continue to the signing secret').click();
  await page.getByLabel('I have stored it').check();
  await button('Go to the key').click();
  await page.waitForURL(/keys\/[0-9a-f-]{36}/);
  const key = await keyIn(page.url());
  expect(key).toMatchObject({
    scopes: ['orders:read'],
    signingEnabled: true,
    rateLimit: { limit: 50, windowSeconds: 60 },
  });
  expect(lifetimeDays(key)).toBeLessThanOrEqual(20);
  expect(lifetimeDays(key)).toBeGreaterThan(19.9);
});

it('a typed expiry beyond the policy says what is permitted, and is shortened to that', async () => {
  const { page } = user;
  await setPolicy({ maxLifetimeSeconds: 86_400 * 20 });
  await goTo('keys/new');
  await sees('What the policy demands');
  await page.getByLabel('Name').fill('Typed');
  await page.getByLabel('Expires', { exact: true }).selectOption('At a date…');
  await page.getByLabel('Date or time').fill('in 6 months');
  await sees('The policy permits: On');
  await button('Create').click();
  await page.getByLabel('I have stored it').check();
  await button('Go to the key').click();
  await page.waitForURL(/keys\/[0-9a-f-]{36}/);
  expect(lifetimeDays(await keyIn(page.url()))).toBeLessThanOrEqual(20);
});

it('what a form can’t decide is named at its field: a scope that is not permitted, and missing sources', async () => {
  const { page } = user;
  await setPolicy({ requireAllowedIps: true, scopes: [{ name: 'orders:read' }] });
  await goTo('keys/new?name=Outside&scope=admin');
  await page.getByLabel('Allowed sources', { exact: true }).waitFor();
  await button('Create').click();
  await sees('must be among: orders:read');
  await sees('must have at least one allowed source');
});

it('the form of a key shows the rules about what it changes', async () => {
  const { page } = user;
  const { id } = await user.create({ name: 'Before', expiresAt: new Date(Date.now() + 86_400_000).toISOString() });
  await setPolicy({ maxLifetimeSeconds: 86_400 * 20, requireAllowedIps: true });
  await goTo(`keys/${id}?tab=settings`);
  await sees('It expires at most 20 days after its secret was issued.');
  expect(await page.getByText('It has allowed sources.').count()).toBe(0);
  await page.getByLabel('Date or time').fill('40d');
  await sees('The policy permits: On');
  await button('Save details').click();
  await sees('must be at most');
});

it('a key that violates the policy says what, when it is disabled, and where to mend it; the overview counts it', async () => {
  const { page } = user;
  const { id } = await user.create({ name: 'Older than the policy' });
  await setPolicy({ requireAllowedIps: true, enforceAfter: '2050-01-31T12:00:00Z' });
  await goTo(`keys/${id}`);
  await sees('The policy is violated: allowed sources must have at least one allowed source.');
  await sees('The key is disabled');
  await button('Choose allowed sources').click();
  await page.getByRole('tab', { name: 'Access', selected: true }).waitFor();
  await goTo('overview');
  await page
    .getByRole('link', { name: /violate/i })
    .first()
    .click();
  await page.getByRole('link', { name: 'Older than the policy' }).waitFor();
});
