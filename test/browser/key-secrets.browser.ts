/** A secret that the page of a key issues is shown to its user, whatever happens meanwhile, and ends no other by accident. */
import { expect, it } from 'vitest';
import { Signal } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const user = userOf();
const { button, goTo, create, call, mutate, verdict, rotate, dialog, sees, expire, signInAgain } = user;

const part = (name: string) => user.page.getByRole('tab', { name, exact: true });
const secret = () => user.page.getByTestId('secret');
const save = () => user.page.getByLabel('I have stored it').check();
const open = async (id: string, tab = 'access') => goTo(`keys/${id}?tab=${tab}`);

it('a chart that can’t be loaded does not hide the page with a secret, and is loaded by trying again', async () => {
  const { page, context } = user;
  const { id, secret: old } = await create();
  await verdict({ key: old });
  const chart = /\/assets\/usage-chart-.*\.js$/;
  await context.route(chart, (route) => route.fulfill({ status: 404, body: '' }));
  await open(id, 'rotation');
  await button('Rotate').click();
  const shown = await secret().textContent();
  await part('Overview').click();
  await page.getByText('The chart could not be loaded').waitFor();
  await page.getByRole('table', { name: 'Verifications by verdict' }).waitFor();
  await context.unroute(chart);
  await button('Try again').click();
  await page.getByRole('figure', { name: /Verifications by verdict/ }).waitFor();
  await part('Rotation').click();
  expect(await secret().textContent()).toBe(shown);
});

it('a session that ends does not cover a secret: the user can sign in later', async () => {
  const { id } = await create();
  await open(id, 'rotation');
  await button('Rotate').click();
  await secret().waitFor();
  const recover = await expire('KeyRotation');
  await dialog('Sign in again').getByRole('button', { name: 'Not now' }).click();
  await save();
  await sees('Your session has ended');
  await recover();
  await button('Sign in').click();
  await signInAgain();
  await user.page.getByText('Your session has ended').waitFor({ state: 'detached' });
  await secret().waitFor();
});

it('a change that waits for a session ends when the user does not sign in, and is not made later', async () => {
  const { page } = user;
  const { id, secret: current } = await create();
  await open(id, 'rotation');
  await button('Rotate').waitFor();
  const recover = await expire('RotateKey');
  await button('Rotate').click();
  await dialog('Sign in again').getByRole('button', { name: 'Not now' }).click();
  await sees('The session ended before');
  await recover();
  await page.getByRole('status').getByRole('button', { name: 'Sign in' }).click();
  await signInAgain();
  await page.getByText('Your session has ended').waitFor({ state: 'detached' });
  await button('Rotate').waitFor();
  const { key } = await call('query ($id: UUID!) { key(id: $id) { previousPrefix } }', { id });
  expect(key.previousPrefix).toBeNull();
  expect(await verdict({ key: current })).toBe('VALID');
});

it('a rotation during an overlap says which secret it ends, and when that was last used, before it does', async () => {
  const { id, prefix, secret: first } = await create();
  expect(await verdict({ key: first })).toBe('VALID');
  const second = await rotate(id);
  await open(id, 'rotation');
  await button('Rotate…').click();
  const question = dialog('Rotate during the overlap?');
  await question.getByText(prefix).waitFor();
  await question.getByText('It was last used').waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await verdict({ key: first })).toBe('VALID');
  await button('Rotate…').click();
  await question.getByRole('button', { name: 'Rotate anyway' }).click();
  const third = await secret().textContent();
  await save();
  expect(await Promise.all([first, second, third].map((key) => verdict({ key })))).toEqual([
    'ROTATED',
    'VALID',
    'VALID',
  ]);
});

it('a secret that another user has rotated meanwhile is not rotated again', async () => {
  const { id } = await create({ signing: true });
  await open(id, 'rotation');
  await button('Rotate').waitFor();
  const theirs = await rotate(id);
  await button('Rotate').click();
  await sees('nothing was rotated');
  expect(await verdict({ key: theirs })).toBe('SIGNATURE_REQUIRED');
  // A rotation that asks first, and whose dialog closes to show what the other session did.
  await user.page.getByLabel('Accept the current signing secret for').selectOption('0');
  await button('Rotate signing secret…').click();
  await mutate(id, 'rotateSigningSecret(id: $id, overlapSeconds: 3600)', 'signingSecret');
  await dialog('Rotate without an overlap?').getByRole('button', { name: 'Rotate without an overlap' }).click();
  await user.dialogCloses();
  await expect.poll(() => user.page.getByText('nothing was rotated').count()).toBe(2);
  await sees('The previous signing secret is accepted too. It ends');
  expect(await secret().count()).toBe(0);
});

it('the examples beside a new secret contain the id of the key and a variable, never the secret', async () => {
  const { page } = user;
  const { id } = await create({ signing: true });
  await open(id, 'rotation');
  await button('Rotate').click();
  const shown = (await secret().textContent()) ?? '';
  for (const name of ['Express', 'Fastify', 'FastAPI', 'Go', 'nginx', 'curl']) {
    await page.getByRole('tab', { name, exact: true }).click();
    await button(`Copy the ${name} example`).click();
    await expect.poll(() => user.clipboard()).toContain(name === 'curl' ? '/v1/keys/self' : '127.0.0.1');
    expect(await user.clipboard()).not.toContain(shown);
  }
  expect(await user.clipboard()).toContain(`# Key ${id} (live)`);
  // The API would reject this call without a signature.
  expect(await user.clipboard()).not.toContain('localhost');
  await save();
});

it('what the watch of an overlap reads, such as its end by another user, the whole page shows', async () => {
  const { id } = await create();
  await rotate(id);
  await open(id, 'rotation');
  await sees('It is accepted beside the new one');
  await mutate(id, 'endOverlap(id: $id)');
  await sees('It is not accepted anymore');
});

it('a read that was sent before a change does not overwrite it', async () => {
  const { page } = user;
  const { id } = await create({ name: 'Read early' });
  await open(id);
  await button('Disable').waitFor();
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
      { interval: 500 },
    )
    .toBe(true);
  await button('Disable').click();
  await dialog('Disable this key?').getByRole('button', { name: 'Disable' }).click();
  await button('Enable').waitFor();
  released.send();
  await part('History').click();
  await page.getByRole('rowgroup', { name: 'Disabled' }).waitFor();
  await button('Enable').waitFor();
});
