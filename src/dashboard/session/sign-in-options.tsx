/** The ways to sign in: at the identity provider, if there is one, and with a token. */
import { Alert, Stack } from '@mantine/core';
import { provider } from './recover.ts';
import { SignInForm } from './sign-in-form.tsx';
import { SignInLink } from './sign-in-link.tsx';
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
          <SignInLink inWindow={inWindow} size="md" fullWidth>
            Sign in with {provider}
          </SignInLink>
          <details>
            <summary>Use a token</summary>
            {form}
          </details>
        </>
      )}
    </Stack>
  );
}
