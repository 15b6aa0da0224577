import { Text } from '@mantine/core';
import { useParams } from 'react-router';
import { execute } from '../api/execute.ts';
import { Page } from '../components/page.tsx';
import { TextLink } from '../components/text-link.tsx';
import { AuditEntryShown } from '../key/history/audit-entry.tsx';
import { Trail, useTrail } from '../key/history/trail.tsx';
import { Permitted } from '../session/permitted.tsx';
import { teamTrail } from './operations.ts';
import { TrailExport } from './trail-export.tsx';
import { TrailFilters } from './trail-filters.tsx';
import { filterOf, type TrailFilter, useTrailQuery } from './trail-query.ts';

const pageSize = 50;

/** The audit trail of a team, newest first. */
export function AuditPage() {
  const { teamId = '' } = useParams();
  const { chosen, choose } = useTrailQuery();
  const filter = filterOf(chosen);
  const id = JSON.stringify([teamId, filter]);
  return (
    <Permitted permission="view_team" teamId={teamId}>
      {/* Keyed: an export belongs to one filter. */}
      <Page title="Audit trail" width={980} aside={<TrailExport key={id} teamId={teamId} filter={filter} />}>
        <TrailFilters key={teamId} chosen={chosen} choose={choose} />
        <Entries key={id} teamId={teamId} filter={filter} />
      </Page>
    </Permitted>
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
          <TextLink to={`/teams/${teamId}/keys/${entry.keyId}`} className="breakable">
            {entry.keyName ?? `key ${entry.keyId.slice(0, 8)}…`}
          </TextLink>
        </AuditEntryShown>
      ))}
    </Trail>
  );
}
