import { queryOptions, useQuery } from '@tanstack/react-query';
import { execute } from '../api/execute.ts';
import { asSession, send } from '../api/post.ts';
import { queryClient } from '../api/query-client.ts';
import { type Permission, ViewerDocument, type ViewerQuery } from '../generated/graphql.ts';
import { fromServer } from '../server-values.ts';
import { announceSession, viewerKey } from './recover.ts';
import {
  continueSession,
  currentSession,
  declineOffer,
  endSession,
  leaveSession,
  startSession,
  useSession,
} from './session.ts';
import { problemOfToken } from './token.ts';

export type Viewer = ViewerQuery['viewer'];
export type ViewerTeam = Viewer['teams'][number];

const viewerOfSession = (count: number) =>
  queryOptions({
    queryKey: viewerKey(count),
    queryFn: async () => (await execute(ViewerDocument, {})).viewer,
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
  const { count, id, end } = useSession();
  return useQuery({ ...viewerOfSession(count), enabled: id !== null || end === null });
}

export function useOfferedViewer(token: string | null) {
  return useQuery(viewerOfOffer(token));
}

/** Requests the user of the session, and of an offer, so that the answers arrive before the page is first drawn. */
export function prefetchViewer(): void {
  const { count, offer } = currentSession();
  // Without a cookie, the request would only be rejected.
  if (fromServer('session') === 'none') endSession({});
  else void queryClient.prefetchQuery(viewerOfSession(count));
  const offered = viewerOfOffer(offer);
  if (offered.enabled) void queryClient.prefetchQuery(offered);
}

/** Returns the user of a token, which need not be the user of the session. Starts no session. Throws ApiError. */
export async function viewerOf(token: string, signal?: AbortSignal): Promise<Viewer> {
  return (await send<Viewer>('/session/viewer', { access: asSession(null), body: { token }, signal })).body;
}

/** Starts the session of a token that the server has accepted, and discards all data of the previous session. */
export async function enter(token: string, viewer: Viewer): Promise<void> {
  const id = await postToken(token);
  queryClient.clear();
  queryClient.setQueryData(viewerKey(currentSession().count + 1), viewer);
  startSession(id);
}

/** Continues the session with another token of the same user, so that the page and typed text stay. */
export async function resume(token: string, viewer: Viewer): Promise<void> {
  const id = await postToken(token);
  queryClient.setQueryData(viewerKey(currentSession().count), viewer);
  continueSession(id);
}

/** Starts the session that the browser has now, that of another user. */
export function enterSuccessor(): void {
  queryClient.clear();
  startSession(null);
}

async function postToken(token: string): Promise<string | null> {
  const { sessionId } = await send('/session', { access: asSession(null), body: { token } });
  announceSession();
  return sessionId;
}

export function rejectOffer(): void {
  declineOffer();
  // The cache must not keep a token.
  queryClient.removeQueries({ queryKey: ['offer'] });
}

/** Ends the session on all instances and in all tabs, and at the identity provider. Throws ApiError. */
export async function signOut(): Promise<void> {
  const { body } = await send<{ readonly signOutUrl: string | null }>('/session', {
    access: asSession(currentSession().id),
    method: 'DELETE',
  });
  leaveSession();
  queryClient.clear();
  announceSession();
  if (body.signOutUrl !== null) location.assign(body.signOutUrl);
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
