/** A secret that the page of a key issues is shown to its user, whatever happens meanwhile, and ends no other by accident. */
import { expect, it } from 'vitest';
import { both, holdOperation, Signal, tokenFor } from './support/dashboard.ts';
import { signedInUser } from './support/test.ts';

const user = signedInUser({ permissions: both });
const { button, goTo, create, call, verdict, rotate } = user;

const dialog = (name: string) => user.page.getByRole('dialog', { name, exact: true });
const part = (name: string) => user.page.getByRole('tab', { name, exact: true });
const secret = () => user.page.getByTestId('secret');
const open = async (id: string, part = 'settings') => goTo(`keys/${id}?part=${part}`);

interface Issue {
  readonly name: string;
  readonly operation: string;
  readonly part: string;
  readonly start: () => Promise<void>;
}

const issues: readonly Issue[] = [
  { name: 'a new secret', operation: 'RotateKey', part: 'Rotate', start: async () => button('Rotate').click() },
  {
    name: 'a signing secret',
    operation: 'EnableSigning',
    part: 'Settings',
    start: async () => {
      await button('Enable signing').click();
      await dialog('Require signed requests?').getByRole('button', { name: 'Enable signing' }).click();
    },
  },
];

it.each(issues)('asks before $name is lost by leaving from another tab of the page', async ({ part: name, start }) => {
  const { id } = await create();
  await open(id);
  await part(name).click();
  await start();
  const shown = await secret().textContent();
  await part('History').click();
  await user.page.getByRole('article', { name: 'Created' }).waitFor();
  await user.page.getByRole('link', { name: 'Overview' }).click();
  await dialog('Leave without the secret?').getByRole('button', { name: 'Stay' }).click();
  await part(name).click();
  expect(await secret().textContent()).toBe(shown);
});

it('shows a new secret that was issued while another tab of the page was shown', async () => {
  const { id } = await create();
  await open(id, 'rotate');
  const { answer } = await holdOperation(user.tab, 'RotateKey');
  await button('Rotate').click();
  await part('History').click();
  const response = user.page.waitForResponse((one) => one.request().postData()?.includes('RotateKey') === true);
  await answer();
  await (await response).finished();
  await part('Rotate').click();
  expect(await verdict({ key: await secret().textContent() })).toBe('VALID');
});

it('a chart that can’t be loaded does not hide the page with a secret, and is loaded by trying again', async () => {
  const { page, context } = user;
  const { id, secret: old } = await create();
  await verdict({ key: old });
  await context.route(/\/assets\/usage-chart-.*\.js$/, (route) => route.fulfill({ status: 404, body: '' }));
  await open(id, 'rotate');
  await button('Rotate').click();
  const shown = await secret().textContent();
  await part('Use').click();
  await page.getByText('The chart could not be loaded').waitFor({ timeout: 40_000 });
  await page.getByRole('table', { name: 'Verifications by verdict' }).waitFor();
  await context.unroute(/\/assets\/usage-chart-.*\.js$/);
  await button('Try again').click();
  await page.getByRole('figure', { name: /Verifications by verdict/ }).waitFor();
  await part('Rotate').click();
  expect(await secret().textContent()).toBe(shown);
});

it('a session that ends does not cover a secret: the user can sign in later', async () => {
  const { page, context } = user;
  const { id } = await create();
  await open(id, 'rotate');
  await button('Rotate').click();
  await secret().waitFor();
  let isExpired = true;
  await context.route('**/graphql', (route) => {
    if (!isExpired) return route.continue();
    const error = { message: 'The session token has expired.', extensions: { code: 'UNAUTHENTICATED' } };
    return route.fulfill({ status: 401, json: { errors: [error] } });
  });
  await dialog('Sign in again').getByRole('button', { name: 'Not now' }).click();
  await page.getByLabel('I have saved it').check();
  await page.getByText('Your session has ended').waitFor();
  isExpired = false;
  await button('Sign in').click();
  await dialog('Sign in again')
    .getByLabel('Session token', { exact: true })
    .fill(tokenFor({ [user.dashboard.team]: both }));
  await dialog('Sign in again').getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Your session has ended').waitFor({ state: 'detached' });
  await secret().waitFor();
});

it('a change that waits for a session ends when the user does not sign in, and is not made later', async () => {
  const { page, context } = user;
  const { id, secret: current } = await create();
  await open(id, 'rotate');
  await button('Rotate').waitFor();
  let isExpired = true;
  await context.route('**/graphql', (route) => {
    if (!isExpired) return route.continue();
    const error = { message: 'The session token has expired.', extensions: { code: 'UNAUTHENTICATED' } };
    return route.fulfill({ status: 401, json: { errors: [error] } });
  });
  await button('Rotate').click();
  await dialog('Sign in again').getByRole('button', { name: 'Not now' }).click();
  await page.getByText('The session ended before').waitFor();
  isExpired = false;
  await page.getByRole('status').getByRole('button', { name: 'Sign in' }).click();
  await dialog('Sign in again')
    .getByLabel('Session token', { exact: true })
    .fill(tokenFor({ [user.dashboard.team]: both }));
  await dialog('Sign in again').getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Your session has ended').waitFor({ state: 'detached' });
  await button('Rotate').waitFor();
  const { key } = await call('query ($id: UUID!) { key(id: $id) { previousPrefix } }', { id });
  expect(key.previousPrefix).toBeNull();
  expect(await verdict({ key: current })).toBe('VALID');
});

it('a rotation during an overlap says which secret it ends, and when that was last used, before it does', async () => {
  const { page } = user;
  const { id, prefix, secret: first } = await create();
  expect(await verdict({ key: first })).toBe('VALID');
  const second = await rotate(id);
  await open(id, 'rotate');
  await button('Rotate…').click();
  const question = dialog('Rotate during the overlap?');
  await question.getByText(prefix).waitFor();
  await question.getByText('It was last used').waitFor({ timeout: 30_000 });
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await verdict({ key: first })).toBe('VALID');
  await button('Rotate…').click();
  await question.getByRole('button', { name: 'Rotate and end the previous secret' }).click();
  const third = await secret().textContent();
  await page.getByLabel('I have saved it').check();
  const verdicts = [first, second, third].map((key) => verdict({ key }));
  expect(await Promise.all(verdicts)).toEqual(['ROTATED', 'VALID', 'VALID']);
});

it('a signing secret is rotated with an overlap of a day, and none or a running one is warned of', async () => {
  const { page } = user;
  const { id } = await create({ signing: true });
  await open(id);
  await button('Rotate the secret').click();
  const question = dialog('Replace the signing secret?');
  const overlap = question.getByLabel('Accept the current signing secret for');
  expect(await overlap.inputValue()).toBe('86400');
  await overlap.selectOption('0');
  await question.getByText('are rejected as soon as you rotate').waitFor();
  await overlap.selectOption('3600');
  await question.getByRole('button', { name: 'Rotate the secret' }).click();
  await page.getByLabel('I have saved it').check();
  await page.getByText('The previous signing secret is accepted too. It ends').waitFor();
  await button('Done').click();
  await button('Rotate the secret').click();
  await question.getByText('The overlap of the last rotation has not ended').waitFor();
});

it('a signing secret that another user has rotated meanwhile is not rotated again', async () => {
  const { page } = user;
  const { id } = await create({ signing: true });
  await open(id);
  await button('Rotate the secret').click();
  await call('mutation ($id: UUID!) { rotateSigningSecret(id: $id, overlapSeconds: 3600) { signingSecret } }', { id });
  await dialog('Replace the signing secret?').getByRole('button', { name: 'Rotate the secret' }).click();
  await page.getByText('nothing was rotated').waitFor();
  await page.getByText('The previous signing secret is accepted too. It ends').waitFor();
  expect(await secret().count()).toBe(0);
});

it('the command that verifies a new secret is shown only if it works, and can be copied', async () => {
  const { page } = user;
  const commands = page.getByText('To verify it from a terminal');
  const { id } = await create();
  await open(id, 'rotate');
  await button('Rotate').click();
  await commands.waitFor();
  await button('Copy the command').waitFor();
  await page.getByLabel('I have saved it').check();
  for (const input of [{ signing: true }, { allowedIps: ['10.0.0.1'] }]) {
    const restricted = await create(input);
    await open(restricted.id, 'rotate');
    await button('Rotate').click();
    await secret().waitFor();
    expect(await commands.count()).toBe(0);
    await page.getByLabel('I have saved it').check();
  }
  await goTo(`keys/new?name=Copied`);
  await button('Create').click();
  await button('Copy the command').waitFor();
});

it('what the watch of an overlap reads, such as its end by another user, the whole page shows', async () => {
  const { page } = user;
  const { id } = await create();
  await rotate(id);
  await open(id, 'rotate');
  await page.getByText('It is accepted beside the new one').waitFor();
  await call('mutation ($id: UUID!) { endOverlap(id: $id) { apiKey { id } } }', { id });
  await page.getByText('It is not accepted anymore').waitFor();
});

it('a read that was sent before a change does not overwrite it', async () => {
  const { page } = user;
  const { id } = await create({ name: 'Read early' });
  await open(id);
  await page.getByLabel('Reason').waitFor();
  let isRead = false;
  const released = new Signal();
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('OneKey') !== true) return route.fallback();
    const response = await route.fetch();
    isRead = true;
    await released.sent;
    await route.fulfill({ response }).catch(() => undefined);
  });
  // The page reads the key again when its window gets the focus, if what it has is older than five seconds.
  await expect
    .poll(
      async () => {
        await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
        return isRead;
      },
      { timeout: 20_000, interval: 500 },
    )
    .toBe(true);
  await button('Disable').click();
  await button('Enable').waitFor();
  released.send();
  await part('History').click();
  await page.getByRole('article', { name: 'Disabled' }).waitFor();
  await part('Settings').click();
  await button('Enable').waitFor();
});
