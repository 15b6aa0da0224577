/**
 * Tests of the dashboard. Each has a team of its own and, if it uses `tab` or `page`, a tab in which a user of the team is
 * signed in. A file whose tests only read can override `dashboard` for all of them.
 */
import type { BrowserContextOptions, Locator } from 'playwright-core';
import { test } from 'vitest';
import type { Permission } from '../../../src/domain/key/permission.ts';
import { both, callGraphQL, createKey, startDashboard, tokenFor } from './dashboard.ts';

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
