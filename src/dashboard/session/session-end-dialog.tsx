/** Asks the user to sign in again, also before the session ends. The page and what the user typed stay. */
import { Button, Stack } from '@mantine/core';
import { Dialog } from '../components/dialog/dialog.tsx';
import { continues } from './recover.ts';
import { declineRenewal, offerSession, useSession } from './session.ts';
import { SignInOptions } from './sign-in-options.tsx';
import { enterSuccessor, resume, type Viewer } from './viewer.ts';

export function SessionEndDialog({ viewer }: { readonly viewer: Viewer }) {
  const { end, offer, declined, renewing } = useSession();
  const isHidden = end?.isHidden === true;
  return (
    <Dialog
      layer="session"
      opened={(end === null ? renewing : !declined) && offer === null}
      close={isHidden ? undefined : declineRenewal}
      isOpaque={isHidden}
      title="Sign in again"
    >
      <Stack gap="xs">
        <SignInOptions
          inWindow
          reason={`${end === null ? 'Your session then goes on.' : (end.message ?? '')} What ${viewer.subject} typed is still there.`}
          accept={async (token, accepted) =>
            continues(accepted, viewer) ? await resume(token, accepted) : offerSession(token)
          }
        />
        {end?.successor != null && (
          <Button variant="default" fullWidth className="breakable" h="auto" mih={36} onClick={enterSuccessor}>
            Discard it, and continue as {end.successor}
          </Button>
        )}
        {!isHidden && (
          <Button variant="subtle" fullWidth onClick={declineRenewal}>
            Not now
          </Button>
        )}
      </Stack>
    </Dialog>
  );
}
