/** The layout of every page: the header with session, team and navigation, and the dialogs that any page can show. */
import { UnstyledButton } from '@mantine/core';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { LeaveDialog } from '../components/dialog/leave-guard.tsx';
import { QueryView } from '../components/query-view.tsx';
import { Toaster } from '../components/toaster.tsx';
import { EarlyKeys } from '../keys/list/list-queries.tsx';
import { useSession } from '../session/session.ts';
import { SessionEndDialog, SessionEndNotice } from '../session/session-end.tsx';
import { SessionOffer } from '../session/session-offer.tsx';
import { SignInFailure } from '../session/sign-in-failure.tsx';
import { SignInByLink, SignInPage } from '../session/sign-in-page.tsx';
import { useViewer, type Viewer } from '../session/viewer.ts';
import { Header } from './header.tsx';
import { useLostFocus } from './lost-focus.ts';
import { usePageHeading } from './page-heading.ts';

export function App() {
  const { count, end, offer } = useSession();
  const query = useViewer();
  usePageHeading();
  useLostFocus();
  // A new `key` makes React discard all that was shown or typed in the previous session.
  if (query.data !== undefined) return <SignedIn key={count} viewer={query.data} />;
  if (end !== null && offer !== null) return <SignInByLink key={offer} token={offer} />;
  if (end !== null) return <SignInPage reason={end.message ?? undefined} />;
  return (
    <main className="main">
      <QueryView query={query}>{() => null}</QueryView>
    </main>
  );
}

function SignedIn({ viewer }: { readonly viewer: Viewer }) {
  return (
    <>
      <EarlyKeys viewer={viewer} />
      {/* A button and not a link, because the router uses the fragment. */}
      <UnstyledButton className="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </UnstyledButton>
      <Header viewer={viewer} />
      <Navigating />
      <main id="main" className="main" tabIndex={-1}>
        <SessionEndNotice />
        <SignInFailure />
        <Outlet />
      </main>
      <LeaveDialog />
      <SessionOffer present={viewer} />
      <SessionEndDialog viewer={viewer} />
      <Toaster />
    </>
  );
}

/** Shows that the code of a page is loading, after a delay, so that fast navigations do not flicker. */
function Navigating() {
  const isLoading = useRouterState({ select: (state) => state.isLoading });
  if (!isLoading) return null;
  return <div className="navigating" role="progressbar" aria-label="Loading the page" />;
}
