import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { trailSearch } from '../audit/trail-search.ts';
import { keySearch } from '../key/key-search.ts';
import { listSearch } from '../keys/filter/key-query.ts';
import { KeysPage } from '../keys/list/keys-page.tsx';
import { membersSearch } from '../members/members.ts';
import { takeTokenFromFragment } from '../session/session.ts';
import { TeamRoute } from '../session/team-route.tsx';
import { webhookSearch } from '../webhooks/webhook-search.ts';
import { App } from './app.tsx';
import { ErrorPage, NotFoundPage } from './error-pages.tsx';
import { HomePage } from './home-page.tsx';
import { only, parseSearch, type Search, stringifySearch, texts } from './search.ts';

// The router must never see a token. At startup, the token is taken before the router is created. From later links,
// this listener takes the token: the window calls it before the router's listener, because it was added first.
takeTokenFromFragment('/');
addEventListener('popstate', () => {
  const { href, state } = hashHistory.location;
  numberEntry(state.__TSR_index + 1);
  takeTokenFromFragment(href);
});
/** Routes are in the fragment, so that no path, filter or search reaches a server's log. */
const hashHistory = createHashHistory();

/**
 * Numbers the history entry that the browser makes for a typed address or a link with a fragment. TanStack Router
 * numbers only its own entries, and can't undo a navigation to other entries, so leave guards would be ignored.
 */
function numberEntry(index: number): void {
  if (history.state !== null) return;
  // Not the method of `history`, which the router has replaced by one that also navigates.
  History.prototype.replaceState.call(history, { __TSR_index: index, key: `typed-${performance.now()}` }, '');
}

/** Returns a page that is loaded on demand. The router calls `preload`, and shows the page when it has loaded. */
function onDemand(load: () => Promise<ComponentType>): RouteComponent {
  let Page: ComponentType = () => null;
  const preload = async () => {
    try {
      Page = await load();
    } catch (error) {
      Page = () => <ErrorPage error={error} />;
    }
  };
  return Object.assign(() => <Page />, { preload });
}

const rootRoute = createRootRoute({ component: App });
const teamRoute = createRoute({ getParentRoute: () => rootRoute, path: 'teams/$teamId', component: TeamRoute });
const ofTeam = { getParentRoute: () => teamRoute };

const routeTree = rootRoute.addChildren([
  createRoute({ getParentRoute: () => rootRoute, path: '/', component: HomePage }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'signed-in',
    component: onDemand(async () => (await import('../session/signed-in-page.tsx')).SignedInPage),
  }),
  teamRoute.addChildren([
    createRoute({
      ...ofTeam,
      path: '/',
      beforeLoad: ({ params }) => {
        throw redirect({ to: '/teams/$teamId/keys', params, replace: true });
      },
    }),
    createRoute({ ...ofTeam, path: 'keys', validateSearch: only(listSearch), component: KeysPage }),
    createRoute({
      ...ofTeam,
      path: 'keys/new',
      // The settings of a link to the form are read when the form is shown.
      validateSearch: (search: Search & { readonly from?: string }) => search,
      component: onDemand(async () => (await import('../keys/create/create-key-page.tsx')).CreateKeyPage),
    }),
    createRoute({
      ...ofTeam,
      path: 'keys/$keyId',
      validateSearch: only(keySearch),
      component: onDemand(async () => (await import('../key/key-page.tsx')).KeyPage),
    }),
    createRoute({
      ...ofTeam,
      path: 'overview',
      validateSearch: only(texts(['period', 'bar'])),
      component: onDemand(async () => (await import('../team/team-page.tsx')).TeamPage),
    }),
    createRoute({
      ...ofTeam,
      path: 'try',
      validateSearch: only(texts(['prefix'])),
      component: onDemand(async () => (await import('../explain/explain-page.tsx')).ExplainPage),
    }),
    createRoute({
      ...ofTeam,
      path: 'audit',
      validateSearch: only(trailSearch),
      component: onDemand(async () => (await import('../audit/audit-page.tsx')).AuditPage),
    }),
    createRoute({
      ...ofTeam,
      path: 'addresses',
      validateSearch: only(texts(['address'])),
      component: onDemand(async () => (await import('../team/address-page.tsx')).AddressPage),
    }),
    createRoute({
      ...ofTeam,
      path: 'webhooks',
      component: onDemand(async () => (await import('../webhooks/webhooks-page.tsx')).WebhooksPage),
    }),
    createRoute({
      ...ofTeam,
      path: 'webhooks/new',
      component: onDemand(async () => (await import('../webhooks/new-webhook-page.tsx')).NewWebhookPage),
    }),
    createRoute({
      ...ofTeam,
      path: 'webhooks/$webhookId',
      validateSearch: only(webhookSearch),
      component: onDemand(async () => (await import('../webhooks/webhook-page.tsx')).WebhookPage),
    }),
    createRoute({
      ...ofTeam,
      path: 'access',
      component: onDemand(async () => (await import('../access/access-page.tsx')).AccessPage),
    }),
    createRoute({
      ...ofTeam,
      path: 'access/keys/new',
      component: onDemand(async () => (await import('../access/new-management-key-page.tsx')).NewManagementKeyPage),
    }),
    createRoute({
      ...ofTeam,
      path: 'access/keys/$managementKeyId',
      component: onDemand(async () => (await import('../access/management-key-page.tsx')).ManagementKeyPage),
    }),
    createRoute({
      ...ofTeam,
      path: 'access/rules/new',
      component: onDemand(async () => (await import('../access/new-trust-rule-page.tsx')).NewTrustRulePage),
    }),
    createRoute({
      ...ofTeam,
      path: 'policy',
      component: onDemand(async () => (await import('../policy/policy-page.tsx')).PolicyPage),
    }),
    createRoute({
      ...ofTeam,
      path: 'freeze',
      component: onDemand(async () => (await import('../fences/freeze-page.tsx')).FreezePage),
    }),
    createRoute({
      ...ofTeam,
      path: 'members',
      validateSearch: only(membersSearch),
      component: onDemand(async () => (await import('../members/members-page.tsx')).MembersPage),
    }),
    createRoute({
      ...ofTeam,
      path: 'import',
      component: onDemand(async () => (await import('../import/import-page.tsx')).ImportPage),
    }),
  ]),
]);

export const router = createRouter({
  routeTree,
  history: hashHistory,
  parseSearch,
  stringifySearch,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface HistoryState {
    /** The part of the next page that gets the focus. Default: its heading. */
    readonly focus?: 'search';
    /** The known cursors of the previous pages of a list. */
    readonly cursors?: readonly string[];
    /** What was typed into the search of a list. It can be a secret, so only a part that is none enters the URL. */
    readonly searched?: string;
  }
}
