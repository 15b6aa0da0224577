import { Alert, Button, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { type BuildState, buildState, loadFailures } from './build-state.ts';

interface Props {
  readonly what: string;
  readonly retry: () => void;
}

/** Replaces a part of the page that could not be loaded. The rest of the page stays. */
export function NotLoaded({ what, retry }: Props) {
  const [state, setState] = useState<BuildState | null>(null);
  useEffect(() => {
    void buildState().then(setState);
  }, []);
  const isUpgraded = state === 'upgraded';
  return (
    <Alert color="red" role="alert" title={`${what} could not be loaded`}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{loadFailures[isUpgraded ? 'upgraded' : 'same']}</Text>
        <Button
          size="compact-sm"
          variant="default"
          loading={state === null}
          // Before the reload, a mounted `LeaveGuard` asks the user.
          onClick={isUpgraded ? () => location.reload() : retry}
        >
          {isUpgraded ? 'Load the page again' : 'Try again'}
        </Button>
      </Stack>
    </Alert>
  );
}
