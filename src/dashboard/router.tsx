import { Loader } from '@mantine/core';
import { createHashRouter } from 'react-router';
import { App } from './app.tsx';
import { followRouter } from './destination.ts';
import { ErrorPage } from './error-page.tsx';
import { numberEntry, rememberEntry } from './history-entries.ts';
import { HomePage } from './home-page.tsx';
import { KeysPage } from './keys/list/keys-page.tsx';
import { NotFoundPage } from './not-found-page.tsx';
import { takeTokenFromFragment } from './session/session.ts';
import { TeamRoute } from './session/team-route.tsx';

// Both before the router is created, so that it never sees a token: neither at startup nor when a link is opened in this
// tab later. Listeners on the window are called in the order in which they were added.
takeTokenFromFragment('/');
addEventListener('popstate', () => {
  const { pathname, search } = router.state.location;
  takeTokenFromFragment(pathname + search);
  numberEntry();
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
        // Inside of the layout, so that the navigation stays.
        ErrorBoundary: ErrorPage,
        children: [
          { index: true, element: <HomePage /> },
          {
            path: 'teams/:teamId',
            element: <TeamRoute />,
            children: [
              { path: 'keys', element: <KeysPage /> },
              {
                path: 'keys/new',
                lazy: async () => ({ Component: (await import('./keys/create/create-key-page.tsx')).CreateKeyPage }),
              },
              {
                path: 'keys/:keyId',
                lazy: async () => ({ Component: (await import('./key/key-page.tsx')).KeyPage }),
              },
              {
                path: 'overview',
                lazy: async () => ({ Component: (await import('./team/team-page.tsx')).TeamPage }),
              },
              {
                path: 'try',
                lazy: async () => ({ Component: (await import('./explain/explain-page.tsx')).ExplainPage }),
              },
              {
                path: 'audit',
                lazy: async () => ({ Component: (await import('./audit/audit-page.tsx')).AuditPage }),
              },
              {
                path: 'import',
                lazy: async () => ({ Component: (await import('./import/import-page.tsx')).ImportPage }),
              },
            ],
          },
          { path: '*', element: <NotFoundPage /> },
        ],
      },
    ],
  },
]);
router.subscribe(rememberEntry);
router.subscribe(followRouter);
rememberEntry();
