/** The layout of every page: the header with session, team and navigation, and the dialogs for sign-in. */
import { AppShell, Loader, UnstyledButton } from '@mantine/core';
import { Outlet } from 'react-router';
import { Dialog } from './components/dialog.tsx';
import { ErrorNotice } from './components/error-notice.tsx';
import { Header } from './header.tsx';
import { useSession } from './session/session.ts';
import { SessionOffer } from './session/session-offer.tsx';
import { SignInForm } from './session/sign-in-form.tsx';
import { SignInPage } from './session/sign-in-page.tsx';
import { useViewer } from './session/viewer.ts';

export function App() {
  const { token } = useSession();
  return token === null ? <SignInPage /> : <SignedIn />;
}

function SignedIn() {
  const { rejection, offer } = useSession();
  const { data: viewer, error, refetch, isFetching } = useViewer();
  return (
    <AppShell header={{ height: 104 }} padding="md">
      <UnstyledButton className="skip" onClick={skipToMain}>
        Skip to the content
      </UnstyledButton>
      <Header viewer={viewer} />
      <AppShell.Main id="main" tabIndex={-1} maw={1400}>
        {viewer !== undefined && <Outlet />}
        {viewer === undefined && error === null && <Loader aria-label="Loading" />}
        {viewer === undefined && error !== null && <ErrorNotice error={error} retry={refetch} retrying={isFetching} />}
      </AppShell.Main>
      <SessionOffer />
      <Dialog opened={rejection !== null && offer === null} title="Sign in again">
        <SignInForm reason={`${rejection ?? ''} What you typed is still there.`} />
      </Dialog>
    </AppShell>
  );
}

/** A button and not a link, because the router uses the fragment. */
function skipToMain(): void {
  document.getElementById('main')?.focus();
}
