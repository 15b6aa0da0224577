/** Every operation with the keyboard alone, on a phone's width and at a zoom of 400 %. */
import { expect, it } from 'vitest';
import { userOf } from './support/test.ts';

const user = userOf({ signedIn: false });
const { heading, sees, dialogCloses } = user;

const maxPresses = 200;

interface Focus {
  /** Its role and name, such as `link Keys`. */
  readonly name: string;
  /** What is wrong with how it is shown. */
  readonly problem: string | null;
}

/** Describes the element that has the focus. An expression, because it runs in the page. */
const focusShown = `(() => {
  const element = document.activeElement;
  const { top, bottom, left, right } = element.getBoundingClientRect();
  const header = document.querySelector('header');
  // The link that skips the header is shown on it.
  const isOnTop = element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
  const isSticky = header !== null && !isOnTop && !header.contains(element) && getComputedStyle(header).position === 'sticky';
  const visibleTop = isSticky ? header.getBoundingClientRect().bottom : 0;
  const outline = getComputedStyle(element).outlineStyle;
  const isField = element.matches('input:not([type=checkbox], [type=radio]), textarea, select');
  const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent;
  const implied = { A: 'link', BUTTON: 'button', INPUT: 'field', TEXTAREA: 'field', SELECT: 'field' };
  const role = element.getAttribute('role') ?? implied[element.tagName] ?? element.tagName;
  // The body, and a heading that the page itself has given the focus for screen readers.
  const isControl = element.tabIndex >= 0;
  return {
    name: role + ' ' + label.replace(/ \\*$/, '').trim(),
    problem: !isControl ? null
      : outline === 'none' && !isField ? 'no outline'
      : bottom <= visibleTop || top >= innerHeight ? 'not in the window'
      : right <= 0 || left >= innerWidth ? 'beside the window' : null,
  };
})()`;

/** Chooses the next tab of the page of a key, and waits until it is shown instead of the fields of the one before. */
async function nextTab(current: string, next: string): Promise<void> {
  const { page } = user;
  await tabTo(`tab ${current}`);
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tabpanel', { name: next, exact: true }).waitFor();
}

/** Presses Tab until the element has the focus. Each control on the way must be visible. */
async function tabTo(name: string): Promise<void> {
  const { page } = user;
  const seen: string[] = [];
  for (let presses = 0; presses < maxPresses; presses += 1) {
    await page.keyboard.press('Tab');
    const focus = await page.evaluate<Focus>(focusShown);
    seen.push(focus.name.slice(0, 60));
    if (focus.problem !== null) throw new Error(`${focus.name}: ${focus.problem}`);
    if (focus.name === name) return;
  }
  throw new Error(`no way to ${name} by the Tab key, only to ${[...new Set(seen)].join(', ')}`);
}

const focusIsOn = (name: RegExp) =>
  expect.poll(async () => (await user.page.evaluate<Focus>(focusShown)).name).toMatch(name);

async function press(name: string, key = 'Enter'): Promise<void> {
  await tabTo(name);
  await user.page.keyboard.press(key);
}

async function keepSecret(next: string): Promise<void> {
  await user.page.getByTestId('secret').waitFor();
  await press('field I have stored it', 'Space');
  await press(`button ${next}`);
}

async function fill(name: string, text: string): Promise<void> {
  await tabTo(`field ${name}`);
  await user.page.keyboard.press('Control+a');
  await user.page.keyboard.insertText(text);
}

it.for([
  { width: 360, height: 640 },
  // A window of 1280 × 1024 at a zoom of 400 %.
  { width: 320, height: 256 },
])(
  'the keyboard alone creates, edits, rotates, disables, signs, tags and revokes in $width × $height',
  async (viewport) => {
    const name = `Made at ${viewport.width}`;
    const other = `Beside ${viewport.width}`;
    const { prefix } = await user.create({ name: other });
    const { page } = user;
    await page.setViewportSize(viewport);
    await page.goto(user.dashboard.service.url);
    await focusIsOn(/^field Session token/);
    await page.keyboard.insertText(user.token());
    await page.keyboard.press('Enter');
    await heading('Keys');

    await press('link Create a key');
    await heading('Create a key');
    await fill('Name', 'Draft');
    await press('button Create');
    await keepSecret('Go to the key');
    await heading('Draft');

    await nextTab('Overview', 'Settings');
    await fill('Name', name);
    await press('button Save details');
    await heading(name);

    await nextTab('Settings', 'Access');
    await press('button Enable signing');
    await page.getByRole('dialog').waitFor();
    await press('button Enable signing');
    await dialogCloses();
    await keepSecret('Done');

    for (const [action, opposite] of [
      ['Disable', 'Enable'],
      ['Enable', 'Disable'],
    ] as const) {
      await press(`button ${action}`);
      await page.getByRole('dialog').waitFor();
      await press(`button ${action}`);
      await dialogCloses();
      await page.getByRole('button', { name: opposite, exact: true }).waitFor();
    }

    await nextTab('Access', 'Rotation');
    await sees('Replace the secret');
    await press('button Rotate');
    await keepSecret('Watch the previous secret');
    await sees('No client has used the previous secret');

    await press('link Keys');
    await heading('Keys');
    for (const key of [name, other]) await page.getByRole('link', { name: key, exact: true }).waitFor();
    for (const key of [name, other]) await press(`link ${key}`, 'x');
    await sees('2 selected');
    await press('button Tag…');
    await sees('No key will be changed.');
    await tabTo('combobox Add tags');
    await page.keyboard.insertText('bulk');
    await page.keyboard.press('Enter');
    await press('button Tag 2 keys');
    await sees('2 keys tagged.');
    await dialogCloses();

    await press(`link ${other}`);
    await heading(other);
    await sees('bulk');
    await nextTab('Overview', 'Settings');
    await press('button Revoke…');
    // An Escape before the dialog has the focus would leave it nowhere.
    await focusIsOn(/^field To continue/);
    await page.keyboard.press('Escape');
    await dialogCloses();
    await focusIsOn(/^button Revoke…/);
    await page.keyboard.press('Enter');
    await focusIsOn(/^field To continue/);
    await page.keyboard.insertText(prefix);
    await page.keyboard.press('Enter');
    await sees('A revoked key can’t be changed.');
  },
);

/** Waits until an element that the user can operate, or a heading, has the focus: never the body. */
const focusIsKept = () =>
  expect
    .poll(() =>
      user.page.evaluate<boolean>('document.activeElement !== document.body && document.activeElement.isConnected'),
    )
    .toBe(true);

it('the keyboard alone filters, opens audit entries, finds a key and signs out, and the focus is never lost', async () => {
  const { page } = user;
  await user.create({ name: 'Quayside gate', env: 'test' });
  await user.create({ name: 'Harbor office' });
  await user.tab.signIn(user.token());
  await heading('Keys');

  await press('button + Filter');
  await page.getByRole('option', { name: 'Environment' }).waitFor();
  await page.keyboard.type('env');
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'test' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Harbor office' }).waitFor({ state: 'detached' });
  await focusIsKept();
  await press('button Remove the filter Environment: test');
  await page.getByRole('link', { name: 'Harbor office' }).waitFor();
  await focusIsKept();

  await press('link Audit');
  await heading('Audit trail');
  await focusIsKept();
  await press('button Created');
  await sees('Request');
  await page.keyboard.press('Enter');
  await page.getByText('Request', { exact: true }).waitFor({ state: 'detached' });
  await focusIsKept();

  await press('button Commands');
  await focusIsOn(/^combobox Command/);
  await page.keyboard.insertText('quay');
  await page.getByRole('option', { name: 'Quayside gate' }).waitFor();
  await page.keyboard.press('Enter');
  await heading('Quayside gate');
  await focusIsKept();

  await press('button Session');
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await press('button Sign out');
  await heading('Sign in to Latchkey');
  await focusIsKept();
});
