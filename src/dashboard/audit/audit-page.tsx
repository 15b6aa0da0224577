import { useParams } from '@tanstack/react-router';
import { execute } from '../api/execute.ts';
import { TextLink } from '../components/links.tsx';
import { Page } from '../components/page.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { TeamTrailDocument } from '../generated/graphql.ts';
import { Trail } from '../key/history/trail.tsx';
import { TrailExport } from './trail-export.tsx';
import { filterOf, TrailFilters, useTrailQuery } from './trail-filters.tsx';

const pageSize = 50;

export function AuditPage() {
  const { teamId = '' } = useParams({ strict: false });
  const { chosen, choose } = useTrailQuery();
  const filter = filterOf(chosen);
  const id = JSON.stringify([teamId, filter]);
  return (
    <RequirePermission permission="view_team" teamId={teamId}>
      {/* Keyed: an export belongs to one filter. */}
      <Page title="Audit trail" width={980} aside={<TrailExport key={id} teamId={teamId} filter={filter} />}>
        <TrailFilters key={teamId} chosen={chosen} choose={choose} />
        <Trail
          key={id}
          queryKey={['trail', teamId, filter]}
          read={async (after, signal) =>
            (await execute(TeamTrailDocument, { teamId, ...filter, first: pageSize, after }, signal)).auditLog
          }
          empty={(hasMore) => (hasMore ? 'No change found yet. The search can go on.' : 'No change matches.')}
        >
          {({ keyId, keyName }) => (
            <TextLink to="/teams/$teamId/keys/$keyId" params={{ teamId, keyId }} className="breakable">
              {keyName ?? `key ${keyId.slice(0, 8)}…`}
            </TextLink>
          )}
        </Trail>
      </Page>
    </RequirePermission>
  );
}
