/** Everything that is submitted is submitted once, and a submit that failed is seen. */
import { expect, it } from 'vitest';
import { inDays } from './support/dashboard.ts';
import { all, userOf } from './support/test.ts';

const user = userOf({ permissions: all, tab: { viewport: { width: 1280, height: 600 } } });
const { goTo, create, verdict, update, rotate, hold, callsOf, focused, sees } = user;
const isOver = user.dialogCloses;

const button = (name: string) => user.button(name).last();
const open = async (id: string, part = 'settings') => goTo(`keys/${id}?part=${part}`);
const secret = () => user.page.getByTestId('secret');
const saved = () => user.page.getByText('Saved: ').first().waitFor();

/** Presses a button that opens a dialog, and waits until the dialog stands still. */
async function ask(name: string): Promise<void> {
  await button(name).click();
  await user.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click({ trial: true });
}

async function openKey(part: string, input: object = {}): Promise<string> {
  const { id } = await create(input);
  await open(id, part);
  await user.page.getByRole('tab', { name: 'History' }).waitFor();
  return id;
}

interface Submit {
  readonly name: string;
  readonly operation: string;
  /** Does what comes before the button. */
  readonly prepare: () => Promise<unknown>;
  readonly press: string;
  /** Waits for what the user sees when it has succeeded. Default: its dialog closes. */
  readonly done?: () => Promise<unknown>;
}

const showsSecret = () => secret().waitFor();

const submits: readonly Submit[] = [
  {
    name: 'the creation of a key',
    operation: 'CreateKey',
    prepare: async () => {
      await goTo('keys/new');
      await user.page.getByRole('textbox', { name: 'Name' }).fill('Once');
    },
    press: 'Create',
    done: showsSecret,
  },
  {
    name: 'a rotation',
    operation: 'RotateKey',
    prepare: () => openKey('rotate'),
    press: 'Rotate',
    done: showsSecret,
  },
  {
    name: 'a rotation without an overlap',
    operation: 'RotateKey',
    prepare: async () => {
      await openKey('rotate');
      await user.page.getByLabel('Accept the current secret for').selectOption('0');
      await ask('Rotate…');
    },
    press: 'Rotate without an overlap',
    done: showsSecret,
  },
  {
    name: 'the end of an overlap',
    operation: 'EndOverlap',
    prepare: async () => {
      const { id } = await create();
      await rotate(id);
      await open(id, 'rotate');
      await ask('End the overlap…');
    },
    press: 'End the overlap',
  },
  {
    name: 'the start of request signing',
    operation: 'EnableSigning',
    prepare: async () => {
      await openKey('access');
      await ask('Enable signing');
    },
    press: 'Enable signing',
    done: showsSecret,
  },
  {
    name: 'the details of a key',
    operation: 'UpdateKey',
    prepare: async () => {
      await openKey('settings');
      await user.page.getByRole('textbox', { name: 'Name' }).fill('Another name');
    },
    press: 'Save details',
    done: saved,
  },
  {
    name: 'the allowed sources of a key',
    operation: 'UpdateKey',
    prepare: async () => {
      await openKey('access');
      await user.page.getByLabel('Sources that can use the key').fill('10.0.0.0/8');
    },
    press: 'Save sources',
    done: saved,
  },
  {
    name: 'the removal of all allowed sources',
    operation: 'UpdateKey',
    prepare: async () => {
      await openKey('access', { allowedIps: ['10.0.0.0/8'] });
      await user.page.getByLabel('Sources that can use the key').fill('');
      await ask('Save sources');
    },
    press: 'Allow every source',
  },
  {
    name: 'the disabling of a key',
    operation: 'DisableKey',
    prepare: async () => {
      await openKey('settings');
      await ask('Disable');
    },
    press: 'Disable',
    done: () => button('Enable').waitFor(),
  },
  {
    name: 'the revocation of a key',
    operation: 'RevokeKey',
    prepare: async () => {
      const { id, prefix } = await create();
      await open(id);
      await ask('Revoke…');
      await user.page.getByLabel('To continue, type').fill(prefix);
    },
    press: 'Revoke permanently',
    done: () => sees('A revoked key can’t be changed.'),
  },
  {
    name: 'the dry run of an import',
    operation: 'ImportKeys',
    prepare: async () => {
      await goTo('import');
      const line = { digest: `sha256:${'ab'.repeat(32)}`, name: 'Imported' };
      await user.page.getByLabel('Or paste the lines').fill(JSON.stringify(line));
    },
    press: 'Dry run',
    done: () => button('Import 1 key').waitFor(),
  },
  {
    name: 'the trial of a key',
    operation: 'ExplainVerification',
    prepare: async () => {
      await goTo('try');
      await user.page.getByLabel('Key', { exact: true }).fill('lk_live_that_is_cut_off_somewhere');
    },
    press: 'Try it',
    done: () => sees('MALFORMED'),
  },
  {
    name: 'a sign-in',
    operation: '/session/viewer',
    prepare: async () => {
      await button('Session').click();
      await button('Sign out').click();
      await user.page.getByLabel('Session token').fill(user.token());
    },
    press: 'Sign in',
    done: () => user.heading('Keys'),
  },
];

/**
 * Clicks twice before the page can render, and again and again between the arrival of the answer and its rendering. A
 * page that is busy handles the clicks of a user in this order.
 */
const clickWhileBusy = (element: Clickable) => {
  const call = globalThis.fetch;
  globalThis.fetch = async (...request) => {
    const response = await call(...request);
    const json = response.json.bind(response);
    const answerAndClick = async () => {
      const answer: unknown = await json();
      void (async () => {
        for (let turn = 0; turn < 200; turn += 1) {
          await null;
          if (element.isConnected) element.click();
        }
      })();
      return answer;
    };
    return Object.assign(response, { json: answerAndClick });
  };
  element.click();
  element.click();
};

/** An element of the page. The types of browsers are not those of the tests. */
interface Clickable {
  readonly isConnected: boolean;
  readonly click: () => void;
}

const failure = { message: 'The store is not available.', extensions: { code: 'UNAVAILABLE' } };

/** Where the error is shown: close above a button, and whether the user sees it. */
async function errorNear(name: string) {
  const [alert, pressed] = await Promise.all([user.page.getByRole('alert').boundingBox(), button(name).boundingBox()]);
  if (alert === null || pressed === null) throw new Error('both are shown');
  return {
    isBeside: pressed.y >= alert.y + alert.height && pressed.y - alert.y - alert.height < 40,
    isSeen: alert.y >= 0 && alert.y + alert.height <= 600,
  };
}

it.each(submits)(
  'the error of $name is beside its button, which keeps the focus, and clicks of a user on a busy page send it once',
  async ({ operation, prepare, press, done = isOver }) => {
    await prepare();
    // The errors of an import are part of its report.
    if (operation !== 'ImportKeys') {
      const recover = await user.fail(operation, failure);
      await button(press).click();
      await user.page.getByRole('alert').getByText(failure.message).waitFor();
      // The dialog can still be moving.
      await expect.poll(() => errorNear(press)).toEqual({ isBeside: true, isSeen: true });
      expect(await focused()).toBe(press);
      await recover();
    }
    const calls = callsOf(operation);
    await button(press).evaluate(clickWhileBusy);
    await done();
    expect(calls).toHaveLength(1);
    if (await secret().isVisible()) await user.page.getByLabel('I have stored it').check();
  },
);

it('a double click on Disable does not enable the key again, and the reason is part of the history', async () => {
  await openKey('settings');
  await ask('Disable');
  await user.page.getByLabel('Reason').fill('As planned');
  const sent: string[] = [];
  user.page.on('request', (request) => sent.push(/mutation (\w+)/.exec(request.postData() ?? '')?.[1] ?? ''));
  await button('Disable').dblclick();
  await button('Enable').waitFor();
  expect(sent.filter((name) => name !== '')).toEqual(['DisableKey']);
  await user.page.getByRole('tab', { name: 'History' }).click();
  await user.page.getByRole('rowgroup', { name: 'Disabled' }).getByText('Reason: “As planned”').waitFor();
});

it('a rotation without an overlap is made only once the user has confirmed it', async () => {
  const { page } = user;
  const { id, secret: current } = await create();
  await open(id, 'rotate');
  await page.getByLabel('Accept the current secret for').selectOption('0');
  await ask('Rotate…');
  const dialog = page.getByRole('dialog', { name: 'Rotate without an overlap?' });
  await dialog.getByText('Clients that use the current secret are rejected as soon as you rotate.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await isOver();
  expect(await verdict({ key: current })).toBe('VALID');
  await ask('Rotate…');
  await dialog.getByRole('button', { name: 'Rotate without an overlap' }).click();
  expect(await verdict({ key: await secret().textContent() })).toBe('VALID');
  expect(await verdict({ key: current })).not.toBe('VALID');
  await page.getByLabel('I have stored it').check();
});

it('two keys are renewed one after the other, and meanwhile the list shows that the second one has to wait', async () => {
  const { page } = user;
  for (const name of ['First', 'Second']) await create({ name, expiresAt: inDays(5) });
  // Another list than the one after the sign-in.
  await goTo(`keys?sort=NAME`);
  const second = page.getByRole('button', { name: 'Renew Second' });
  await second.waitFor();
  const { answer } = await hold('ChangeKeys');
  await page.getByRole('button', { name: 'Renew First' }).click();
  await expect.poll(() => second.getAttribute('aria-disabled')).toBe('true');
  await answer();
  await page.getByRole('button', { name: 'Renew First' }).waitFor({ state: 'detached' });
  await expect.poll(() => second.getAttribute('aria-disabled')).toBe('false');
  await second.click();
  await second.waitFor({ state: 'detached' });
});

it('the error of a conflict’s resolution is in the dialog that asked for it, which can be tried again', async () => {
  const { page } = user;
  const id = await openKey('settings');
  await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
  await update(id, { name: 'Theirs' });
  await button('Save details').click();
  await button('Continue editing').click({ trial: true });
  const recover = await user.fail('UpdateKey', failure);
  await button('Save mine over theirs').click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await expect.poll(async () => (await errorNear('Save mine over theirs')).isBeside).toBe(true);
  await recover();
  await button('Save mine over theirs').click();
  await saved();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Mine');
});

/** The name of the field that has the focus. */
const focusedField = () => focused('labels?.[0]?.textContent.replace(" *", "")');

const mistakes = [
  {
    name: 'a key without a name',
    make: async () => {
      await goTo('keys/new');
      await button('More settings').click();
      await user.page.getByLabel('Metadata', { exact: true }).fill('[');
    },
    press: 'Create',
    field: 'Name',
  },
  {
    name: 'sources with one that is not an address',
    make: async () => {
      await openKey('access');
      await user.page.getByLabel('Sources that can use the key').fill('10.0.0.0/8\n999.1.1.1');
    },
    press: 'Save sources',
    field: 'Sources that can use the key',
  },
  {
    name: 'the trial of no key',
    make: async () => {
      await goTo('try');
      await user.page.getByLabel('Source', { exact: true }).fill('nowhere');
    },
    press: 'Try it',
    field: 'Key',
  },
  {
    name: 'a sign-in with something that is not a token',
    make: async () => {
      await button('Session').click();
      await button('Sign out').click();
      await user.page.getByLabel('Session token').fill('not a token');
    },
    press: 'Sign in',
    field: 'Session token',
  },
];

it.each(mistakes)('$name puts the focus into its first invalid field, where the user sees it', async (mistake) => {
  const { make, press, field } = mistake;
  await make();
  await button(press).click();
  await expect.poll(focusedField).toBe(field);
  const box = await user.page.locator(':focus').boundingBox();
  expect(box?.y).toBeGreaterThanOrEqual(0);
  expect(box?.y).toBeLessThan(600);
});

const rejections = [
  { part: 'settings', edited: 'External ID', press: 'Save labels', rejected: 'tags[0]', field: 'Tags' },
  {
    part: 'access',
    edited: 'Sources that can use the key',
    press: 'Save sources',
    rejected: 'allowedIps[0]',
    field: 'Sources that can use the key',
  },
];

it.each(rejections)('a field that the server rejects gets the focus: $field', async (rejection) => {
  const { part, edited, press, rejected, field } = rejection;
  await openKey(part);
  await user.page.getByRole('textbox', { name: edited }).fill('10.0.0.7');
  const errors = [{ field: rejected, message: 'must be another one' }];
  await user.fail('UpdateKey', {
    message: 'Some fields are not valid.',
    extensions: { code: 'BAD_USER_INPUT', errors },
  });
  await button(press).click();
  await sees('must be another one');
  await expect.poll(focusedField).toBe(field);
  expect(await user.page.getByRole('alert').count()).toBe(0);
});
