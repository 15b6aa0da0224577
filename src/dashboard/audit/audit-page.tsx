import { Alert, Anchor, Button, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { execute } from '../api/execute.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { AuditEntryShown } from '../key/audit-entry.tsx';
import { useMay } from '../session/viewer.ts';
import { teamTrail } from './operations.ts';
import { TrailExport } from './trail-export.tsx';
import { TrailFilters } from './trail-filters.tsx';
import { filterOf, type TrailFilter, useTrailQuery } from './trail-query.ts';

const pageSize = 50;

/** The audit trail of a team, newest first. */
export function AuditPage() {
  const { teamId = '' } = useParams();
  const mayView = useMay('view_team', teamId);
  const { chosen, choose } = useTrailQuery();
  if (!mayView) {
    return (
      <Alert title="Not for this session" role="status">
        Your session token does not grant view_team on this team.
      </Alert>
    );
  }
  const filter = filterOf(chosen);
  const id = JSON.stringify([teamId, filter]);
  return (
    <Stack maw={980}>
      <Group justify="space-between">
        <Title order={1} size="h2">
          Audit trail
        </Title>
        {/* Keyed: an export belongs to one filter. */}
        <TrailExport key={id} teamId={teamId} filter={filter} />
      </Group>
      <TrailFilters key={JSON.stringify([teamId, chosen])} chosen={chosen} choose={choose} />
      <Entries key={id} teamId={teamId} filter={filter} />
    </Stack>
  );
}

function Entries({ teamId, filter }: { readonly teamId: string; readonly filter: TrailFilter }) {
  const trail = useInfiniteQuery({
    queryKey: ['trail', teamId, filter],
    queryFn: async ({ pageParam, signal }) =>
      (await execute(teamTrail, { teamId, ...filter, first: pageSize, after: pageParam }, signal)).auditLog,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
  });
  const entries = trail.data?.pages.flatMap(({ nodes }) => nodes) ?? [];
  return (
    <Stack>
      {trail.error !== null && <ErrorNotice error={trail.error} retry={trail.refetch} retrying={trail.isFetching} />}
      {trail.isPending && <Loader aria-label="Loading" />}
      {trail.isSuccess && entries.length === 0 && (
        <Text role="status">
          {trail.hasNextPage ? 'No change found yet. The search can go on.' : 'No change matches.'}
        </Text>
      )}
      {entries.map((entry) => (
        <AuditEntryShown key={entry.id} entry={entry}>
          <Anchor component={Link} to={`/teams/${teamId}/keys/${entry.keyId}`} inherit underline="always">
            {nameIn(entry.changes) ?? `key ${entry.keyId.slice(0, 8)}…`}
          </Anchor>
        </AuditEntryShown>
      ))}
      {trail.hasNextPage && (
        <Group>
          <Button variant="default" loading={trail.isFetchingNextPage} onClick={() => trail.fetchNextPage()}>
            Show older entries
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function nameIn(changes: readonly { readonly field: string; readonly after: unknown }[]): string | null {
  const name = changes.find(({ field }) => field === 'name')?.after;
  return typeof name === 'string' ? name : null;
}
