/** Fields of tags, scopes and choices: Enter adds an entry, and never submits. */
import { expect, it } from 'vitest';
import { nextFrame } from './support/dashboard.ts';
import { all, userOf } from './support/test.ts';

const user = userOf({ permissions: all });
const { button, goTo, create } = user;

interface Field {
  readonly form: string;
  /** Opens the form, with everything that it needs to be submitted. */
  readonly open: () => Promise<unknown>;
  readonly field: string;
  /** What is typed, before Enter is pressed twice. */
  readonly typed: string;
  readonly pills: readonly string[];
  readonly operation: string;
  readonly submit: string;
}

const fields: readonly Field[] = [
  {
    form: 'the creation of a key',
    open: () => goTo('keys/new?name=Not+yet'),
    field: 'Scopes',
    typed: 'orders:read, orders:write ',
    pills: ['orders:read', 'orders:write'],
    operation: 'CreateKey',
    submit: 'Create',
  },
  {
    form: 'the labels of a key',
    open: async () => goTo(`keys/${(await create()).id}?part=settings`),
    field: 'Tags',
    typed: 'nightly,two words,',
    pills: ['nightly', 'two words'],
    operation: 'UpdateKey',
    submit: 'Save labels',
  },
  {
    form: 'the restrictions of a key',
    open: async () => goTo(`keys/${(await create()).id}?part=access`),
    field: 'Scopes',
    typed: 'orders:read orders:write,',
    pills: ['orders:read', 'orders:write'],
    operation: 'UpdateKey',
    submit: 'Save restrictions',
  },
  {
    form: 'tags of several keys',
    open: async () => {
      await create();
      await goTo('keys?search=A+key');
      await user.page.getByLabel('Select all keys on this page').check();
      await button('Tag…').click();
    },
    field: 'Add tags',
    typed: 'nightly',
    pills: ['nightly'],
    operation: 'ChangeKeys',
    submit: 'Tag 1 key',
  },
  {
    form: 'Try a key',
    open: async () => {
      const { prefix } = await create();
      await goTo('try');
      await user.page.getByLabel('Key', { exact: true }).fill(prefix);
    },
    field: 'Scopes',
    typed: 'orders:read ',
    pills: ['orders:read'],
    operation: 'ExplainVerification',
    submit: 'Try it',
  },
  {
    form: 'a new webhook',
    open: async () => {
      await goTo('webhooks/new');
      await user.page.getByLabel('URL').fill('https://hooks.example.com/latchkey');
    },
    field: 'Events',
    typed: '',
    pills: [],
    operation: 'CreateWebhook',
    submit: 'Create',
  },
];

it.each(fields)('Enter in $field never submits $form', async ({ open, field, typed, pills, operation, submit }) => {
  const { page } = user;
  await open();
  const input = page.getByRole('combobox', { name: field });
  const calls = user.callsOf(operation);
  await input.click();
  await page.keyboard.type(typed);
  for (let i = 0; i < 2; i += 1) await page.keyboard.press('Enter');
  await nextFrame(page);
  expect(await user.focused('role')).toBe('combobox');
  for (const pill of pills) await page.locator('form').getByText(pill, { exact: true }).waitFor();
  expect(await input.inputValue()).toBe('');
  expect(calls).toEqual([]);
  await button(submit).press('Enter');
  await expect.poll(() => calls.length).toBe(1);
});

it('splits pasted scopes at spaces, commas and lines, and says so', async () => {
  const { page } = user;
  await goTo('keys/new');
  const scopes = page.getByRole('combobox', { name: 'Scopes' });
  await scopes.click();
  const calls = user.callsOf('CreateKey');
  await page.evaluate("navigator.clipboard.writeText('a:read b:read,\\tc:read\\nA:read a:read')");
  await page.keyboard.press('Control+V');
  await page.getByText('Press Enter, space or comma after each one.').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('Pasted');
  await button('Create').click();
  await page.getByTestId('secret').waitFor();
  expect(calls).toMatchObject([{ input: { scopes: ['a:read', 'b:read', 'c:read', 'A:read'] } }]);
});
