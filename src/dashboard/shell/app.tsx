/** The layout of every page: the header with session, team and navigation, and the dialogs that any page can show. */
import { Alert, Button, Group, UnstyledButton } from '@mantine/core';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Dialog } from '../components/dialog/dialog.tsx';
import { LeaveDialog } from '../components/dialog/leave-guard.tsx';
import { QueryView } from '../components/query-view.tsx';
import { Toaster } from '../components/toaster.tsx';
import { EarlyKeys } from '../keys/list/list-queries.tsx';
import { askForRenewal, declineRenewal, offerSession, useSession } from '../session/session.ts';
import { SessionOffer } from '../session/session-offer.tsx';
import { SignInForm } from '../session/sign-in-form.tsx';
import { SignInByLink, SignInPage } from '../session/sign-in-page.tsx';
import { continues, renew, useViewer, type Viewer } from '../session/viewer.ts';
import { Header } from './header.tsx';
import { useLostFocus } from './lost-focus.ts';
import { usePageHeading } from './page-heading.ts';

export function App() {
  const { token, offer, count } = useSession();
  usePageHeading();
  useLostFocus();
  // A new `key` makes React discard all that was shown or typed in the previous session.
  if (token !== null) return <SignedIn key={count} />;
  return offer === null ? <SignInPage /> : <SignInByLink key={offer} token={offer} />;
}

function SignedIn() {
  const { rejection, offer, declined } = useSession();
  const query = useViewer();
  const viewer = query.data;
  // The stored token was rejected before any page was shown.
  if (viewer === undefined && rejection !== null)
    return offer === null ? <SignInPage reason={rejection} /> : <SignInByLink key={offer} token={offer} />;
  const hasEnded = viewer !== undefined && rejection !== null;
  return (
    <>
      {viewer !== undefined && <EarlyKeys viewer={viewer} />}
      {/* A button and not a link, because the router uses the fragment. */}
      <UnstyledButton className="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </UnstyledButton>
      <Header viewer={viewer} />
      <Navigating />
      <main id="main" className="main" tabIndex={-1}>
        {hasEnded && declined && <SessionEnded />}
        {viewer === undefined ? <QueryView query={query}>{() => null}</QueryView> : <Outlet />}
      </main>
      <LeaveDialog />
      <Toaster />
      <SessionOffer present={viewer} />
      <Dialog
        layer="session"
        opened={hasEnded && !declined && offer === null}
        close={declineRenewal}
        title="Sign in again"
      >
        {viewer !== undefined && <Renewal viewer={viewer} rejection={rejection} />}
      </Dialog>
    </>
  );
}

/** Shows that the code of a page is loading, after a delay, so that fast navigations do not flicker. */
function Navigating() {
  const isLoading = useRouterState({ select: (state) => state.isLoading });
  if (!isLoading) return null;
  return <div className="navigating" role="progressbar" aria-label="Loading the page" />;
}

/** Asks for another token, which continues the session of the same user or is offered as a new session. */
function Renewal({ viewer, rejection }: { readonly viewer: Viewer; readonly rejection: string | null }) {
  return (
    <>
      <SignInForm
        reason={`${rejection ?? ''} What you typed is still there.`}
        accept={(token, accepted) => (continues(accepted, viewer) ? renew(token, accepted) : offerSession(token))}
      />
      <Button variant="subtle" fullWidth mt="xs" onClick={declineRenewal}>
        Not now
      </Button>
    </>
  );
}

/** A notice above the page, which stays usable, for example to copy a secret. */
function SessionEnded() {
  return (
    <Alert className="session-over" variant="outline" color="yellow" role="status" mb="md">
      <Group justify="space-between">
        Your session has ended. Nothing is loaded or saved until you sign in.
        <Button size="compact-sm" onClick={askForRenewal}>
          Sign in
        </Button>
      </Group>
    </Alert>
  );
}
