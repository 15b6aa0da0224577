import { queryOptions, useQuery } from '@tanstack/react-query';
import { execute, post } from '../api/execute.ts';
import { queryClient } from '../api/query-client.ts';
import { type Permission, ViewerDocument, type ViewerQuery } from '../generated/graphql.ts';
import { currentSession, endSession, renewSession, startSession, useSession } from './session.ts';
import { problemOfToken } from './token.ts';

export type Viewer = ViewerQuery['viewer'];
export type ViewerTeam = Viewer['teams'][number];

const viewerKey = (token: string | null) => ['viewer', token];

const viewerOfSession = (token: string | null) =>
  queryOptions({
    queryKey: viewerKey(token),
    queryFn: async () => (await execute(ViewerDocument, {})).viewer,
    enabled: token !== null,
  });

const viewerOfOffer = (token: string | null) =>
  queryOptions({
    queryKey: ['offer', token],
    queryFn: async ({ signal }) => await viewerOf(token ?? '', signal),
    enabled: token !== null && problemOfToken(token) === null,
    // After an error, a refetch would replace the form, in which the user may be typing another token.
    refetchOnWindowFocus: false,
  });

export function useViewer() {
  return useQuery(viewerOfSession(useSession().token));
}

export function useOfferedViewer(token: string | null) {
  return useQuery(viewerOfOffer(token));
}

/** Requests the user of the session, or of the offer, so that the answer arrives before the page is first drawn. */
export function prefetchViewer(): void {
  const { token, offer } = currentSession();
  const query = token === null ? viewerOfOffer(offer) : viewerOfSession(token);
  if (query.enabled) void queryClient.prefetchQuery(query);
}

/** Returns the user of a token, which need not be the token of the session. Throws ApiError. */
export async function viewerOf(token: string, signal?: AbortSignal): Promise<Viewer> {
  return (await post(ViewerDocument, {}, token, signal)).viewer;
}

/** Starts the session of a token that the server has accepted, and discards all data of the previous session. */
export function enter(token: string, viewer: Viewer): void {
  queryClient.clear();
  queryClient.setQueryData(viewerKey(token), viewer);
  startSession(token);
}

/** Continues the session with another token of the same user, so that the page and typed text stay. */
export function renew(token: string, viewer: Viewer): void {
  queryClient.setQueryData(viewerKey(token), viewer);
  renewSession(token);
}

export function signOut(): void {
  endSession();
  queryClient.clear();
}

/** Returns whether `next` has the same user and at least the same permissions, so that no page becomes forbidden. */
export function continues(next: Viewer, present: Viewer | undefined): boolean {
  if (next.subject !== present?.subject) return false;
  return present.teams.every(({ id, permissions }) => {
    const same = next.teams.find((team) => team.id === id);
    return permissions.every((permission) => same?.permissions.includes(permission) === true);
  });
}

export function firstTeam({ teams }: Viewer) {
  return teams.find(({ permissions }) => permissions.includes('view_team')) ?? teams[0];
}

/** Returns whether to show controls that need the permission. The server enforces it. */
export function useMay(permission: Permission, teamId: string | undefined): boolean {
  const { data } = useViewer();
  return data?.teams.find(({ id }) => id === teamId)?.permissions.includes(permission) ?? false;
}

export function teamLabel({ id, name }: Pick<ViewerTeam, 'id' | 'name'>): string {
  return name ?? id;
}
