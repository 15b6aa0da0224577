import { Alert, Code, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { Page } from '../components/page.tsx';
import { firstTeam, useViewer } from '../session/viewer.ts';
import { isStaying } from './destination.ts';

export function HomePage() {
  const { data: viewer } = useViewer();
  const team = viewer === undefined ? undefined : firstTeam(viewer);
  const list = team === undefined ? null : `/teams/${team.id}/keys`;
  const navigate = useNavigate();
  const location = useLocation();
  useEffect(() => {
    // The user has already chosen a page, whose code is still loading.
    if (!isStaying(location)) return;
    // Synchronous, because a transition would draw the list in slices, which takes a cold browser 0.2 s longer.
    if (list !== null) void navigate(list, { replace: true, flushSync: true });
  }, [list, navigate, location]);
  if (list !== null) return null;
  return (
    <Page title="No teams" width={760}>
      <Alert role="status">Your session token names no team. Sign in with a token that does.</Alert>
      <Text size="sm">
        Keys belong to teams, and the session token names the teams that you have access to. If an identity provider
        signs your tokens, ask its administrator to add a team to them. Otherwise, run{' '}
        <Code>npm run -s sign-in -- --team &lt;team id&gt;</Code> on the machine of the service. A team needs no
        registration: any UUID is one.
      </Text>
    </Page>
  );
}
