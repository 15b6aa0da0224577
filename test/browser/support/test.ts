/**
 * Tests of the dashboard. Each has a team of its own and, if it uses `tab` or `page`, a tab in which a user of the team is
 * signed in. A file can extend `it` by a fixture of the same name. `override` would also change the files after it.
 */
import type { BrowserContextOptions, Locator } from 'playwright-core';
import { beforeAll, beforeEach, test } from 'vitest';
import type { Permission } from '../../../src/domain/key/permission.ts';
import {
  both,
  callGraphQL,
  createKey,
  type Dashboard,
  startDashboard,
  type Tab,
  tokenFor,
  verdictOn,
} from './dashboard.ts';

export const all: readonly Permission[] = [...both, 'import_keys'];

export const it = test
  .extend('dashboard', async () => await startDashboard())
  .extend('options', (): BrowserContextOptions => ({}))
  .extend('permissions', (): readonly Permission[] => both)
  /** Creates a key in the team. */
  .extend(
    'create',
    ({ dashboard }) =>
      async (input: object) =>
        await createKey(dashboard, input),
  )
  /** Calls the management port as a user of the team with all permissions. */
  .extend('call', ({ dashboard: { service, team } }) => {
    return async (query: string, variables: object) =>
      await callGraphQL(service, tokenFor({ [team]: all }), query, variables);
  })
  .extend('token', ({ dashboard, permissions }) => tokenFor({ [dashboard.team]: permissions }))
  /** A tab in which no user is signed in. */
  .extend('signedOut', async ({ dashboard, options }, { onCleanup }) => {
    const tab = await dashboard.open(options);
    onCleanup(tab.close);
    return tab;
  })
  .extend('tab', async ({ signedOut, token }) => {
    await signedOut.signIn(token);
    return signedOut;
  })
  .extend('page', ({ tab }) => tab.page)
  /** Goes to a page of the team, such as `keys`. */
  .extend(
    'goTo',
    ({ dashboard: { team }, tab }) =>
      async (page: string) =>
        await tab.goTo(`teams/${team}/${page}`),
  )
  .extend(
    'button',
    ({ page }) =>
      (name: string): Locator =>
        page.getByRole('button', { name, exact: true }),
  );

interface UserOptions {
  readonly permissions?: readonly Permission[];
  readonly otherTeams?: readonly string[];
  readonly tab?: BrowserContextOptions;
  /** Prepares one team for all tests of the file. Without it, each test has a team of its own. */
  readonly prepare?: (dashboard: Dashboard) => Promise<unknown>;
}

/** Signs a user in, in a new tab for each test of a file. For files whose tests share functions that use the tab. */
export function signedInUser({ permissions = all, otherTeams = [], tab: options, prepare }: UserOptions = {}) {
  let dashboard: Dashboard;
  let tab: Tab;
  const token = () => tokenFor(Object.fromEntries([dashboard.team, ...otherTeams].map((team) => [team, permissions])));
  if (prepare !== undefined) {
    beforeAll(async () => {
      dashboard = await startDashboard();
      await prepare(dashboard);
    });
  }
  beforeEach(async () => {
    if (prepare === undefined) dashboard = await startDashboard();
    tab = await dashboard.open(options);
    await tab.signIn(token());
    return tab.close;
  });
  const call = async (query: string, variables: object) =>
    await callGraphQL(dashboard.service, tokenFor({ [dashboard.team]: all }), query, variables);
  return {
    get dashboard() {
      return dashboard;
    },
    get tab() {
      return tab;
    },
    get page() {
      return tab.page;
    },
    get context() {
      return tab.context;
    },
    token,
    button: (name: string) => tab.page.getByRole('button', { name, exact: true }),
    goTo: async (page: string) => await tab.goTo(`teams/${dashboard.team}/${page}`),
    create: async (input: object = {}) => await createKey(dashboard, input),
    call,
    update: async (id: string, input: object) =>
      await call(
        'mutation ($id: UUID!, $input: UpdateKeyInput!) { updateKey(id: $id, input: $input) { apiKey { id } } }',
        {
          id,
          input,
        },
      ),
    revoke: async (id: string) => await call('mutation ($id: UUID!) { revokeKey(id: $id) { apiKey { id } } }', { id }),
    /** Returns the new secret. The previous one is accepted for another hour. */
    rotate: async (id: string): Promise<string> =>
      (await call('mutation ($id: UUID!) { rotateKey(id: $id, overlapSeconds: 3600) { secret } }', { id })).rotateKey
        .secret,
    verdict: async (request: object) => await verdictOn(dashboard.service, request),
  };
}
