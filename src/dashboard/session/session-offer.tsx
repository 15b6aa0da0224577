/** Asks whether the session of an opened link replaces the one of this tab. */
import { Alert, Button, Code, Group, List, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { post } from '../api/execute.ts';
import { viewer } from '../api/operations.ts';
import { queryClient } from '../api/query-client.ts';
import { Dialog } from '../components/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { declineOffer, signIn, useSession } from './session.ts';

export function SessionOffer() {
  const { token, offer } = useSession();
  const present = useSessionFacts(token);
  const offered = useSessionFacts(offer);
  const navigate = useNavigate();
  const replace = () => {
    if (offer === null) return;
    signIn(offer);
    void queryClient.resetQueries();
    void navigate('/');
  };
  return (
    <Dialog opened={offer !== null} close={declineOffer} title="Replace your session?">
      <Stack>
        <Alert role="status">
          A link wants to sign you in with another session. The person who made the link may be able to see what you do.
        </Alert>
        <Facts title="Your session" {...present} />
        <Facts title="The session of the link" {...offered} />
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={declineOffer}>
            Keep mine
          </Button>
          <Button color="red" disabled={offered.data === undefined} onClick={replace}>
            Replace it
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Shows the subject and teams of a session, as the server verified them. Loaded only while the dialog is open. */
function useSessionFacts(token: string | null) {
  const { offer } = useSession();
  const { data, error } = useQuery({
    queryKey: ['session', token],
    queryFn: async ({ signal }) => (token === null ? null : (await post(viewer, {}, token, signal)).viewer),
    enabled: token !== null && offer !== null,
  });
  return { data: data ?? undefined, error };
}

function Facts({ title, data, error }: { readonly title: string } & ReturnType<typeof useSessionFacts>) {
  return (
    <Stack gap={4} component="section" aria-label={title}>
      <Text fw={600}>{title}</Text>
      {error !== null && <ErrorNotice error={error} />}
      {data === undefined && error === null && <Loader size="sm" aria-label="Loading" />}
      {data !== undefined && (
        <>
          <Text className="breakable">{data.subject}</Text>
          {data.teams.length === 0 && <Text size="sm">No team</Text>}
          <List size="sm">
            {data.teams.map(({ id, permissions }) => (
              <List.Item key={id}>
                Team <Code>{id}</Code>: {permissions.join(', ')}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </Stack>
  );
}
