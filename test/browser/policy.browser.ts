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
    key(id: $id) { createdAt expiresAt allowedIps scopes signingEnabled rateLimit { limit windowSeconds } }
  }`;
  return (await call(query, { id: /keys\/([0-9a-f-]{36})/.exec(url)?.[1] })).key;
}

const lifetimeDays = ({ createdAt, expiresAt }: { readonly createdAt: string; readonly expiresAt: string }) =>
  (Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000;

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

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
  const defaults = { lifetimeSeconds: 86_400 * 7, rateLimit: { limit: 10, windowSeconds: 60 } };
  await setPolicy({ maxLifetimeSeconds: 86_400 * 30, scopes: [], defaults });
  const other = await user.openAs(['view_team']);
  await other.goTo('policy');
  await other.page.getByText('It expires at most 30 days after its secret was issued.').waitFor();
  await other.page.getByText('Its scopes are among: none.').waitFor();
  await other.page.getByText('An expiry 7 days after its creation.').waitFor();
  await other.page.getByText('A rate limit of 10 per minute.').waitFor();
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

it('the form of a key shows the rules about what it changes, and shortens an expiry to what they permit', async () => {
  const { page } = user;
  const { id } = await user.create({ name: 'Before', expiresAt: inDays(1) });
  await setPolicy({ maxLifetimeSeconds: 86_400 * 20, requireAllowedIps: true });
  await goTo(`keys/${id}?tab=settings`);
  await sees('It expires at most 20 days after its secret was issued.');
  expect(await page.getByRole('tabpanel').getByText('It has allowed sources').count()).toBe(0);
  await page.getByLabel('Date or time').fill('40d');
  await sees('The policy permits: On');
  await button('Save details').click();
  await sees('Saved: Expiry.');
  expect(lifetimeDays(await keyIn(`keys/${id}`))).toBe(20);
});

it('a key without an expiry is shown as it is under a policy that demands one, until another is chosen', async () => {
  const { page } = user;
  const { id } = await user.create({ name: 'Forever' });
  await setPolicy({ requireExpiry: true });
  await goTo(`keys/${id}?tab=settings`);
  await sees('It has an expiry.');
  const expires = page.getByLabel('Expires', { exact: true });
  expect(await expires.inputValue()).toBe('never');
  await expires.selectOption('In 30 days');
  expect(await expires.locator('option').allTextContents()).not.toContain('Never');
});

it('a renewal is shortened to what the policy permits, and not offered where it permits none', async () => {
  const { page } = user;
  const { id } = await user.create({ name: 'Soon over', expiresAt: inDays(1) });
  await setPolicy({ maxLifetimeSeconds: 86_400 * 20 });
  await goTo('keys?sort=NAME');
  await button('Renew Soon over').click();
  await sees('as late as the policy permits');
  expect(lifetimeDays(await keyIn(`keys/${id}`))).toBe(20);
  await goTo(`keys/${id}`);
  await button('More actions').click();
  await page.getByRole('menuitem', { name: 'Renew by 90 days…' }).click();
  await sees('The policy permits no later expiry with this secret');
  expect(await user.dialog().getByRole('button', { name: 'Renew' }).isDisabled()).toBe(true);
  await user.dialog().getByRole('button', { name: 'Cancel' }).click();
});

it('no form sends what depends on the policy before it is loaded, so that a retry sends the same', async () => {
  const { page } = user;
  const { id } = await user.create({ name: 'Soon over', expiresAt: inDays(1) });
  await setPolicy({ maxLifetimeSeconds: 86_400 * 20 });
  const creation = await user.hold('keyPolicies');
  await page.reload();
  await goTo('keys/new?name=Early');
  await creation.asked();
  expect(await button('Create').isDisabled()).toBe(true);
  await page.getByRole('textbox', { name: 'Name' }).press('Enter');
  await creation.answer();
  await expect.poll(() => button('Create').isDisabled()).toBe(false);
  expect(await page.getByTestId('secret').count()).toBe(0);
  const renewal = await user.hold('keyPolicies');
  await goTo(`keys/${id}`);
  await page.reload();
  await button('More actions').click();
  await page.getByRole('menuitem', { name: 'Renew by 90 days…' }).click();
  await renewal.asked();
  const renew = user.dialog().getByRole('button', { name: 'Renew' });
  expect(await renew.isDisabled()).toBe(true);
  await renewal.answer();
  await sees('The policy permits less');
  await renew.click();
  await sees('“Soon over” is renewed.');
  expect(lifetimeDays(await keyIn(`keys/${id}`))).toBe(20);
});

it('several keys are renewed only once the policy says until when', async () => {
  const { page } = user;
  await user.create({ name: 'Soon over', expiresAt: inDays(1) });
  await setPolicy({ maxLifetimeSeconds: 86_400 * 20 });
  const held = await user.hold('keyPolicies');
  await goTo('keys?sort=NAME');
  await page.getByLabel('Select Soon over').check();
  await button('Renew…').click();
  await user.dialog().getByText('1 key will be changed:').waitFor();
  await held.asked();
  expect(await button('Renew 1 key').isDisabled()).toBe(true);
  await held.answer();
  await sees('as late as the policy permits');
  expect(await button('Renew 1 key').isDisabled()).toBe(false);
});

it('a renewal that the policy does not permit says so, also of a key that expires later than permitted', async () => {
  const { page } = user;
  await user.create({ name: 'Too long', expiresAt: inDays(10) });
  await setPolicy({ maxLifetimeSeconds: 86_400 * 5 });
  await goTo('keys?sort=NAME');
  await button('Renew Too long').click();
  await sees('“Too long” can’t be renewed within the policy with this secret: rotate it first.');
  await page.reload();
});

it('an empty rate limit shows the maximum of the policy, which is saved', async () => {
  const { page } = user;
  const { id } = await user.create({ name: 'Limited', rateLimit: { limit: 5, windowSeconds: 3600 } });
  await setPolicy({ maxRateLimit: { limit: 50, windowSeconds: 60 } });
  await goTo(`keys/${id}?tab=access`);
  await sees('It has a rate limit of at most 50 per minute.');
  expect(await page.getByText('The policy permits: 50 per minute').count()).toBe(0);
  await page.getByRole('textbox', { name: 'Rate limit' }).fill('');
  await sees('The policy permits: 50 per minute');
  expect(await page.getByPlaceholder('No limit').count()).toBe(0);
  await page.getByRole('textbox', { name: 'Rate limit' }).press('Enter');
  await sees('Saved: Rate limit.');
  expect((await keyIn(`keys/${id}`)).rateLimit).toEqual({ limit: 50, windowSeconds: 60 });
});

it('the forms of sources and of signing show what is demanded before the server rejects a change', async () => {
  const { page } = user;
  const { id } = await user.create({ name: 'Guarded', allowedIps: ['127.0.0.1'], signing: true });
  await goTo(`keys/${id}?tab=access`);
  await button('Disable signing').waitFor();
  await setPolicy({ requireAllowedIps: true, requireSigning: true });
  await page.reload();
  await sees('It has allowed sources');
  await sees('Requests with it are signed.');
  expect(await button('Disable signing').count()).toBe(0);
  await page.getByLabel('Sources that can use the key').fill('');
  await sees('The policy demands at least one, and not every address.');
  expect(await button('Save sources').isDisabled()).toBe(true);
  await page.getByLabel('Sources that can use the key').fill('0.0.0.0/1\n128.0.0.0/1');
  await sees('The policy demands at least one, and not every address.');
  expect(await button('Save sources').isDisabled()).toBe(true);
  await page.getByLabel('Sources that can use the key').fill('127.0.0.2');
  await button('Save sources').click();
  await sees('Saved: Allowed sources.');
});

it('the defaults of a policy are saved in its form, and named in the trail', async () => {
  const { page } = user;
  await goTo('policy');
  const live = page.getByRole('region', { name: 'Keys for live' });
  await live.getByLabel('Lifetime of a new key').fill('12');
  await live.getByLabel('Default allowed sources').fill('127.0.0.1 # here');
  await live.getByRole('combobox', { name: 'Default scopes' }).fill('orders:read');
  await live.getByRole('combobox', { name: 'Default scopes' }).press('Enter');
  await live.getByLabel('Default rate limit').fill('70');
  await button('Save for live').click();
  await sees('The policy for live is saved.');
  await page.reload();
  await expect.poll(() => live.getByLabel('Lifetime of a new key').inputValue()).toBe('12 days');
  expect(await live.getByLabel('Default allowed sources').inputValue()).toBe('127.0.0.1 # here');
  expect(await live.getByLabel('Default rate limit').inputValue()).toBe('70');
  await goTo('audit');
  await sees('Lifetime of a new key: 12 days');
  await sees('Default rate limit: 70 per minute');
});

it('the defaults of a policy fill the form of a new key, and what the creator chooses replaces them', async () => {
  const { page } = user;
  const rateLimit = { limit: 70, windowSeconds: 60 };
  const defaults = {
    lifetimeSeconds: 86_400 * 12,
    allowedIps: ['127.0.0.1 # here'],
    scopes: ['orders:read'],
    rateLimit,
  };
  await setPolicy({ defaults });
  await goTo('keys/new');
  const sources = page.getByLabel('Allowed sources', { exact: true });
  await expect.poll(() => sources.inputValue()).toBe('127.0.0.1 # here');
  expect(await page.getByLabel('Expires', { exact: true }).inputValue()).toBe('12');
  expect(await page.getByRole('textbox', { name: 'Rate limit' }).inputValue()).toBe('70');
  await page.getByRole('textbox', { name: 'Rate limit' }).fill('5');
  await page.getByLabel('Name').fill('Defaulted');
  await button('Create').click();
  await page.getByLabel('I have stored it').check();
  await button('Go to the key').click();
  await page.waitForURL(/keys\/[0-9a-f-]{36}/);
  const key = await keyIn(page.url());
  expect(key).toMatchObject({
    allowedIps: ['127.0.0.1 # here'],
    scopes: ['orders:read'],
    rateLimit: { limit: 5, windowSeconds: 60 },
  });
  expect(lifetimeDays(key)).toBeGreaterThan(11.9);
  expect(lifetimeDays(key)).toBeLessThanOrEqual(12);
});

it('who may not read the policy creates keys with its defaults, except what they choose', async () => {
  const { team } = user.dashboard;
  const defaults = {
    lifetimeSeconds: 86_400 * 12,
    allowedIps: ['127.0.0.1'],
    scopes: ['orders:read'],
    rateLimit: { limit: 70, windowSeconds: 60 },
  };
  await setPolicy({ maxLifetimeSeconds: 86_400 * 30, defaults });
  const other = await user.openAs(['manage_keys']);
  await other.goTo('keys/new');
  const expires = other.page.getByLabel('Expires', { exact: true });
  expect(await expires.locator('option:checked').textContent()).toBe('As the policy says');
  await expires.selectOption('In 90 days');
  await expires.selectOption('As the policy says');
  await other.page.getByLabel('Name').fill('Unseen');
  await other.page.getByRole('button', { name: 'More settings' }).click();
  await other.page.getByRole('textbox', { name: 'Rate limit' }).fill('5');
  await other.page.getByRole('button', { name: 'Create', exact: true }).click();
  await other.page.getByTestId('secret').waitFor();
  await other.close();
  const { keys } = await call(
    `query ($teamId: UUID!) { keys(teamId: $teamId, first: 1) {
      nodes { createdAt expiresAt allowedIps scopes rateLimit { limit } }
    } }`,
    { teamId: team },
  );
  const made = { allowedIps: ['127.0.0.1'], scopes: ['orders:read'], rateLimit: { limit: 5 } };
  expect(keys.nodes).toMatchObject([made]);
  expect(lifetimeDays(keys.nodes[0])).toBe(12);
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
