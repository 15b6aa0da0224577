/** “Try a key” takes every key, and never shows a verdict for other inputs than those on the page. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createKey, nextFrame } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const other = '91f45fe2-6f45-48df-87a5-1a1d0b86e889';
const user = userOf({ otherTeams: [other] });
const { goTo, create, call, hold, sees } = user;

const field = () => user.page.getByLabel('Key', { exact: true });
const tryIt = () => user.button('Try it').click();
const accepted = () => user.page.getByText('The request is accepted');

async function importKey(secret: string, prefix: string | null = null): Promise<void> {
  const digest = createHash('sha256').update(secret).digest('hex');
  await call(
    'mutation ($t: UUID!, $k: [ImportKeyInput!]!) { importKeys(teamId: $t, keys: $k) { results { outcome } } }',
    { t: user.dashboard.team, k: [{ digest, name: 'Imported', env: 'live', prefix }] },
  );
}

it('tries a key: each check and why, without counting as use', async () => {
  const { page } = user;
  const { secret, prefix } = await create({ name: 'Tried', env: 'test' });
  await goTo('try');
  await field().fill(secret);
  await page.getByLabel('Environment').selectOption('live');
  await page.getByLabel('Source').fill('not an address');
  await tryIt();
  await sees('This is not an IP address.');
  await user.button('From my address, 127.0.0.1').click();
  await tryIt();
  await sees('The request is rejected');
  await sees('WRONG_ENVIRONMENT');
  await page.getByRole('row', { name: /^Environment failed/ }).waitFor();
  await field().fill(prefix);
  await page.getByLabel('Environment').selectOption('test');
  await tryIt();
  await accepted().waitFor();
  await page.getByRole('link', { name: 'Tried' }).click();
  await sees('Never used');
  expect(user.tab.urls.filter((url) => url.includes(secret))).toEqual([]);
});

it('finds imported keys by prefixes of any length, and by any secret', async () => {
  await goTo('try');
  const prefixes = ['acme_Nuz1', 'sk_live_4fJx', 'sk_live_81Qz90ab'];
  for (const prefix of prefixes) await importKey(`the-secret-of-${prefix}-${user.dashboard.team}`, prefix);
  const unique = user.dashboard.team.replaceAll('-', '');
  const secrets = [unique.padEnd(1000, 'k'), `pk_live_${unique.slice(0, 16)}`];
  for (const secret of secrets) await importKey(secret);
  for (const text of [...prefixes, ...secrets]) {
    await field().fill(text);
    await tryIt();
    await accepted().waitFor();
    await field().fill('');
    await accepted().waitFor({ state: 'detached' });
  }
});

it('finds the key to try as a search does: in a line of a log, by its id, in another team, or says why not', async () => {
  const { page } = user;
  const { id, prefix } = await create({ name: 'Looked for' });
  const theirs = await createKey({ service: user.dashboard.service, team: other }, { name: 'Of the others' });
  await goTo('try');
  for (const text of [
    `{"key":"${prefix.toUpperCase()}"}`,
    `code=DISABLED keyId=${id}`,
    id.replaceAll('-', ''),
    'Looked for',
  ]) {
    await field().fill(text);
    await tryIt();
    await page.getByRole('link', { name: 'Looked for' }).waitFor();
    await accepted().waitFor();
    await field().fill('');
    await accepted().waitFor({ state: 'detached' });
  }
  await field().fill(`key: ${theirs.prefix}`);
  await tryIt();
  await page.getByText(`found in the team ${other}`).waitFor();
  await field().fill('lk_live_00000000');
  await tryIt();
  await page.getByText('No key of your teams has a prefix that is lk_live_00000000.').waitFor();
});

it('a verdict disappears when an input or the team changes', async () => {
  await goTo('try');
  const { prefix } = await create({ name: 'Of the first team' });
  await field().fill(prefix);
  await tryIt();
  await accepted().waitFor();
  await user.page.getByLabel('Source').fill('192.0.2.1');
  await accepted().waitFor({ state: 'detached' });
  await tryIt();
  await accepted().waitFor();

  const { answer } = await hold('ExplainVerification');
  await tryIt();
  await user.page.getByLabel('Environment').selectOption('test');
  const response = user.page.waitForResponse(
    (one) => one.request().postData()?.includes('ExplainVerification') === true,
  );
  await answer();
  await (await response).finished();
  await nextFrame(user.page);
  expect(await user.page.getByText(/The request is (accepted|rejected)/).count()).toBe(0);
  await user.page.getByLabel('Environment').selectOption('live');

  await tryIt();
  await accepted().waitFor();
  await user.tab.goTo(`teams/${other}/try`);
  await expect.poll(() => field().inputValue()).toBe('');
  expect(await user.page.getByText(/The request is (accepted|rejected)/).count()).toBe(0);
});

it('scopes and a signed request are inputs, and a signature is explained', async () => {
  await goTo('try');
  const { prefix } = await create({ name: 'Scoped', scopes: ['orders:read'], signing: true });
  await field().fill(prefix);
  await user.page.getByRole('combobox', { name: 'Scopes' }).fill('orders:write ');
  await tryIt();
  await user.page.getByRole('row', { name: /^Scopes failed/ }).waitFor();
  await user.page.getByLabel('The request is signed').check();
  await user.page.getByLabel('URL').fill('https://api.example.com/orders?limit=5');
  await user.page.getByLabel('Headers').fill('not a header');
  await tryIt();
  await user.page.getByText('One header per line').waitFor();
  await user.page.getByLabel('Headers').fill('Signature-Input: sig1=("@method")\nSignature: sig1=:AAAA:');
  await tryIt();
  await user.page.getByText('The signature check').getByText('COMPONENTS').waitFor();
});
