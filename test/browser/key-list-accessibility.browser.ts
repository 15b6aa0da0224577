/** The menus, dialogs and forms of the list of keys: nothing for axe to find, nothing wider than the window. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './support/axe.ts';
import { both, createKey, type Dashboard, startDashboard, type Tab, tokenFor } from './support/dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
  const expiresAt = new Date(Date.now() + 5 * 86_400_000).toISOString();
  await createKey(dashboard, { name: 'Nightly export', expiresAt, tags: ['ci', 'export'], externalId: 'customer-7' });
  await createKey(dashboard, { name: `Partner-${'feed'.repeat(22)}`, env: 'test' });
});
afterAll(async () => dashboard.stop());

interface State {
  readonly name: string;
  readonly show: (tab: Tab) => Promise<void>;
}

const list = async ({ goTo, page }: Tab) => {
  await goTo(`teams/${dashboard.team}/keys`);
  await page.getByRole('link', { name: 'Nightly export' }).waitFor();
};
const click = async ({ page }: Tab, name: string) => page.getByRole('button', { name, exact: true }).last().click();
const change = (kind: string, shown: string) => async (tab: Tab) => {
  await list(tab);
  await tab.page.getByLabel('Select Nightly export').check();
  await click(tab, kind);
  await tab.page.getByText(shown).waitFor();
};

const states: readonly State[] = [
  { name: 'the list', show: list },
  {
    name: 'the menu of a key',
    show: async (tab) => {
      await list(tab);
      await click(tab, 'Actions for Nightly export');
      await tab.page.getByRole('menuitem', { name: 'Revoke…' }).waitFor();
    },
  },
  {
    name: 'the menu of the list, and all columns',
    show: async (tab) => {
      await list(tab);
      await click(tab, 'Options');
      for (const column of ['Tags', 'External ID']) {
        const item = tab.page.getByRole('menuitemcheckbox', { name: column });
        if ((await item.getAttribute('aria-checked')) === 'false') await item.click();
      }
    },
  },
  {
    name: 'saved filters',
    show: async (tab) => {
      await list(tab);
      await click(tab, 'Options');
      await tab.page.getByRole('menuitem', { name: 'Saved filters…' }).click();
      await tab.page.getByLabel('Name of the current filters').fill('Mine');
      await click(tab, 'Save');
      await click(tab, 'Options');
      await tab.page.getByRole('menuitem', { name: 'Saved filters…' }).click();
      await tab.page.getByRole('button', { name: 'Delete Mine' }).waitFor();
    },
  },
  { name: 'a revocation', show: change('Revoke…', 'To continue, type the prefix') },
  { name: 'tags', show: change('Tag…', 'No key will be changed.') },
  {
    name: 'a result',
    show: async (tab) => {
      await change('Renew…', '1 key will be changed:')(tab);
      await click(tab, 'Renew 1 key');
      await tab.page.getByRole('button', { name: 'Close' }).last().waitFor();
    },
  },
  {
    name: 'problems of a new key',
    show: async (tab) => {
      await tab.goTo(`teams/${dashboard.team}/keys/new?scope=read&tag=ci&source=bad..host&metadata=x`);
      await tab.page.getByLabel('Name').waitFor();
      await click(tab, 'Create');
      await tab.page.getByText('It is not JSON').waitFor();
    },
  },
];

describe.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 320],
] as const)('%s, %i px wide', (colorScheme, width) => {
  it('axe finds nothing, and nothing is wider than the window', async () => {
    const tab = await dashboard.open({ colorScheme, viewport: { width, height: 800 } });
    await tab.signIn(tokenFor({ [dashboard.team]: both }));
    const found: string[] = [];
    for (const { name, show } of states) {
      await show(tab);
      found.push(...(await violations(tab.page)).map((violation) => `${name}: ${violation}`));
      const sticksOut = await tab.page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      if (sticksOut) found.push(`${name}: wider than the window`);
      await tab.page.reload();
    }
    expect(found).toEqual([]);
    await tab.close();
  });
});
