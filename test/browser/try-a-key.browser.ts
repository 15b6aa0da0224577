/** “Try a key” takes every key, and never shows a verdict for other inputs than those on the page. */
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Permission } from '../../src/domain/key/permission.ts';
import {
  both,
  callGraphQL,
  createKey,
  type Dashboard,
  holdOperation,
  startDashboard,
  type Tab,
  tokenFor,
} from './support/dashboard.ts';

const importing: readonly Permission[] = [...both, 'import_keys'];
const other = '6b5dbd5b-6ee6-4a6e-9d1c-1d0ac0f4a1b2';
let dashboard: Dashboard;
let tab: Tab;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(async () => dashboard.stop());
beforeEach(async () => {
  tab = await dashboard.open();
  await tab.signIn(tokenFor({ [dashboard.team]: importing, [other]: importing }));
  await tab.goTo(`teams/${dashboard.team}/try`);
});
afterEach(async () => tab.close());

const field = () => tab.page.getByLabel('Key', { exact: true });
const tryIt = () => tab.page.getByRole('button', { name: 'Try it' }).click();
const accepted = () => tab.page.getByText('The request is accepted');

async function importKey(secret: string, prefix: string | null = null): Promise<void> {
  await callGraphQL(
    dashboard.service,
    tokenFor({ [dashboard.team]: importing }),
    'mutation ($t: UUID!, $k: [ImportKeyInput!]!) { importKeys(teamId: $t, keys: $k) { results { outcome } } }',
    {
      t: dashboard.team,
      k: [{ digest: createHash('sha256').update(secret).digest('hex'), name: 'Imported', env: 'live', prefix }],
    },
  );
}

it.each(['sk_live_4fJx', 'sk_live_4fJx81Qz90ab', 'sk_live_4fJx81Qz90abcdef'])(
  'an imported prefix of any length is found: %s',
  async (prefix) => {
    await importKey(`the secret of ${prefix}`.replaceAll(' ', '-'), prefix);
    await field().fill(prefix);
    await tryIt();
    await accepted().waitFor();
  },
);

it('an imported key of 1,000 characters, or one that looks like a prefix, is tried as a whole', async () => {
  for (const secret of ['k'.repeat(1000), 'pk_live_0123456789abcdef']) {
    await importKey(secret);
    await field().fill(secret);
    await tryIt();
    await accepted().waitFor();
    await field().fill('');
  }
});

it('a verdict disappears when an input or the team changes, also one that arrives later', async () => {
  const { page } = tab;
  const { prefix } = await createKey(dashboard, { name: 'Of the first team' });
  await field().fill(prefix);
  await tryIt();
  await accepted().waitFor();
  await page.getByLabel('Source').fill('192.0.2.1');
  await accepted().waitFor({ state: 'detached' });
  await tryIt();
  await accepted().waitFor();

  const { answer } = await holdOperation(tab, 'ExplainVerification');
  await tryIt();
  await page.getByLabel('Environment').selectOption('test');
  const response = page.waitForResponse((one) => one.request().postData()?.includes('ExplainVerification') === true);
  await answer();
  await (await response).finished();
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  expect(await page.getByText(/The request is (accepted|rejected)/).count()).toBe(0);
  await page.getByLabel('Environment').selectOption('live');

  await tryIt();
  await accepted().waitFor();
  await tab.goTo(`teams/${other}/try`);
  await expect.poll(() => field().inputValue()).toBe('');
  expect(await page.getByText(/The request is (accepted|rejected)/).count()).toBe(0);
});

it('scopes and a signed request are inputs, and a signature is explained', async () => {
  const { page } = tab;
  const { prefix } = await createKey(dashboard, { name: 'Scoped', scopes: ['orders:read'], signing: true });
  await field().fill(prefix);
  await page.getByRole('combobox', { name: 'Scopes' }).fill('orders:write ');
  await tryIt();
  await page.getByRole('row', { name: /^Scopes failed/ }).waitFor();
  await page.getByLabel('The request is signed').check();
  await page.getByLabel('URL').fill('https://api.example.com/orders?limit=5');
  await page.getByLabel('Headers').fill('not a header');
  await tryIt();
  await page.getByText('One header per line').waitFor();
  await page.getByLabel('Headers').fill('Signature-Input: sig1=("@method")\nSignature: sig1=:AAAA:');
  await tryIt();
  await page.getByText('The signature check').getByText('COMPONENTS').waitFor();
});
