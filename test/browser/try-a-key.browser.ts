/** “Try a key” takes every key, and never shows a verdict for other inputs than those on the page. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { holdOperation, nextFrame, tokenFor } from './support/dashboard.ts';
import { all, it as base } from './support/test.ts';

const other = '6b5dbd5b-6ee6-4a6e-9d1c-1d0ac0f4a1b2';
const it = base
  .override('token', ({ dashboard }) => tokenFor({ [dashboard.team]: all, [other]: all }))
  .extend('field', async ({ page, goTo }) => {
    await goTo('try');
    return page.getByLabel('Key', { exact: true });
  })
  .extend(
    'tryIt',
    ({ button }) =>
      async () =>
        await button('Try it').click(),
  )
  .extend('accepted', ({ page }) => page.getByText('The request is accepted'))
  .extend('importKey', ({ call, dashboard }) => async (secret: string, prefix: string | null = null) => {
    const digest = createHash('sha256').update(secret).digest('hex');
    await call(
      'mutation ($t: UUID!, $k: [ImportKeyInput!]!) { importKeys(teamId: $t, keys: $k) { results { outcome } } }',
      { t: dashboard.team, k: [{ digest, name: 'Imported', env: 'live', prefix }] },
    );
  });

it('an imported key is found by a prefix of any length, and by a long secret or one that looks like a prefix', async ({
  dashboard,
  field,
  tryIt,
  accepted,
  importKey,
}) => {
  const prefixes = ['sk_live_4fJx', 'sk_live_4fJx81Qz90ab', 'sk_live_4fJx81Qz90abcdef'];
  for (const prefix of prefixes) await importKey(`the-secret-of-${prefix}-${dashboard.team}`, prefix);
  const unique = dashboard.team.replaceAll('-', '');
  const secrets = [unique.padEnd(1000, 'k'), `pk_live_${unique.slice(0, 16)}`];
  for (const secret of secrets) await importKey(secret);
  for (const text of [...prefixes, ...secrets]) {
    await field.fill(text);
    await tryIt();
    await accepted.waitFor();
    await field.fill('');
    await accepted.waitFor({ state: 'detached' });
  }
});

it('a verdict disappears when an input or the team changes, also one that arrives later', async ({
  tab,
  page,
  field,
  tryIt,
  accepted,
  create,
}) => {
  const { prefix } = await create({ name: 'Of the first team' });
  await field.fill(prefix);
  await tryIt();
  await accepted.waitFor();
  await page.getByLabel('Source').fill('192.0.2.1');
  await accepted.waitFor({ state: 'detached' });
  await tryIt();
  await accepted.waitFor();

  const { answer } = await holdOperation(tab, 'ExplainVerification');
  await tryIt();
  await page.getByLabel('Environment').selectOption('test');
  const response = page.waitForResponse((one) => one.request().postData()?.includes('ExplainVerification') === true);
  await answer();
  await (await response).finished();
  await nextFrame(page);
  expect(await page.getByText(/The request is (accepted|rejected)/).count()).toBe(0);
  await page.getByLabel('Environment').selectOption('live');

  await tryIt();
  await accepted.waitFor();
  await tab.goTo(`teams/${other}/try`);
  await expect.poll(() => field.inputValue()).toBe('');
  expect(await page.getByText(/The request is (accepted|rejected)/).count()).toBe(0);
});

it('scopes and a signed request are inputs, and a signature is explained', async ({ page, field, tryIt, create }) => {
  const { prefix } = await create({ name: 'Scoped', scopes: ['orders:read'], signing: true });
  await field.fill(prefix);
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
