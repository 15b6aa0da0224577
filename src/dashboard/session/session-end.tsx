/** Notices about the end of the session. The page stays usable, for example to copy a secret. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useAtNow, useIsPast } from '../components/clock.ts';
import { Moment } from '../components/moment.tsx';
import { provider } from './recover.ts';
import { askForRenewal, useSession } from './session.ts';
import { SignInLink } from './sign-in-link.tsx';
import { useSessionEnd } from './use-session-end.ts';

/** Enough to finish a form, and to get another token. */
const noticeMs = 5 * 60_000;

/** Announces the end of the session before it comes. Over the page, so that nothing on it moves. */
export function SessionEndsSoon() {
  const { end } = useSession();
  const endsAt = useSessionEnd();
  const [closed, setClosed] = useState<string>();
  const [announced, setAnnounced] = useState<string>();
  const { isSoon, isOver } = useRemaining(endsAt);
  useEffect(() => {
    if (isSoon) setAnnounced(endsAt);
  }, [isSoon, endsAt]);
  // If the end was never announced, and seems to be over, the clock of the browser is wrong.
  const isShown = isSoon || (isOver && announced === endsAt);
  if (endsAt === undefined || !isShown || end !== null || closed === endsAt) return null;
  return (
    <Alert
      className="session-soon"
      variant="outline"
      color="yellow"
      role="status"
      withCloseButton
      closeButtonLabel="Close"
      onClose={() => setClosed(endsAt)}
    >
      <Group justify="space-between">
        <Text size="sm">
          {isOver ? (
            'Your session has ended.'
          ) : (
            <>
              Your session ends <Moment at={endsAt} />.
            </>
          )}{' '}
          What you typed stays.
        </Text>
        {provider === '' ? (
          <Button size="compact-sm" onClick={askForRenewal}>
            Sign in again
          </Button>
        ) : (
          <SignInLink inWindow size="compact-sm">
            Stay signed in
          </SignInLink>
        )}
      </Group>
    </Alert>
  );
}

function useRemaining(endsAt: string | undefined) {
  const isNear = useAtNow((now) => endsAt !== undefined && Date.parse(endsAt) - now < noticeMs);
  const isOver = useIsPast(endsAt ?? null);
  return { isSoon: isNear && !isOver, isOver };
}

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
