import { useParams, useSearch } from '@tanstack/react-router';
import { execute } from '../api/execute.ts';
import { TextLink } from '../components/links.tsx';
import { Page } from '../components/page.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { TeamTrailDocument } from '../generated/graphql.ts';
import { Trail } from '../key/history/trail.tsx';
import { TrailExport } from './trail-export.tsx';
import { TrailFilters } from './trail-filters.tsx';
import { filterOf } from './trail-search.ts';

const pageSize = 50;

export function AuditPage() {
  const { teamId } = useParams({ from: '/teams/$teamId/audit' });
  // Validated again, because the router adds the parameters that the validation removed.
  const search = useSearch({ from: '/teams/$teamId/audit' });
  const filter = filterOf(search);
  return (
    <RequirePermission permission="view_team" teamId={teamId}>
      {/* Keyed: an export belongs to one filter. */}
      <Page
        title="Audit trail"
        aside={<TrailExport key={JSON.stringify([teamId, filter])} teamId={teamId} filter={filter} />}
      >
        <TrailFilters key={teamId} chosen={search} />
        <Trail
          queryKey={['trail', teamId, filter]}
          search={search}
          read={async (after, signal) =>
            (await execute(TeamTrailDocument, { teamId, ...filter, first: pageSize, after }, signal)).auditLog
          }
          empty={(hasMore) => (hasMore ? 'No change found yet. The search can go on.' : 'No change matches.')}
        >
          {({ keyId, keyName }) => (
            <TextLink to="/teams/$teamId/keys/$keyId" params={{ teamId, keyId }} title={keyName ?? keyId}>
              {keyName ?? `key ${keyId.slice(0, 8)}…`}
            </TextLink>
          )}
        </Trail>
      </Page>
    </RequirePermission>
  );
}
