import { Alert, Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { Link, useParams } from 'react-router';
import { execute } from '../api/execute.ts';
import { AuditEntryShown } from '../key/history/audit-entry.tsx';
import { Trail, useTrail } from '../key/history/trail.tsx';
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
      <TrailFilters key={teamId} chosen={chosen} choose={choose} />
      <Entries key={id} teamId={teamId} filter={filter} />
    </Stack>
  );
}

function Entries({ teamId, filter }: { readonly teamId: string; readonly filter: TrailFilter }) {
  const trail = useTrail({
    queryKey: ['trail', teamId, filter],
    read: async (after, signal) =>
      (await execute(teamTrail, { teamId, ...filter, first: pageSize, after }, signal)).auditLog,
  });
  const entries = trail.data?.pages.flatMap(({ nodes }) => nodes) ?? [];
  return (
    <Trail trail={trail}>
      {trail.isSuccess && entries.length === 0 && (
        <Text role="status">
          {trail.hasNextPage ? 'No change found yet. The search can go on.' : 'No change matches.'}
        </Text>
      )}
      {entries.map((entry) => (
        <AuditEntryShown key={entry.id} entry={entry}>
          <Anchor
            component={Link}
            to={`/teams/${teamId}/keys/${entry.keyId}`}
            className="breakable"
            inherit
            underline="always"
          >
            {entry.keyName ?? `key ${entry.keyId.slice(0, 8)}…`}
          </Anchor>
        </AuditEntryShown>
      ))}
    </Trail>
  );
}
