import { Loader } from '@mantine/core';
import { createHashRouter, Navigate } from 'react-router';
import { App } from './app.tsx';
import { HomePage } from './home-page.tsx';
import { KeysPage } from './keys/keys-page.tsx';
import { takeTokenFromFragment } from './session/session.ts';

// Both before the router is created, so that it never sees a token: neither at startup nor when a link is opened in this
// tab later. Listeners on the window are called in the order in which they were added.
takeTokenFromFragment('/');
addEventListener('popstate', (event) => {
  const { pathname, search } = router.state.location;
  if (takeTokenFromFragment(pathname + search)) event.stopImmediatePropagation();
});

/**
 * Routes are in the fragment, so that no path, filter or search reaches a server's log. The most used pages are part of
 * the first bundle; the others are loaded on demand.
 */
export const router = createHashRouter([
  {
    element: <App />,
    HydrateFallback: () => <Loader aria-label="Loading" />,
    children: [
      { index: true, element: <HomePage /> },
      { path: 'teams/:teamId/keys', element: <KeysPage /> },
      {
        path: 'teams/:teamId/keys/new',
        lazy: async () => ({ Component: (await import('./keys/create-key-page.tsx')).CreateKeyPage }),
      },
      {
        path: 'teams/:teamId/keys/:keyId',
        lazy: async () => ({ Component: (await import('./key/key-page.tsx')).KeyPage }),
      },
      {
        path: 'teams/:teamId/overview',
        lazy: async () => ({ Component: (await import('./team/team-page.tsx')).TeamPage }),
      },
      {
        path: 'teams/:teamId/try',
        lazy: async () => ({ Component: (await import('./explain/explain-page.tsx')).ExplainPage }),
      },
      {
        path: 'teams/:teamId/audit',
        lazy: async () => ({ Component: (await import('./audit/audit-page.tsx')).AuditPage }),
      },
      {
        path: 'teams/:teamId/import',
        lazy: async () => ({ Component: (await import('./import/import-page.tsx')).ImportPage }),
      },
      { path: '*', element: <Navigate to="/" replace /> },
    ],
  },
]);
