/** The focus never falls to the body: what appears in place of a focused element takes it. */
import { beforeEach, expect, it } from 'vitest';
import { createKey, inDays } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const otherTeam = '6b5dbd5b-6ee6-4a6e-9d1c-1d0ac0f4a1b2';
const user = userOf({
  otherTeams: [otherTeam],
  tab: { viewport: { width: 1280, height: 500 } },
  prepare: async (dashboard) => {
    for (let i = 0; i < 40; i += 1) await createKey(dashboard, { name: `Key ${i}` });
  },
});
const { goTo, button, create, hold, dialogCloses, sees, focused } = user;

beforeEach(async () => {
  await goTo('keys');
  await user.page.getByRole('link', { name: 'Key 39', exact: true }).waitFor();
});

/** The label of the field or button that has the focus. */
const focusedLabel = () => focused('labels?.[0]?.textContent || document.activeElement.getAttribute("aria-label")');
const select = async (key: string) => {
  // All rows, and so those of the current list.
  await user.page.getByRole('link', { name: 'Key 0', exact: true }).waitFor();
  await user.page.getByLabel(`Select ${key}`).check();
};

/** Presses Enter once a button can be used: forms first wait for the team's policy. */
async function enter(name: string): Promise<void> {
  await expect.poll(() => button(name).isEnabled()).toBe(true);
  await button(name).press('Enter');
}

it('the heading of a key keeps the focus when the key has loaded', async () => {
  const { page } = user;
  const { answer } = await hold('OneKey');
  await page.getByRole('link', { name: 'Key 39', exact: true }).click();
  await expect.poll(focused).toBe('A key');
  await answer();
  await expect.poll(focused).toBe('Key 39');
  await page.getByRole('tab', { name: 'History' }).waitFor();
  expect(await focused()).toBe('Key 39');
});

it('another team or page begins at the top, with the focus on the heading', async () => {
  const { page } = user;
  const scrolledTo = () => page.evaluate<number>('scrollY');
  // Rows below those of the first window follow.
  await page.getByRole('link', { name: 'Key 0', exact: true }).waitFor();
  await page.evaluate('scrollTo(0, 600)');
  await expect.poll(scrolledTo).toBeGreaterThan(300);
  await button('Commands').click();
  await page.getByRole('combobox', { name: 'Command' }).fill('overview');
  await page.keyboard.press('Enter');
  await expect.poll(focused).toBe('Overview');
  await dialogCloses();
  expect(await focused()).toBe('Overview');
  expect(await scrolledTo()).toBe(0);
  // Again and again: the page grows while its parts load.
  const scrolled = async () => {
    await page.evaluate('scrollTo(0, 200)');
    return await scrolledTo();
  };
  await expect.poll(scrolled).toBeGreaterThan(100);
  const switcher = page.getByRole('combobox', { name: 'Team' });
  await switcher.fill(otherTeam);
  await page.getByRole('option', { name: otherTeam }).click();
  await sees('This team has no keys yet');
  await expect.poll(focused).toBe('Overview');
  expect(await scrolledTo()).toBe(0);
});

it('a secret takes the focus from the button that asked for it', async () => {
  const { page } = user;
  await goTo('keys/new?name=Seen&signing=on');
  await expect.poll(focused).toBe('Create a key');
  await enter('Create');
  await expect.poll(focused).toBe('The secret of “Seen”');
  await page.getByLabel('I have stored it').check();
  await enter('Continue to the signing secret');
  await expect.poll(focused).toBe('The signing secret of “Seen”');
  await page.getByLabel('I have stored it').check();
  await enter('Go to the key');
  await expect.poll(focused).toBe('Seen');
  await page.getByRole('tab', { name: 'Rotation' }).click();
  await enter('Rotate');
  await expect.poll(focused).toBe('The new secret of “Seen”');
  await page.getByLabel('I have stored it').check();
  await page.getByLabel('Accept the current signing secret for').selectOption('0');
  await enter('Rotate signing secret…');
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate without an overlap' }).press('Enter');
  await dialogCloses();
  await expect.poll(focused).toBe('The new signing secret of “Seen”');
  await page.getByLabel('I have stored it').last().check();
});

it('the filter of the audit trail keeps the focus, and follows the URL', async () => {
  const { page } = user;
  await goTo('audit');
  const actor = page.getByLabel('Actor');
  await page.getByLabel('Action', { exact: true }).selectOption('Created');
  await actor.fill('ada@example.com');
  await page.waitForURL('**/audit?*actor=**');
  await page.getByRole('rowgroup', { name: /./ }).first().waitFor();
  expect(await focused('placeholder')).toBe('ada@example.com');
  expect(await actor.inputValue()).toBe('ada@example.com');
  await page.goBack();
  await expect.poll(() => actor.inputValue()).toBe('');
  await actor.fill('nobody');
  await sees('No change matches.');
  expect(await focused('placeholder')).toBe('ada@example.com');
});

it.for(['no-preference', 'reduce'] as const)(
  'a dialog returns the focus to the button that its menu belongs to, with the preference “%s” for reduced motion',
  async (reducedMotion) => {
    const { page } = user;
    await page.emulateMedia({ reducedMotion });
    // The first time, the dialog is loaded and mounted later than the menu closes.
    for (const _ of ['first', 'second']) {
      await button('Actions for Key 39').press('Enter');
      await expect.poll(focused).toBe('Copy id');
      await page.getByRole('menuitem', { name: 'Disable…' }).press('Enter');
      await expect.poll(focusedLabel).toBe('Reason');
      await page.keyboard.press('Escape');
      await dialogCloses();
      await expect.poll(focusedLabel).toBe('Actions for Key 39');
    }
    await button('Options').press('Enter');
    await page.getByRole('menuitem', { name: 'Saved views…' }).press('Enter');
    await expect.poll(focusedLabel).toBe('Name of the current view');
    await page.keyboard.press('Escape');
    await dialogCloses();
    await expect.poll(focused).toBe('Options');
  },
);

it.for([
  { kind: 'Revoke…', field: /^To continue, type the prefix/ },
  { kind: 'Tag…', field: /^Add tags/ },
])('the field of the dialog $kind gets the focus when the keys have been read', async ({ kind, field }) => {
  await select('Key 38');
  const { answer } = await hold('OneKey');
  await button(kind).press('Enter');
  await user.page.getByRole('dialog').getByLabel('Loading').waitFor();
  await answer();
  await expect.poll(focusedLabel).toMatch(field);
});

it('the field of the commands gets the focus when they have loaded', async () => {
  const { answer } = await hold('palette-');
  await button('Commands').press('Enter');
  const dialog = user.page.getByRole('dialog', { name: 'Commands' });
  await dialog.getByLabel('Loading').waitFor();
  await expect.poll(focusedLabel).toBe('Close');
  await answer();
  await expect.poll(focusedLabel).toBe('Command');
});

it('a change that has succeeded leaves the focus on the heading', async () => {
  const { page } = user;
  await select('Key 37');
  await button('Disable…').press('Enter');
  await page.getByLabel('Reason').press('Enter');
  // The button that opened the dialog has disappeared with the selection.
  await dialogCloses();
  await expect.poll(focused).toBe('Keys');
});

it('paging keeps the focus on its button', async () => {
  const { page } = user;
  await goTo('keys?search=Key&size=25');
  await sees('1 to 25 of');
  const { answer } = await hold('KeyList');
  await button('Next page').press('Enter');
  await page.locator('table[data-stale=true]').waitFor();
  expect(await focused()).toBe('Next page');
  // Not a second time, while the next page is not known.
  await page.keyboard.press('Enter');
  await answer();
  await sees('26 to 40 of 40');
  expect(await focused()).toBe('Next page');
  await page.keyboard.press('Enter');
  await button('Previous page').press('Enter');
  await sees('1 to 25 of');
  expect(await focused()).toBe('Previous page');
});

it('a button keeps the focus while its action runs, and runs it once', async () => {
  const { page } = user;
  await goTo('try');
  await page.getByLabel('Key', { exact: true }).fill('lk_live_that_is_cut_off_somewhere');
  const calls = user.callsOf('ExplainVerification');
  const { answer } = await hold('ExplainVerification');
  await button('Try it').press('Enter');
  await page.locator('button[data-loading]').waitFor();
  expect(await focused()).toBe('Try it');
  await page.keyboard.press('Enter');
  await page.getByLabel('Key', { exact: true }).press('Enter');
  await button('Try it').focus();
  await answer();
  await page.locator('button[data-loading]').waitFor({ state: 'detached' });
  expect(await focused()).toBe('Try it');
  expect(calls).toHaveLength(1);
});

it('a control that disappears leaves the focus near it or on the heading', async () => {
  await goTo('keys?search=Key+1');
  await button('Clear').press('Enter');
  await expect.poll(focused).toBe('Keys');
  await select('Key 39');
  await button('Clear the selection').press('Enter');
  await expect.poll(focused).toBe('Keys');
  await create({ name: 'Nearly over', expiresAt: inDays(5) });
  await goTo('keys?search=Nearly');
  await button('Renew Nearly over').press('Enter');
  await button('Renew Nearly over').waitFor({ state: 'detached' });
  await expect.poll(focused).toBe('Nearly over');
});

it('a focus that the user has moved since a control disappeared stays where the user left it', async () => {
  const { page } = user;
  const last = await page.evaluate(`new Promise((resolve) => {
    const gone = document.createElement('button');
    document.querySelector('main').append(gone);
    gone.focus();
    gone.remove();
    // The page notices the removal before the first timer.
    setTimeout(() => {
      const link = document.querySelector('main a');
      link.focus();
      link.blur();
      // Timers of one page end in order: this one after that of the page.
      setTimeout(() => resolve(document.activeElement.tagName), 200);
    });
  })`);
  expect(last).toBe('BODY');
});
