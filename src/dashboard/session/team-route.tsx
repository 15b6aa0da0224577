/** The pages of a team, or an error page if the session does not name the team. */
import { Code, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { TextLink } from '../components/links.tsx';
import { useLoaded } from '../components/loading/loaded.ts';
import { Page } from '../components/page.tsx';
import { fencesOf } from '../fences/fences.ts';
import { teamLabel, useMay, useViewer, type ViewerTeam } from './viewer.ts';

/** The maximum number of listed teams. A user finds the other teams with the search in the header. */
const maxListed = 10;

export function TeamRoute() {
  const { teamId = '' } = useParams({ strict: false });
  const { data: viewer } = useViewer();
  const { data: fences = [] } = useQuery({ ...fencesOf(teamId), enabled: useMay('view_team', teamId) });
  // Most pages have no fence, and the first one waits for no other scripts.
  const { part: FenceBanner } = useLoaded(loadFenceBanner, fences.length > 0);
  if (viewer === undefined) return null;
  const isKnown = viewer.teams.some(({ id }) => id === teamId);
  if (!isKnown) return <UnknownTeam teamId={teamId} teams={viewer.teams} />;
  return (
    <>
      {fences.length > 0 && FenceBanner && <FenceBanner teamId={teamId} fences={fences} />}
      <Outlet />
    </>
  );
}

const loadFenceBanner = async () => (await import('../fences/fence-banner.tsx')).FenceBanner;

function UnknownTeam({ teamId, teams }: { readonly teamId: string; readonly teams: readonly ViewerTeam[] }) {
  return (
    <Page title="Not a team of yours">
      <Text>
        Your session token does not name the team <Code className="breakable">{teamId}</Code>. Sign in with a token that
        does{teams.length > 0 && ', or choose one of your teams:'}
      </Text>
      <List>
        {teams.slice(0, maxListed).map((team) => (
          <List.Item key={team.id} className="breakable">
            <TextLink to="/teams/$teamId/keys" params={{ teamId: team.id }}>
              {teamLabel(team)}
            </TextLink>
          </List.Item>
        ))}
      </List>
    </Page>
  );
}
