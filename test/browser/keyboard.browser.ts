/** Every operation with the keyboard alone, on a phone's width and at a zoom of 400 %. */
import { expect } from 'vitest';
import type { Tab } from './support/dashboard.ts';
import { it } from './support/test.ts';

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
  const isSticky = header !== null && !header.contains(element) && getComputedStyle(header).position === 'sticky';
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

/** Presses Tab until the element has the focus. Each control on the way must be visible. */
async function tabTo({ page }: Tab, name: string): Promise<void> {
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

async function press(tab: Tab, name: string, key = 'Enter'): Promise<void> {
  await tabTo(tab, name);
  await tab.page.keyboard.press(key);
}

const isOver = ({ page }: Tab) => page.getByRole('dialog').waitFor({ state: 'detached' });
const heading = ({ page }: Tab, name: string) => page.getByRole('heading', { name, exact: true, level: 1 }).waitFor();

async function keepSecret(tab: Tab, next: string): Promise<void> {
  await tab.page.getByTestId('secret').waitFor();
  await press(tab, 'field I have saved it', 'Space');
  await press(tab, `button ${next}`);
}

async function fill(tab: Tab, name: string, text: string): Promise<void> {
  await tabTo(tab, `field ${name}`);
  await tab.page.keyboard.press('Control+a');
  await tab.page.keyboard.insertText(text);
}

it.for([
  { width: 360, height: 640 },
  // A window of 1280 × 1024 at a zoom of 400 %.
  { width: 320, height: 256 },
])(
  'the keyboard alone creates, edits, rotates, disables, signs, tags and revokes in $width × $height',
  async (viewport, { dashboard, signedOut: tab, token, create }) => {
    const name = `Made at ${viewport.width}`;
    const other = `Beside ${viewport.width}`;
    const { prefix } = await create({ name: other });
    const { page } = tab;
    await page.setViewportSize(viewport);
    await page.goto(dashboard.service.url);
    await page.getByLabel('Session token', { exact: true }).waitFor();
    await page.keyboard.insertText(token);
    await page.keyboard.press('Enter');
    await heading(tab, 'Keys');

    await press(tab, 'link Create a key');
    await heading(tab, 'Create a key');
    await fill(tab, 'Name', 'Draft');
    await press(tab, 'button Create');
    await keepSecret(tab, 'Go to the key');
    await heading(tab, 'Draft');

    await fill(tab, 'Name', name);
    await press(tab, 'button Save details');
    await heading(tab, name);

    await press(tab, 'button Enable signing');
    await page.getByRole('dialog').waitFor();
    await press(tab, 'button Enable signing');
    await isOver(tab);
    await keepSecret(tab, 'Done');

    await press(tab, 'button Disable');
    await page.getByRole('heading', { name: 'Enable', exact: true }).waitFor();
    await press(tab, 'button Enable');
    await page.getByRole('heading', { name: 'Disable', exact: true }).waitFor();

    await tabTo(tab, 'tab Settings');
    await page.keyboard.press('ArrowRight');
    await page.getByText('Replace the secret').waitFor();
    await press(tab, 'button Rotate');
    await keepSecret(tab, 'Watch the previous secret');
    await page.getByText('No client has used the previous secret').waitFor();

    await press(tab, 'link Keys');
    await heading(tab, 'Keys');
    for (const key of [name, other]) await page.getByRole('link', { name: key, exact: true }).waitFor();
    for (const key of [name, other]) await press(tab, `field Select ${key}`, 'Space');
    await page.getByText('2 selected').waitFor();
    await press(tab, 'button Tag…');
    await page.getByText('No key will be changed.').waitFor();
    await tabTo(tab, 'combobox Add tags');
    await page.keyboard.insertText('bulk');
    await page.keyboard.press('Enter');
    await press(tab, 'button Tag 2 keys');
    await page.getByText('2 keys tagged').waitFor();
    await press(tab, 'button Close');
    await isOver(tab);

    await press(tab, `link ${other}`);
    await heading(tab, other);
    await page.getByText('Tags: bulk').waitFor();
    await press(tab, 'button Revoke…');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await isOver(tab);
    await expect.poll(async () => (await page.evaluate<Focus>(focusShown)).name).toBe('button Revoke…');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await expect.poll(async () => (await page.evaluate<Focus>(focusShown)).name).toMatch(/^field To continue/);
    await page.keyboard.insertText(prefix);
    await page.keyboard.press('Enter');
    await page.getByText('A revoked key can’t be changed.').waitFor();
  },
);
