import { Loader } from '@mantine/core';
import { createHashRouter, Navigate } from 'react-router';
import { App } from './app.tsx';
import { HomePage } from './home-page.tsx';
import { KeysPage } from './keys/keys-page.tsx';
import { takeTokenFromFragment } from './session/session.ts';

// Both before the router is made: it must neither see the token at the start nor hear of it first, when somebody follows
// the link in a tab that is here already. (Of listeners on the window, the one that was added first is called first.)
takeTokenFromFragment('/');
addEventListener('popstate', (event) => {
  const { pathname, search } = router.state.location;
  if (takeTokenFromFragment(pathname + search)) event.stopImmediatePropagation();
});

/**
 * In the fragment, so that no path, filter or search of a team's keys ever reaches a server's log. What most people see
 * first comes with the page, the rest when it is gone to.
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
      { path: '*', element: <Navigate to="/" replace /> },
    ],
  },
]);
