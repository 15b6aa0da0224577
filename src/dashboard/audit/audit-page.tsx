import { useParams, useSearch } from '@tanstack/react-router';
import { Page } from '../components/page.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { Trail } from '../key/history/trail.tsx';
import { TrailExport } from './trail-export.tsx';
import { TrailFilters } from './trail-filters.tsx';
import { filterOf } from './trail-search.ts';

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
        <Trail teamId={teamId} filter={filter} search={search} />
      </Page>
    </RequirePermission>
  );
}
