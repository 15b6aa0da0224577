import { queryOptions, usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { useLocation, useParams } from '@tanstack/react-router';
import { execute } from '../../api/execute.ts';
import { KeyCountDocument, type KeyCountQuery, KeyListDocument, type KeyListQuery } from '../../generated/graphql.ts';
import { firstTeam, useMay, type Viewer } from '../../session/viewer.ts';
import { filterOf } from '../filter/key-filter.ts';
import { type KeyQuery, useKeyQuery } from '../filter/key-query.ts';
import { useShownColumns } from './shown-columns.ts';

export function variablesOf(teamId: string, { chosen, orderBy, pageSize }: KeyQuery) {
  return { teamId, first: pageSize, after: chosen.after || null, filter: filterOf(chosen), orderBy };
}

/** A page of the list, with the number of all its keys. */
export function useKeyPage(teamId: string, query: KeyQuery) {
  const { columns, view, ...chosen } = query.chosen;
  const { isShown } = useShownColumns(query.chosen);
  const shown = { withTags: isShown('tags'), withScopes: isShown('scopes'), withCreator: isShown('creator') };
  return queryOptions({
    // `chosen` identifies the query, because the times in the API's filter change at every render.
    queryKey: ['keys', teamId, chosen, shown],
    queryFn: async ({ signal }): Promise<KeyPage> => {
      const { filter, ...page } = variablesOf(teamId, query);
      const [{ keys }, count] = await Promise.all([
        execute(KeyListDocument, { ...page, filter, ...shown }, signal),
        execute(KeyCountDocument, { teamId, filter }, signal),
      ]);
      return { ...keys, ...count.keys };
    },
  });
}

export type KeyPage = KeyListQuery['keys'] & KeyCountQuery['keys'];

export const allRevoked = 'All keys of this team are revoked.';

/** Reads whether a team without visible keys has revoked ones. */
export function useHasRevoked(teamId: string, isWanted = true) {
  return useQuery({
    queryKey: ['keys', teamId, 'revoked'],
    queryFn: async ({ signal }) => {
      const filter = { state: ['REVOKED' as const] };
      return (await execute(KeyCountDocument, { teamId, filter }, signal)).keys.totalCount > 0;
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
  usePrefetchQuery(useKeyPage(teamId, useKeyQuery()));
  return null;
}
