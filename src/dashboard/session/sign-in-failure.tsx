import { Alert } from '@mantine/core';
import type { SignInFailure as Failure } from '../../domain/sign-in-failure.ts';
import { fromServer } from '../server-values.ts';
import { provider } from './recover.ts';
import { failSignIn, useSession } from './session.ts';

const again = 'Try again.';
const toAdministrator = 'The log of the service has the reason: ask its administrator.';

const words: Readonly<Record<Failure, string>> = {
  cancelled: `You or ${provider} cancelled the sign-in. ${again}`,
  expired: `The sign-in took too long, was used before, or began in another browser. ${again}`,
  'cross-site': 'A page of another site started the sign-in. Start it here, if you want to sign in.',
  rejected: `The answer of ${provider} is not valid. ${toAdministrator}`,
  'no-teams': `${provider} names no team in the claim “${fromServer('teams-claim')}”. Ask its administrator for the group or role of your team.`,
  'too-large': `${provider} names more teams than a session can hold. Ask its administrator for fewer.`,
  unavailable: `${provider} does not answer. Try again later, or use a token.`,
  unusable: `Latchkey can’t use ${provider}: the configuration of one of them is wrong. ${toAdministrator}`,
  'rate-limited': 'There were too many sign-ins. Wait a minute, and try again.',
};

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
      {Object.entries(words).find(([code]) => code === failure)?.[1] ?? `${provider} did not sign you in. ${again}`}
    </Alert>
  );
}
