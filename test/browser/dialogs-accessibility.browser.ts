/** The dialogs that only appear in the course of something: nothing for axe to find, also in forced colors. */
import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { violations } from './support/axe.ts';
import {
  both,
  callGraphQL,
  createKey,
  type Dashboard,
  holdOperation,
  jwtSecret,
  startDashboard,
  type Tab,
  tokenFor,
  verdictOn,
} from './support/dashboard.ts';

let dashboard: Dashboard;
const ids = { observed: '', rotated: '' };
beforeAll(async () => {
  dashboard = await startDashboard();
  const observed = await createKey(dashboard, { name: 'Observed' });
  ids.observed = observed.id;
  ids.rotated = (await createKey(dashboard, { name: 'Rotated' })).id;
  await verdictOn(dashboard.service, { key: observed.secret, sourceIp: '192.0.2.1' });
  const token = tokenFor({ [dashboard.team]: both });
  const rotate = 'mutation ($id: UUID!) { rotateKey(id: $id, overlapSeconds: 3600) { apiKey { id } } }';
  await callGraphQL(dashboard.service, token, rotate, { id: ids.rotated });
  const sources = 'query ($id: UUID!) { observedSources(keyId: $id) { address } }';
  const look = async () => {
    const { observedSources } = await callGraphQL(dashboard.service, token, sources, { id: ids.observed });
    expect(observedSources).toHaveLength(1);
  };
  // The verification processes send them in batches.
  await vi.waitFor(look, { timeout: 40_000, interval: 500 });
});
afterAll(() => dashboard.stop());

interface State {
  readonly name: string;
  readonly show: (tab: Tab) => Promise<unknown>;
}

const list = async ({ goTo, page }: Tab) => {
  await goTo(`teams/${dashboard.team}/keys`);
  await page.getByRole('link', { name: 'Observed' }).waitFor();
};
const key = async ({ goTo, page }: Tab, id: string, part: string) => {
  await goTo(`teams/${dashboard.team}/keys/${id}?part=${part}`);
  await page.getByRole('tab', { name: 'History' }).waitFor();
};
const click = async ({ page }: Tab, name: string) => page.getByRole('button', { name, exact: true }).click();
const dialog = async ({ page }: Tab, name: string) => page.getByRole('dialog', { name }).waitFor();

const states: readonly State[] = [
  { name: 'the list', show: list },
  { name: 'a key', show: (tab) => key(tab, ids.observed, 'settings') },
  {
    name: 'Allow only these',
    show: async (tab) => {
      await key(tab, ids.observed, 'use');
      await tab.page.getByLabel('Allow 192.0.2.1').check();
      await click(tab, 'Allow only these…');
      await click(tab, 'Preview with recent sources');
      await tab.page.getByText('accepts 1').waitFor();
    },
  },
  {
    name: 'End the overlap',
    show: async (tab) => {
      await key(tab, ids.rotated, 'rotate');
      await click(tab, 'End the overlap…');
      await dialog(tab, 'End the overlap now?');
    },
  },
  {
    name: 'a running change',
    show: async (tab) => {
      await list(tab);
      await holdOperation(tab, 'ChangeKeys');
      await tab.page.getByLabel('Select Observed').check();
      await click(tab, 'Disable…');
      await click(tab, 'Disable 1 key');
      await tab.page.getByText('of 1…').waitFor();
    },
  },
  {
    name: 'the question before leaving',
    show: async (tab) => {
      await tab.goTo(`teams/${dashboard.team}/keys/new`);
      await tab.page.getByRole('textbox', { name: 'Name' }).fill('Typed');
      await tab.goTo(`teams/${dashboard.team}/overview`);
      await dialog(tab, 'Leave without creating the key?');
    },
  },
  {
    name: 'another session',
    show: async (tab) => {
      await list(tab);
      const other = jwt.sign({ teams: {} }, jwtSecret, { subject: 'bob', expiresIn: 600 });
      await tab.page.goto(`${dashboard.service.url}/#token=${other}`);
      await dialog(tab, 'Replace your session?');
      await tab.page.getByText('bob').waitFor();
    },
  },
  {
    name: 'an expired session',
    show: async (tab) => {
      await list(tab);
      const error = { message: 'The session token has expired.', extensions: { code: 'UNAUTHENTICATED' } };
      await tab.context.route('**/graphql', (route) => route.fulfill({ status: 401, json: { errors: [error] } }));
      await tab.page.getByRole('link', { name: 'Overview' }).click();
      await dialog(tab, 'Sign in again');
    },
  },
];

it.each([
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 360 },
  { colorScheme: 'light', width: 1280, forcedColors: 'active' },
] as const)('axe finds nothing: $colorScheme, $width px wide, forced colors $forcedColors', async (options) => {
  const { colorScheme, width, ...rest } = options;
  const found: string[] = [];
  for (const { name, show } of states) {
    const tab = await dashboard.open({ colorScheme, viewport: { width, height: 800 }, ...rest });
    await tab.signIn(tokenFor({ [dashboard.team]: both }));
    await show(tab);
    found.push(...(await violations(tab.page)).map((violation) => `${name}: ${violation}`));
    const sticksOut = await tab.page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
    if (sticksOut) found.push(`${name}: wider than the window`);
    await tab.context.close();
  }
  expect(found).toEqual([]);
});
