import { Alert, Code, Text } from '@mantine/core';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Page } from '../components/page.tsx';
import { fromServer } from '../server-values.ts';
import { provider } from '../session/recover.ts';
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
      {provider === '' ? <NoTeamInToken /> : <NoTeamAtProvider />}
    </Page>
  );
}

function NoTeamAtProvider() {
  return (
    <>
      <Alert role="status">You are signed in, but {provider} names no team that you have access to.</Alert>
      <Text size="sm">
        Keys belong to teams. {provider} lists your teams in the claim <Code>{fromServer('teams-claim')}</Code>, which
        is empty for you. Ask the administrator of {provider} for the group or role of your team. Then sign out, with
        the button at the upper right, and sign in again.
      </Text>
    </>
  );
}

function NoTeamInToken() {
  return (
    <>
      <Alert role="status">Your session token names no team. Sign in with a token that does.</Alert>
      <Text size="sm">
        Keys belong to teams, and the session token names the teams that you have access to. If an identity provider
        signs your tokens, ask its administrator to add a team to the claim <Code>{fromServer('teams-claim')}</Code>.
        Otherwise, run <Code>npm run -s sign-in -- --team &lt;team id&gt;</Code> on the machine of the service. A team
        needs no registration: any UUID is one.
      </Text>
    </>
  );
}
