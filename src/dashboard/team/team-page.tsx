import { Alert, Anchor, Loader, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { Link, useParams } from 'react-router';
import { execute } from '../api/execute.ts';
import { teamOverview, teamUsage } from '../api/operations.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Section } from '../components/section.tsx';
import type { TeamOverviewQuery } from '../generated/graphql.ts';
import { useMay } from '../session/viewer.ts';
import { Use } from '../usage/use.tsx';

type Count = Exclude<keyof TeamOverviewQuery['keysOverview'], '__typename'>;

const counts: readonly { readonly count: Count; readonly label: string; readonly filter: string }[] = [
  { count: 'active', label: 'Active', filter: 'state=active' },
  { count: 'expiringSoon', label: 'Expire within 14 days', filter: 'state=active&expiry=soon&sort=EXPIRES_AT' },
  { count: 'neverUsed', label: 'Never used', filter: 'state=active&use=never' },
  { count: 'unusedFor90Days', label: 'Unused for 90 days', filter: 'state=active&use=long' },
  { count: 'expired', label: 'Expired', filter: 'state=expired' },
];

/** Shows counts of keys that may need attention, and the usage of the team's keys. */
export function TeamPage() {
  const { teamId = '' } = useParams();
  const mayView = useMay('view_team', teamId);
  return (
    <Stack>
      <Title order={1} size="h2">
        Overview
      </Title>
      <Text size="sm" c="dimmed" className="breakable">
        Team {teamId}
      </Text>
      {mayView ? (
        <>
          <Counts teamId={teamId} />
          <Section title="Calls">
            <TeamUse teamId={teamId} />
          </Section>
        </>
      ) : (
        <Alert title="Not for this session" role="status">
          Your session token does not grant view_team on this team.
        </Alert>
      )}
    </Stack>
  );
}

function Counts({ teamId }: { readonly teamId: string }) {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['overview', teamId],
    queryFn: async ({ signal }) => (await execute(teamOverview, { teamId }, signal)).keysOverview,
  });
  if (error !== null) return <ErrorNotice error={error} retry={refetch} retrying={isFetching} />;
  if (data === undefined) return <Loader aria-label="Loading" />;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, md: 5 }}>
      {counts.map(({ count, label, filter }) => (
        <Paper key={count} withBorder p="md">
          <Anchor component={Link} to={`/teams/${teamId}/keys?${filter}`} c="var(--mantine-color-text)">
            <Text size="xl" fw={700}>
              {data[count].toLocaleString()}
            </Text>
            <Text size="sm">{label}</Text>
          </Anchor>
        </Paper>
      ))}
    </SimpleGrid>
  );
}

function TeamUse({ teamId }: { readonly teamId: string }) {
  const read = useCallback(
    async (from: Date, to: Date, signal: AbortSignal) =>
      (await execute(teamUsage, { teamId, from: from.toISOString(), to: to.toISOString() }, signal)).teamUsage,
    [teamId],
  );
  return <Use of={['team', teamId]} read={read} />;
}
