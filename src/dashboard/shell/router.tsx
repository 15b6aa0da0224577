import { Loader } from '@mantine/core';
import type { ComponentType } from 'react';
import { createHashRouter, type RouteObject } from 'react-router';
import { KeysPage } from '../keys/list/keys-page.tsx';
import { takeTokenFromFragment } from '../session/session.ts';
import { TeamRoute } from '../session/team-route.tsx';
import { App } from './app.tsx';
import { followRouter } from './destination.ts';
import { ErrorPage, NotFoundPage } from './error-pages.tsx';
import { HomePage } from './home-page.tsx';

let currentEntry = 0;

// The router must never see a token. At startup, the token is taken before the router is created. From later links,
// this listener takes the token: the window calls it before the router's listener, because it was added first.
takeTokenFromFragment('/');
addEventListener('popstate', () => {
  const { pathname, search } = router.state.location;
  takeTokenFromFragment(pathname + search);
  numberEntry();
});

const page = (path: string, load: () => Promise<ComponentType>): RouteObject => ({
  path,
  lazy: async () => ({ Component: await load() }),
});

/**
 * Routes are in the fragment, so that no path, filter or search reaches a server's log. The most used pages are part of
 * the first bundle; the others are loaded on demand.
 */
export const router = createHashRouter([
  {
    element: <App />,
    HydrateFallback: () => <Loader aria-label="Loading" />,
    ErrorBoundary: ErrorPage,
    children: [
      {
        ErrorBoundary: ErrorPage,
        children: [
          { index: true, element: <HomePage /> },
          page('signed-in', async () => (await import('../session/signed-in-page.tsx')).SignedInPage),
          {
            path: 'teams/:teamId',
            element: <TeamRoute />,
            children: [
              { path: 'keys', element: <KeysPage /> },
              page('keys/new', async () => (await import('../keys/create/create-key-page.tsx')).CreateKeyPage),
              page('keys/:keyId', async () => (await import('../key/key-page.tsx')).KeyPage),
              page('overview', async () => (await import('../team/team-page.tsx')).TeamPage),
              page('try', async () => (await import('../explain/explain-page.tsx')).ExplainPage),
              page('audit', async () => (await import('../audit/audit-page.tsx')).AuditPage),
              page('import', async () => (await import('../import/import-page.tsx')).ImportPage),
            ],
          },
          { path: '*', element: <NotFoundPage /> },
        ],
      },
    ],
  },
]);
router.subscribe(followRouter);
router.subscribe(rememberEntry);
rememberEntry();

function rememberEntry(): void {
  currentEntry = numberOf(history.state) ?? currentEntry;
}

/**
 * Numbers the history entries that the browser makes for typed addresses and links with a fragment. React Router
 * numbers only its own entries, and can't undo a navigation to other entries, so leave guards would be ignored.
 */
function numberEntry(): void {
  const index = numberOf(history.state);
  // The browser adds a new entry directly after the current entry.
  currentEntry = index ?? currentEntry + 1;
  if (index === null) history.replaceState({ ...history.state, idx: currentEntry }, '');
}

function numberOf(state: unknown): number | null {
  if (typeof state !== 'object' || state === null || !('idx' in state)) return null;
  return typeof state.idx === 'number' ? state.idx : null;
}
