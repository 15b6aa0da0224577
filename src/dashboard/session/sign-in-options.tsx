/** The ways to sign in: at the identity provider, if there is one, and with a token. */
import { Alert, Button, Stack } from '@mantine/core';
import type { MouseEvent } from 'react';
import { rememberPlace } from './arrival.ts';
import { provider } from './recover.ts';
import { SignInForm } from './sign-in-form.tsx';
import type { Viewer } from './viewer.ts';

interface Props {
  readonly reason?: string | undefined;
  /** Signs in in another window, so that this page and what the user typed stay. */
  readonly inWindow?: boolean;
  readonly accept?: (token: string, viewer: Viewer) => Promise<void>;
}

export function SignInOptions({ reason, inWindow = false, accept }: Props) {
  const form = <SignInForm accept={accept} />;
  return (
    <Stack>
      {reason !== undefined && <Alert role="status">{reason}</Alert>}
      {!isSecureContext && (
        <Alert color="red" role="alert">
          The browser keeps no session for this address. Open the dashboard over HTTPS or, on the machine of the
          service, at localhost.
        </Alert>
      )}
      {provider === '' ? (
        form
      ) : (
        <>
          <SignInLink inWindow={inWindow} />
          <details>
            <summary>Use a token</summary>
            {form}
          </details>
        </>
      )}
    </Stack>
  );
}

function SignInLink({ inWindow }: { readonly inWindow: boolean }) {
  const open = (event: MouseEvent) => {
    if (!inWindow) rememberPlace();
    // Without a window, because the browser blocks it, the link opens a tab.
    else if (window.open(signInUrl('/signed-in'), 'latchkey-sign-in', 'popup,width=500,height=720') !== null)
      event.preventDefault();
  };
  return (
    <Button
      component="a"
      size="md"
      fullWidth
      data-autofocus
      href={signInUrl(inWindow ? '/signed-in' : '/')}
      target={inWindow ? '_blank' : '_self'}
      onClick={open}
    >
      Sign in with {provider}
    </Button>
  );
}

function signInUrl(place: string): string {
  return `/session/sign-in?${new URLSearchParams({ return: place })}`;
}
