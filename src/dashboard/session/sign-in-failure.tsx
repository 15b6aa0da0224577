import { Alert } from '@mantine/core';
import { provider } from './recover.ts';
import { failSignIn, useSession } from './session.ts';

/** The codes that the server puts into the address, and what the user can do. */
const words: Readonly<Record<string, string>> = {};

/** Says why the last sign-in at the identity provider failed, and what to do. */
export function SignInFailure() {
  const { failure } = useSession();
  if (failure === null) return null;
  return (
    <Alert
      color="red"
      role="alert"
      title="You could not be signed in"
      mb="md"
      withCloseButton
      closeButtonLabel="Close"
      onClose={() => failSignIn(null)}
    >
      {words[failure] ?? `${provider} did not sign you in. Try again.`}
    </Alert>
  );
}
