/**
 * What three tasks cost in clicks and keys. A chord such as Control+K is one key, and so is pasting. Whoever changes a
 * number here says why.
 */
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { userOf } from './support/test.ts';

const user = userOf();
const { button, call, create, heading, leak, sees, verdict } = user;

/** Clicks and keys, which are counted. */
function hands() {
  const cost = { clicks: 0, keys: 0 };
  const press = async (key: string) => {
    await user.page.keyboard.press(key);
    cost.keys += 1;
  };
  return {
    cost,
    press,
    click: async (target: Locator) => {
      await target.click();
      cost.clicks += 1;
    },
    type: async (text: string) => {
      for (const letter of text) await press(letter);
    },
    /** Pastes what was copied elsewhere. */
    paste: async (text: string) => {
      await user.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
      await press('Control+v');
    },
  };
}

const secretShown = async () => (await user.page.getByTestId('secret').textContent())?.trim() ?? '';

it('a first key is in the clipboard after 3 clicks', async () => {
  const { page } = user;
  const { click, cost } = hands();
  await click(page.getByRole('link', { name: 'Create a test key' }));
  await click(button('Create'));
  const secret = await secretShown();
  await click(button('Copy'));
  await button('Copied').waitFor();
  expect(await user.clipboard()).toBe(secret);
  expect(await verdict({ key: secret, env: 'test' })).toBe('VALID');
  expect(cost).toEqual({ clicks: 3, keys: 0 });
});

it('every live key without sources is reviewed and tagged with 7 clicks and the letters of the tag', async () => {
  const { page } = user;
  const inUse = 60;
  for (let i = 0; i < inUse; i += 1) await create({ name: `Open ${i}` });
  await create({ name: 'Trial', env: 'test' });
  await create({ name: 'Office', allowedIps: ['192.0.2.0/24'] });
  const signed = await create({ name: 'Signed' });
  await user.mutate(signed.id, 'enableSigning(id: $id)', 'signingSecret');
  await user.goTo('keys');
  await heading('Keys');
  const { click, type, press, cost } = hands();
  await click(button('Options'));
  await click(page.getByRole('menuitem', { name: 'Live keys that anyone can use from anywhere' }));
  await page.getByRole('columnheader', { name: 'Scopes' }).waitFor();
  // Keys that need a signature are reviewed too.
  await click(button('Remove the filter Signing: Off'));
  await click(page.getByLabel('Select all keys on this page'));
  await click(button(`Select all ${inUse + 1}`));
  await click(button('Tag…'));
  await expect.poll(() => user.focused('labels?.[0]?.textContent')).toMatch(/^Add tags/);
  await type('reviewed');
  await press('Enter');
  await click(button(`Tag ${inUse + 1} keys`));
  await sees(`${inUse + 1} keys tagged.`);
  const read = 'query ($t: UUID!, $f: KeyFilter) { keys(teamId: $t, filter: $f, first: 100) { nodes { name } } }';
  const { keys } = await call(read, { t: user.dashboard.team, f: { tags: ['reviewed'] } });
  const names: string[] = keys.nodes.map(({ name }: { name: string }) => name);
  expect(names.toSorted()).toEqual(['Signed', ...Array.from({ length: inUse }, (_, i) => `Open ${i}`)].toSorted());
  expect(cost).toEqual({ clicks: 7, keys: 'reviewed'.length + 1 });
});

it('from a fragment of a leaked key to its new secret are 3 keys and 3 clicks', async () => {
  const { secret, prefix } = await create({ name: 'Shop' });
  await create({ name: 'Another' });
  await leak(secret);
  await user.goTo('overview');
  await heading('Overview');
  const { click, press, paste, cost } = hands();
  await press('Control+k');
  await user.page.getByRole('combobox', { name: 'Command' }).waitFor();
  await paste(`10.0.0.7 - "GET /orders" 200 key=${prefix}_****`);
  await user.page.getByRole('option', { name: 'Shop' }).waitFor();
  await press('Enter');
  await heading('Shop');
  await click(button('Disable and issue a new secret…'));
  await click(user.dialog('Issue a new secret?').getByRole('button', { name: 'Disable and issue a new secret' }));
  await sees('The new secret of “Shop”');
  const issued = await secretShown();
  await click(button('Copy').first());
  await button('Copied').first().waitFor();
  expect(await user.clipboard()).toBe(issued);
  expect([await verdict({ key: secret }), await verdict({ key: issued })]).toEqual(['ROTATED', 'DISABLED']);
  expect(cost).toEqual({ clicks: 3, keys: 3 });
});
