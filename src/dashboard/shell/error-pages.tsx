/** The pages for unknown addresses, and for errors of the dashboard itself. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { FocusableButton } from '../components/form/focusable-button.tsx';
import { TextLink } from '../components/links.tsx';
import {
  type BuildState,
  buildState,
  isLoadFailure,
  loadFailures,
  reloadOnce,
} from '../components/loading/build-state.ts';
import { Page } from '../components/page.tsx';

export function NotFoundPage() {
  return (
    <Page title="There is no such page">
      <Text>
        The address may be incomplete. <TextLink to="/">Go to the keys</TextLink> of your first team.
      </Text>
    </Page>
  );
}

export function ErrorPage({ error }: { readonly error: unknown }) {
  return isLoadFailure(error) ? <PageNotLoaded /> : <Failed error={error} />;
}

function PageNotLoaded() {
  const [state, setState] = useState<BuildState | null>(null);
  useEffect(() => {
    void buildState().then((found) => {
      setState(found);
      if (found === 'upgraded') reloadOnce();
    });
  }, []);
  const retry = async () => {
    setState(null);
    const found = await buildState();
    // If the server is unreachable, a reload would show the browser's own error page.
    if (found === 'unreachable') setState(found);
    else location.reload();
  };
  return (
    <Page title="This page could not be loaded">
      <Alert role="alert">{loadFailures[state ?? 'same']}</Alert>
      <Group>
        <FocusableButton loading={state === null} onClick={retry}>
          Try again
        </FocusableButton>
      </Group>
    </Page>
  );
}

function Failed({ error }: { readonly error: unknown }) {
  return (
    <Page title="This page failed">
      <Alert color="red" role="alert">
        <Text size="sm">
          A part of the dashboard stopped with {error instanceof Error ? error.name : 'an error'}. Changes that were
          answered before are saved. The console of the browser has the details.
        </Text>
      </Alert>
      <Group>
        <Button onClick={() => location.reload()}>Load the page again</Button>
      </Group>
    </Page>
  );
}
