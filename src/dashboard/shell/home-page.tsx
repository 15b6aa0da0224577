import { Alert, Code, Text } from '@mantine/core';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Page } from '../components/page.tsx';
import { firstTeam, useViewer } from '../session/viewer.ts';

export function HomePage() {
  const { data: viewer } = useViewer();
  const team = viewer === undefined ? undefined : firstTeam(viewer);
  const teamId = team?.id;
  const navigate = useNavigate();
  const router = useRouter();
  useEffect(() => {
    // The user has already chosen a page, whose code is still loading.
    if (teamId === undefined || router.latestLocation.pathname !== '/') return;
    void navigate({ to: '/teams/$teamId/keys', params: { teamId }, replace: true });
  }, [teamId, navigate, router]);
  if (teamId !== undefined) return null;
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
