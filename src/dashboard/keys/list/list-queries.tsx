import { queryOptions, usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { useLocation, useParams } from '@tanstack/react-router';
import { execute } from '../../api/execute.ts';
import { KeyListDocument } from '../../generated/graphql.ts';
import { firstTeam, useMay, type Viewer } from '../../session/viewer.ts';
import { filterOf } from '../filter/key-filter.ts';
import { type KeyQuery, useKeyQuery } from '../filter/key-query.ts';

export function variablesOf(teamId: string, { chosen, orderBy, pageSize }: KeyQuery) {
  return { teamId, first: pageSize, after: chosen.after || null, filter: filterOf(chosen), orderBy };
}

export function keyPage(teamId: string, query: KeyQuery) {
  const { columns, view, ...chosen } = query.chosen;
  return queryOptions({
    // `chosen` identifies the query, because the times in the API's filter change at every render.
    queryKey: ['keys', teamId, chosen],
    queryFn: async ({ signal }) => (await execute(KeyListDocument, variablesOf(teamId, query), signal)).keys,
  });
}

export const allRevoked = 'All keys of this team are revoked.';

/** Reads whether a team without visible keys has revoked ones. */
export function useHasRevoked(teamId: string, isWanted = true) {
  return useQuery({
    queryKey: ['keys', teamId, 'revoked'],
    queryFn: async ({ signal }) => {
      const filter = { state: ['REVOKED' as const] };
      return (await execute(KeyListDocument, { teamId, first: 1, filter }, signal)).keys.totalCount > 0;
    },
    enabled: isWanted,
  });
}

/** Requests the list of the page before the page is drawn, because drawing takes longer than the request. */
export function EarlyKeys({ viewer }: { readonly viewer: Viewer }) {
  const { pathname } = useLocation();
  const { teamId = firstTeam(viewer)?.id } = useParams({ strict: false });
  const mayView = useMay('view_team', teamId);
  const isList = pathname === '/' || pathname === `/teams/${teamId}/keys`;
  return teamId !== undefined && mayView && isList ? <Prefetch teamId={teamId} /> : null;
}

function Prefetch({ teamId }: { readonly teamId: string }) {
  usePrefetchQuery(keyPage(teamId, useKeyQuery()));
  return null;
}
