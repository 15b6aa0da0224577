/** Starting and ending sessions, together with the data that the page keeps for them. */
import { queryClient } from '../api/query-client.ts';
import { endSession, renewSession, startSession } from './session.ts';
import { type Viewer, viewerKey } from './viewer.ts';

/** Starts the session of a token that the server has accepted. No data of the previous session stays. */
export function enter(token: string, viewer: Viewer): void {
  queryClient.clear();
  queryClient.setQueryData(viewerKey(token), viewer);
  startSession(token);
}

/** Continues the session with another token of the same user, so that the page and what was typed stay. */
export function renew(token: string, viewer: Viewer): void {
  queryClient.setQueryData(viewerKey(token), viewer);
  renewSession(token);
}

export function signOut(): void {
  endSession();
  queryClient.clear();
}
