/** The page for errors of the dashboard itself. Mostly, a part of it could not be loaded. */
import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useRouteError } from 'react-router';
import { type BuildState, buildState, isLoadFailure, reloadOnce } from './build-state.ts';
import { FocusableButton } from './components/focusable-button.tsx';

export function ErrorPage() {
  const error = useRouteError();
  return isLoadFailure(error) ? <NotLoaded /> : <Failed error={error} />;
}

function NotLoaded() {
  const [state, setState] = useState<BuildState | null>(null);
  useEffect(() => {
    const look = async () => {
      const found = await buildState();
      setState(found);
      if (found === 'upgraded') reloadOnce();
    };
    void look();
  }, []);
  const retry = async () => {
    setState(null);
    const found = await buildState();
    // Without the server, the browser would show an error page of its own.
    if (found === 'unreachable') setState(found);
    else location.reload();
  };
  return (
    <Stack>
      <Title order={1} size="h2">
        This page could not be loaded
      </Title>
      <Alert role="alert">
        {state === 'unreachable' && 'The server can’t be reached. Check that it is running.'}
        {state === 'upgraded' && 'The server has been upgraded. Load the page again to use the new version.'}
        {(state === 'same' || state === null) && 'The connection to the server may have been interrupted.'}
      </Alert>
      <Group>
        <FocusableButton loading={state === null} onClick={retry}>
          Try again
        </FocusableButton>
      </Group>
    </Stack>
  );
}

function Failed({ error }: { readonly error: unknown }) {
  return (
    <Stack>
      <Title order={1} size="h2">
        This page failed
      </Title>
      <Alert color="red" role="alert">
        <Text size="sm">
          A part of the dashboard stopped with {error instanceof Error ? error.name : 'an error'}. Changes that were
          answered before are saved. The console of the browser has the details.
        </Text>
      </Alert>
      <Group>
        <Button onClick={() => location.reload()}>Load the page again</Button>
      </Group>
    </Stack>
  );
}
