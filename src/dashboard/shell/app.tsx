/** The layout of every page: the header with session, team and navigation, and the dialogs that any page can show. */
import { UnstyledButton } from '@mantine/core';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { useLayoutEffect } from 'react';
import { useIsGuarded } from '../components/dialog/leave-guard.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useLoaded } from '../components/loading/loaded.ts';
import { NotLoaded } from '../components/loading/not-loaded.tsx';
import { Toaster } from '../components/toaster.tsx';
import { EarlyKeys } from '../keys/list/list-queries.tsx';
import { useSession } from '../session/session.ts';
import { SessionEndNotice, SessionEndsSoon } from '../session/session-end.tsx';
import { SignInFailure } from '../session/sign-in-failure.tsx';
import { useViewer, type Viewer } from '../session/viewer.ts';
import { Header } from './header.tsx';
import { useLostFocus } from './lost-focus.ts';
import { usePageHeading } from './page-heading.ts';

export function App() {
  const { count, end, offer } = useSession();
  const query = useViewer();
  usePageHeading();
  useLostFocus();
  useOpened(query.data !== undefined || query.error !== null);
  // A new `key` makes React discard all that was shown or typed in the previous session.
  if (query.data !== undefined) return <SignedIn key={count} viewer={query.data} />;
  if (end !== null) return <SignedOut offer={offer} reason={end.message ?? undefined} />;
  if (query.error === null) return null;
  return (
    <main className="main">
      <ErrorNotice error={query.error} retry={query.refetch} retrying={query.isFetching} />
    </main>
  );
}

/** Removes the part of index.html that is shown before the page is known. */
function useOpened(isOpened: boolean): void {
  useLayoutEffect(() => {
    if (isOpened) document.getElementById('opening')?.remove();
  }, [isOpened]);
}

interface SignedOutProps {
  readonly offer: string | null;
  readonly reason: string | undefined;
}

const loadSignIn = async () => await import('../session/sign-in-page.tsx');

function SignedOut({ offer, reason }: SignedOutProps) {
  const { part, failed, retry } = useLoaded(loadSignIn, true);
  useOpened(part !== undefined || failed);
  if (failed) {
    return (
      <main className="main">
        <NotLoaded what="The sign-in" retry={retry} />
      </main>
    );
  }
  if (part === undefined) return null;
  return offer === null ? <part.SignInPage reason={reason} /> : <part.SignInByLink key={offer} token={offer} />;
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
        <SessionEndsSoon />
        <SignInFailure />
        <Outlet />
      </main>
      <Dialogs viewer={viewer} />
      <Toaster />
    </>
  );
}

const loadDialogs = async () => (await import('./page-dialogs.tsx')).PageDialogs;

function Dialogs({ viewer }: { readonly viewer: Viewer }) {
  const { end, offer, renewing } = useSession();
  const isGuarded = useIsGuarded();
  const isWanted = isGuarded || renewing || end !== null || offer !== null;
  const { part: PageDialogs, failed, retry } = useLoaded(loadDialogs, isWanted);
  if (PageDialogs !== undefined) return <PageDialogs viewer={viewer} />;
  if (end?.isHidden !== true && !failed) return null;
  return (
    // Data of a session that must not be shown anymore is covered at once.
    <div className={end?.isHidden === true ? 'cover' : 'not-covering'}>
      {failed && <NotLoaded what="A question" retry={retry} />}
    </div>
  );
}

/** Shows that the code of a page is loading, after a delay, so that fast navigations do not flicker. */
function Navigating() {
  const isLoading = useRouterState({ select: (state) => state.isLoading });
  if (!isLoading) return null;
  return <div className="navigating" role="progressbar" aria-label="Loading the page" />;
}
