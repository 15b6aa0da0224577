/** Asks the user whether another session, for example from an opened link, replaces this tab's session. */
import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useSubmit } from '../api/use-submit.ts';
import { Dialog } from '../components/dialog/dialog.tsx';
import { askToLeave } from '../components/dialog/leave-guard.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { continues } from './recover.ts';
import { useSession } from './session.ts';
import { problemOfToken } from './token.ts';
import { enter, rejectOffer, resume, teamLabel, useOfferedViewer, type Viewer } from './viewer.ts';

export function SessionOffer({ present }: { readonly present: Viewer | undefined }) {
  const { offer } = useSession();
  const { data: offered, error } = useOfferedViewer(offer);
  const problem = offer === null ? null : problemOfToken(offer);
  const navigate = useNavigate();
  const { submit, error: startError } = useSubmit({
    mutationFn: async () => {
      if (offer === null || offered === undefined) return;
      if (isSame) return await resume(offer, offered);
      await enter(offer, offered);
      await navigate({ to: '/' });
    },
  });
  const isSame = offered !== undefined && continues(offered, present);
  const isAsked = offer !== null && !isSame && (offered !== undefined || error !== null || problem !== null);
  // The link of the user's own session, opened again, asks nothing.
  useEffect(() => {
    if (isSame) submit();
  }, [isSame, submit]);
  return (
    <Dialog layer="session" opened={isAsked} close={rejectOffer} title="Replace your session?">
      <Stack>
        <Alert role="status">
          This is another session than yours. If a link asks for it, the person who made the link may be able to see
          what you do.
        </Alert>
        <Facts title="Your session" viewer={present} />
        <Facts title="The new session" viewer={offered} error={error ?? startError} problem={problem} />
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={rejectOffer}>
            Keep mine
          </Button>
          <Button color="red" disabled={offered === undefined} onClick={() => askToLeave(submit)}>
            Replace it
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

interface FactsProps {
  readonly title: string;
  readonly viewer: Viewer | undefined;
  readonly error?: unknown;
  readonly problem?: string | null;
}

/** Whose session it is, with the teams and permissions. */
export function Facts({ title, viewer, error = null, problem = null }: FactsProps) {
  return (
    <Stack gap={4} component="section" aria-label={title}>
      <Text fw={600} className="breakable">
        {title}
      </Text>
      {error !== null && <ErrorNotice error={error} />}
      {problem !== null && (
        <Alert color="red" role="alert">
          {problem}
        </Alert>
      )}
      {viewer !== undefined && (
        <>
          <Text className="breakable">{viewer.subject}</Text>
          {viewer.teams.length === 0 && <Text size="sm">No team</Text>}
          <List size="sm">
            {viewer.teams.map((team) => (
              <List.Item key={team.id} className="breakable">
                Team {teamLabel(team)}: {team.permissions.join(', ')}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </Stack>
  );
}
