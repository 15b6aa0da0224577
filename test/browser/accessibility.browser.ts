/** Every page in both color schemes and at three widths: nothing for axe to find, nothing that sticks out. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './support/axe.ts';
import {
  both,
  type Created,
  callGraphQL,
  createKey,
  type Dashboard,
  startDashboard,
  type Tab,
  tokenFor,
  verdictOn,
} from './support/dashboard.ts';

const emptyTeam = '6b5dbd5b-6ee6-4a6e-9d1c-1d0ac0f4a1b2';
let dashboard: Dashboard;
let key: Created;
let revoked: Created;
beforeAll(async () => {
  dashboard = await startDashboard();
  key = await createKey(dashboard, {
    name: 'Checkout of the web shop',
    expiresAt: new Date(Date.now() + 6 * 86_400_000).toISOString(),
  });
  revoked = await createKey(dashboard, { name: 'Old partner feed', env: 'test' });
  await createKey(dashboard, { name: 'Nightly export', env: 'test' });
  // One word, which no line break divides: with 53 characters, wider than a phone.
  const wide = await createKey(dashboard, {
    name: 'x'.repeat(53),
    expiresAt: new Date(Date.now() + 5 * 86_400_000).toISOString(),
  });
  await verdictOn(dashboard.service, { key: wide.secret, env: 'test' });
  const token = tokenFor({ [dashboard.team]: both });
  await callGraphQL(dashboard.service, token, 'mutation ($id: UUID!) { revokeKey(id: $id) { apiKey { id } } }', {
    id: revoked.id,
  });
  for (const env of ['live', 'live', 'test']) await verdictOn(dashboard.service, { key: key.secret, env });
});
afterAll(async () => dashboard.stop());

interface Place {
  readonly name: string;
  readonly show: (tab: Tab) => Promise<void>;
  /** Takes back what would keep the page from being left. */
  readonly leave?: (tab: Tab) => Promise<void>;
}

const at = (path: () => string, shown: string) => async (tab: Tab) => {
  await tab.goTo(path());
  await tab.page.getByText(shown).first().waitFor();
};
const keyPath = () => `teams/${dashboard.team}/keys/${key.id}`;
const places: readonly Place[] = [
  { name: 'keys', show: at(() => `teams/${dashboard.team}/keys`, 'Nightly export') },
  { name: 'no keys', show: at(() => `teams/${dashboard.team}/keys?search=nothing`, 'No key matches') },
  { name: 'no keys at all', show: at(() => `teams/${emptyTeam}/keys`, 'This team has no keys yet.') },
  { name: 'create', show: at(() => `teams/${dashboard.team}/keys/new`, 'It never changes') },
  {
    name: 'a new secret',
    show: async (tab) => {
      await tab.goTo(`teams/${dashboard.team}/keys/new`);
      await tab.page.getByLabel('Name').fill('Short-lived');
      await tab.page.getByRole('button', { name: 'Create', exact: true }).click();
      await tab.page.getByTestId('secret').waitFor();
      await tab.page.getByLabel('I have saved it').check();
    },
  },
  { name: 'a key', show: at(keyPath, 'Request signing') },
  {
    name: 'a new signing secret',
    show: async (tab) => {
      const { id } = await createKey(dashboard);
      await at(() => `teams/${dashboard.team}/keys/${id}`, 'Request signing')(tab);
      await tab.page.getByRole('button', { name: 'Enable signing' }).click();
      await tab.page.getByRole('dialog').getByRole('button', { name: 'Enable signing' }).click();
      await tab.page.getByLabel('I have saved it').check();
    },
  },
  {
    name: 'the calendar',
    show: async (tab) => {
      await tab.goTo(`teams/${dashboard.team}/keys/new`);
      await tab.page.getByLabel('Expires', { exact: true }).selectOption('At a date…');
      await tab.page.getByRole('button', { name: 'Date and time', exact: true }).click();
      await tab.page.getByRole('button', { name: 'Next month' }).waitFor();
    },
  },
  {
    name: 'sources with problems',
    show: async (tab) => {
      await at(keyPath, 'Request signing')(tab);
      await tab.page.getByLabel('Sources that can use the key').fill('10.0.0.1/8');
      await tab.page.getByText('Line 1').waitFor();
    },
    leave: async (tab) => tab.page.getByLabel('Sources that can use the key').fill(''),
  },
  {
    name: 'the dialog to revoke',
    show: async (tab) => {
      await at(keyPath, 'Request signing')(tab);
      await tab.page.getByRole('button', { name: 'Revoke…' }).click();
      await tab.page.getByRole('button', { name: 'Revoke permanently' }).waitFor();
    },
  },
  {
    name: 'use',
    show: async (tab) => {
      await at(() => `${keyPath()}?part=use`, 'WRONG_ENVIRONMENT')(tab);
      await tab.page.locator('.recharts-bar-rectangle path').first().waitFor();
    },
  },
  {
    name: 'a rotated key',
    show: async (tab) => {
      const { id } = await createKey(dashboard, { scopes: ['orders:read'], tags: ['partner'] });
      await at(() => `teams/${dashboard.team}/keys/${id}?part=rotate`, 'Replace the secret')(tab);
      await tab.page.getByRole('button', { name: 'Rotate', exact: true }).click();
      await tab.page.getByLabel('I have saved it').check();
      await tab.page.getByRole('button', { name: 'Watch the previous secret' }).click();
      await tab.page.getByText('No client has used the previous secret').waitFor();
    },
  },
  {
    name: 'a merge',
    show: async (tab) => {
      const { id } = await createKey(dashboard, { name: 'Contested' });
      await at(() => `teams/${dashboard.team}/keys/${id}`, 'Request signing')(tab);
      await tab.page.getByLabel('Name').fill('Mine');
      await callGraphQL(
        dashboard.service,
        tokenFor({ [dashboard.team]: both }),
        'mutation ($id: UUID!) { updateKey(id: $id, input: { name: "Theirs" }) { apiKey { id } } }',
        { id },
      );
      await tab.page.getByRole('button', { name: 'Save details' }).click();
      await tab.page.getByText('Take theirs').waitFor();
    },
    leave: async (tab) => {
      await tab.page.getByLabel('Take theirs').check();
      await tab.page.getByRole('button', { name: 'Use theirs' }).click();
      await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
    },
  },
  { name: 'history', show: at(() => `${keyPath()}?part=history`, 'ada@example.com') },
  { name: 'a revoked key', show: at(() => `teams/${dashboard.team}/keys/${revoked.id}`, 'can’t be changed') },
  { name: 'overview', show: at(() => `teams/${dashboard.team}/overview`, 'WRONG_ENVIRONMENT') },
  {
    name: 'try a key',
    show: async (tab) => {
      await tab.goTo(`teams/${dashboard.team}/try`);
      await tab.page.getByLabel('Key', { exact: true }).fill(key.prefix);
      await tab.page.getByLabel('Environment').selectOption('test');
      await tab.page.getByRole('button', { name: 'Try it' }).click();
      await tab.page.getByText('The request is rejected').waitFor();
    },
  },
  { name: 'no such page', show: at(() => 'nowhere', 'There is no such page') },
  { name: 'an unknown team', show: at(() => `teams/${key.id}/keys`, 'Not a team of yours') },
  {
    name: 'the session',
    show: async (tab) => {
      await at(() => `teams/${dashboard.team}/keys`, 'Nightly export')(tab);
      await tab.page.getByRole('button', { name: 'Session' }).click();
      await tab.page.getByRole('button', { name: 'Sign out' }).waitFor();
    },
  },
  {
    name: 'the teams',
    show: async (tab) => {
      await at(() => `teams/${dashboard.team}/keys`, 'Nightly export')(tab);
      await tab.page.getByRole('combobox', { name: 'Team' }).click();
      // Not those of the selects, which are hidden.
      await tab.page.locator('[role=option]').first().waitFor();
    },
  },
  {
    name: 'the commands',
    show: async (tab) => {
      await at(() => `teams/${dashboard.team}/keys`, 'Nightly export')(tab);
      await tab.page.keyboard.press('Escape');
      await tab.page.getByRole('button', { name: 'Commands' }).click();
      await tab.page.getByRole('option', { name: 'Overview' }).waitFor();
    },
  },
  {
    name: 'the shortcuts',
    show: async (tab) => {
      await at(() => `teams/${dashboard.team}/overview`, 'WRONG_ENVIRONMENT')(tab);
      await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
      await tab.page.keyboard.press('?');
      await tab.page.getByText('Search the keys of the team').waitFor();
    },
  },
  {
    name: 'try a signed request',
    show: async (tab) => {
      await tab.goTo(`teams/${dashboard.team}/try`);
      await tab.page.getByLabel('The request is signed').check();
      await tab.page.getByRole('button', { name: 'Try it' }).click();
      await tab.page.getByText('The signature covers the URL').waitFor();
    },
  },
  { name: 'audit trail', show: at(() => `teams/${dashboard.team}/audit`, 'ada@example.com') },
  {
    name: 'an import',
    show: async (tab) => {
      await tab.goTo(`teams/${dashboard.team}/import`);
      await tab.page.getByLabel('Or paste the lines').fill('{"digest":"x","name":"Bad"}');
      await tab.page.getByRole('button', { name: 'Dry run' }).click();
      await tab.page.getByText('1 rejected').waitFor();
    },
  },
  { name: 'no such key', show: at(() => `teams/${dashboard.team}/keys/${dashboard.team}`, 'There is no such key') },
];

describe.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 768],
  ['dark', 360],
  ['light', 360],
  // 1280 pixels at a zoom of 400 %.
  ['light', 320],
] as const)('%s, %i px wide', (colorScheme, width) => {
  it('axe finds nothing on any page, and nothing is wider than the window', async () => {
    const tab = await dashboard.open({ colorScheme, viewport: { width, height: 800 } });
    const found: string[] = [];
    const look = async (name: string) => {
      found.push(...(await violations(tab.page)).map((violation) => `${name}: ${violation}`));
      const sticksOut = await tab.page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      if (sticksOut) found.push(`${name}: wider than the window`);
      // Notices cut off what is wider than they are.
      const cutOff = await tab.page.evaluate<string[]>(`[...document.querySelectorAll('.mantine-Alert-root *')]
        .filter((part) => part.getBoundingClientRect().right > part.closest('.mantine-Alert-root').getBoundingClientRect().right + 1)
        .map(({ outerHTML }) => outerHTML.slice(0, 80))`);
      found.push(...cutOff.map((part) => `${name}: cut off: ${part}`));
    };
    await tab.page.goto(dashboard.service.url);
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await tab.page.getByText('Paste a session token.').waitFor();
    await look('sign in');
    const all = [...both, 'import_keys'] as const;
    await tab.signIn(tokenFor({ [dashboard.team]: all, [emptyTeam]: both }));
    for (const { name, show, leave } of places) {
      await show(tab);
      await look(name);
      await leave?.(tab);
    }
    expect(found).toEqual([]);
    await tab.close();
  });
});
