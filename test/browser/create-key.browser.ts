/** Creating a key with every setting, from a template, a link or another key. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  both,
  callGraphQL,
  createKey,
  type Dashboard,
  startDashboard,
  type Tab,
  tokenFor,
} from './support/dashboard.ts';

const dayMs = 86_400_000;
let dashboard: Dashboard;
let tab: Tab;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(async () => dashboard.stop());
beforeEach(async () => {
  tab = await dashboard.open();
  await tab.signIn(tokenFor({ [dashboard.team]: both }));
});
afterEach(async () => tab.close());

const button = (name: string) => tab.page.getByRole('button', { name, exact: true });
const form = async (parameters = '') => {
  await tab.goTo(`teams/${dashboard.team}/keys/new${parameters}`);
  await tab.page.getByLabel('Name').waitFor();
};

/** The newest key of the team. */
async function newest() {
  const query = `query ($teamId: UUID!) { keys(teamId: $teamId, first: 1) { nodes {
    name env expiresAt allowedIps scopes signingEnabled rateLimit { limit windowSeconds } externalId tags metadata
  } } }`;
  const { keys } = await callGraphQL(dashboard.service, tokenFor({ [dashboard.team]: both }), query, {
    teamId: dashboard.team,
  });
  return keys.nodes[0];
}

async function keep() {
  await tab.page.getByLabel('I have saved it').check();
  await button('Go to the key').click();
  await tab.page.getByRole('tab', { name: 'History' }).waitFor();
}

const daysUntil = (at: string) => Math.round((Date.parse(at) - Date.now()) / dayMs);

it('creates a key with every restriction, and shows the signing secret after the secret', async () => {
  const { page } = tab;
  await form();
  await page.getByLabel('Name').fill('Restricted');
  await page.getByLabel('Allowed sources').fill('10.0.0.0/8 # ours\n203.0.113.9');
  await page.getByRole('combobox', { name: 'Scopes' }).fill('orders:read');
  await page.keyboard.press('Enter');
  await page.keyboard.type('orders:write ');
  await page.getByLabel('Rate limit').fill('500');
  await page.getByLabel('Per', { exact: true }).selectOption('hour');
  await page.getByLabel('Require signed requests').check();
  await page.getByLabel('External id').fill('customer-7');
  await page.getByRole('combobox', { name: 'Tags' }).fill('nightly');
  await page.keyboard.press('Enter');
  await page.getByLabel('Metadata').fill('{"plan": "gold"}');
  await button('Create').click();
  const secret = await page.getByTestId('secret').textContent();
  expect(secret).toMatch(/^lk_live_/);
  await page.getByLabel('I have saved it').check();
  await button('Continue to the signing secret').click();
  await page.getByText('The signing secret of').waitFor();
  expect(await page.getByTestId('secret').textContent()).toMatch(/^[0-9a-f]{64}$/);
  expect(await button('Go to the key').isDisabled()).toBe(true);
  await keep();
  const { expiresAt, ...rest } = await newest();
  expect(rest).toEqual({
    name: 'Restricted',
    env: 'live',
    allowedIps: ['10.0.0.0/8 # ours', '203.0.113.9'],
    scopes: ['orders:read', 'orders:write'],
    signingEnabled: true,
    rateLimit: { limit: 500, windowSeconds: 3600 },
    externalId: 'customer-7',
    tags: ['nightly'],
    metadata: { plan: 'gold' },
  });
  expect(daysUntil(expiresAt)).toBe(90);
});

it('a live key expires in 90 days unless the user changes that, and a test key never', async () => {
  const { page } = tab;
  await form();
  const expires = page.getByLabel('Expires');
  expect(await expires.inputValue()).toBe('90');
  await page.getByLabel('test', { exact: true }).check();
  expect(await expires.inputValue()).toBe('never');
  await page.getByLabel('live', { exact: true }).check();
  expect(await expires.inputValue()).toBe('90');
  await expires.selectOption('Never');
  await page.getByLabel('test', { exact: true }).check();
  await page.getByLabel('live', { exact: true }).check();
  expect(await expires.inputValue()).toBe('never');
  await page.getByLabel('Name').fill('Forever');
  await button('Create').click();
  await keep();
  expect(await newest()).toMatchObject({ name: 'Forever', expiresAt: null });
});

it('starts from a template, and from the parameters of a link', async () => {
  const { page } = tab;
  await form();
  await page.getByLabel('Start from').selectOption('CI job');
  await page.getByLabel('Name').fill('Pipeline');
  await button('Create').click();
  await keep();
  const made = await newest();
  expect(made).toMatchObject({ name: 'Pipeline', env: 'live', tags: ['ci'] });
  expect(daysUntil(made.expiresAt)).toBe(30);
  await form(
    '?name=From+a+link&env=test&expires=7&source=10.0.0.1&scope=a&scope=b&tag=t&limit=5&window=1&externalId=x',
  );
  await button('Create').click();
  await keep();
  const { expiresAt, ...rest } = await newest();
  expect(rest).toEqual({
    name: 'From a link',
    env: 'test',
    allowedIps: ['10.0.0.1'],
    scopes: ['a', 'b'],
    signingEnabled: false,
    rateLimit: { limit: 5, windowSeconds: 1 },
    externalId: 'x',
    tags: ['t'],
    metadata: null,
  });
  expect(daysUntil(expiresAt)).toBe(7);
});

it('duplicates a key from the list, with its lifetime from now on', async () => {
  const { page } = tab;
  const settings = {
    env: 'test',
    allowedIps: ['192.0.2.1'],
    scopes: ['read'],
    rateLimit: { limit: 10, windowSeconds: 90 },
    externalId: 'dup',
    tags: ['a', 'b'],
    metadata: { deep: { list: [1, 'two'] } },
  };
  const expiresAt = new Date(Date.now() + 20 * dayMs).toISOString();
  await createKey(dashboard, { name: 'Original', expiresAt, ...settings });
  await tab.goTo(`teams/${dashboard.team}/keys?search=Original`);
  await button('Actions for Original').click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await page.getByRole('heading', { name: 'Duplicate a key' }).waitFor();
  await button('Create').click();
  await keep();
  const copy = await newest();
  expect(copy).toMatchObject({ name: 'Copy of Original', signingEnabled: false, ...settings });
  expect(daysUntil(copy.expiresAt)).toBe(20);
});

it('says what is wrong beside each field, before and after the server was asked', async () => {
  const { page } = tab;
  await form();
  await page.getByLabel('Metadata').fill('{plan: free}');
  await page.getByLabel('Allowed sources').fill('10.0.0.0/8\n010.0.0.1');
  await button('Create').click();
  await page.getByText('A key needs a name').waitFor();
  await page.getByText('It is not JSON').waitFor();
  await page.getByText('Line 2 is not a valid IPv4 address').waitFor();
  await page.getByLabel('Name').fill('Named');
  await page.getByLabel('Metadata').fill('[1]');
  await page.getByLabel('Allowed sources').fill('');
  await button('Create').click();
  await page.getByText('It must be a JSON object').waitFor();
  await page.getByLabel('Metadata').fill('');
  await page.getByRole('combobox', { name: 'Scopes' }).fill('a"b');
  await page.keyboard.press('Enter');
  await button('Create').click();
  await page.getByText('visible ASCII characters').waitFor();
});

it('asks before what was entered is lost', async () => {
  const { page } = tab;
  await form();
  await page.getByLabel('External id').fill('typed');
  await button('Cancel')
    .or(page.getByRole('link', { name: 'Cancel' }))
    .click();
  const dialog = page.getByRole('dialog', { name: 'Leave without creating the key?' });
  await dialog.getByRole('button', { name: 'Stay' }).click();
  expect(await page.getByLabel('External id').inputValue()).toBe('typed');
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await dialog.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
});

it('an empty team is offered its first key', async () => {
  const empty = await dashboard.open();
  const team = 'a2b1c5d4-0f63-4a5e-8c8d-5d5d4c3b2a10';
  await empty.signIn(tokenFor({ [team]: ['view_team', 'manage_keys', 'import_keys'] }));
  await empty.page.getByRole('link', { name: 'Import keys' }).waitFor();
  await empty.page.getByRole('link', { name: 'Create the first key' }).click();
  await empty.page.getByRole('heading', { name: 'Create a key' }).waitFor();
  await empty.close();
});
