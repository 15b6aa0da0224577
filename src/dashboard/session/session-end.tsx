/** Asks the user to sign in again after the session has ended. The page and what the user typed stay. */
import { Alert, Button, Group, Stack } from '@mantine/core';
import { Dialog } from '../components/dialog/dialog.tsx';
import { continues } from './recover.ts';
import { askForRenewal, declineRenewal, offerSession, useSession } from './session.ts';
import { SignInOptions } from './sign-in-options.tsx';
import { enterSuccessor, resume, type Viewer } from './viewer.ts';

export function SessionEndDialog({ viewer }: { readonly viewer: Viewer }) {
  const { end, offer, declined } = useSession();
  const isHidden = end?.isHidden === true;
  return (
    <Dialog
      layer="session"
      opened={end !== null && !declined && offer === null}
      close={isHidden ? undefined : declineRenewal}
      isOpaque={isHidden}
      title="Sign in again"
    >
      <Stack gap="xs">
        <SignInOptions
          inWindow
          reason={`${end?.message ?? ''} What ${viewer.subject} typed is still there.`}
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

/** A notice above the page, which stays usable, for example to copy a secret. */
export function SessionEndNotice() {
  const { end, declined } = useSession();
  if (end === null || !declined) return null;
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
