/** Keeps the session working: renews the cookie in time, and follows what other tabs do with the session. */
import { type ApiError, isUnauthenticated } from '../api/api-error.ts';
import { asSession, post, send } from '../api/post.ts';
import { queryClient } from '../api/query-client.ts';
import { ViewerDocument, type ViewerQuery } from '../generated/graphql.ts';
import { fromServer } from '../server-values.ts';
import { continueSession, currentSession, endSession, startSession } from './session.ts';

type Viewer = ViewerQuery['viewer'];

/** The cookie of a provider's session works for 15 minutes. */
const renewAfterMs = 10 * 60_000;
const checkIntervalMs = 60_000;
const tabs = new BroadcastChannel('latchkey-session');
let renewedAt = Date.now();

export const viewerKey = (count: number) => ['viewer', count];

/** The host of the identity provider; empty without one. The session of a token can't be renewed. */
export const provider = fromServer('sign-in');

/** Tells the other tabs that the browser has another session, or none. */
export function announceSession(): void {
  renewedAt = Date.now();
  tabs.postMessage('changed');
}

/** Renews the cookie before it stops working, and follows the other tabs. */
export function keepSession(): void {
  tabs.addEventListener('message', ({ data }) => {
    renewedAt = Date.now();
    // If the server can't be reached, the next call of this tab is rejected with SESSION_CHANGED.
    if (data === 'changed') void followSession().catch(() => undefined);
  });
  setInterval(() => {
    const { id, end } = currentSession();
    const isDue = provider !== '' && id !== null && end === null && Date.now() - renewedAt >= renewAfterMs;
    // After a failure, the next check tries again, and so does the first call that is rejected.
    if (isDue) void renew(renewedAt).catch(() => undefined);
  }, checkIntervalMs);
}

/** Makes the session work again after a call that was sent at `sentAt` was rejected, or ends it for this tab. */
export async function recover({ reason }: ApiError, sentAt: number): Promise<void> {
  const { id, count } = currentSession();
  if (reason === 'SESSION_CHANGED') return await followSession();
  const ended = provider === '' ? '' : await renew(sentAt);
  if (ended === null) return;
  // A page that was opened without a session has nothing to explain.
  const message = id === null ? null : `Your session has ended. ${ended}`.trim();
  const now = currentSession();
  // Of several calls that are rejected together, only the first one learns why.
  const known = ended === '' && now.end !== null ? now.end : {};
  if (now.count === count) endSession({ message, ...known });
}

/**
 * Renews the cookie, unless it was renewed after `since`. Returns null, or why the session has ended, as far as the
 * user can do something about it. One tab at a time does it, because a refresh token can be used only once.
 */
export async function renew(since: number): Promise<string | null> {
  return await navigator.locks.request('latchkey-session', async () => {
    if (renewedAt > since) return null;
    try {
      await send('/session/renew', { access: asSession(currentSession().id) });
    } catch (error) {
      if (isUnauthenticated(error)) return error.reason === 'SESSION_UNCONFIRMED' ? error.message : '';
      throw error;
    }
    renewedAt = Date.now();
    tabs.postMessage('renewed');
    // The provider may have changed the permissions.
    void queryClient.invalidateQueries({ queryKey: ['viewer'] });
    return null;
  });
}

/** Finds out which session the browser has now. The same user continues; another user's data is not shown unasked. */
async function followSession(): Promise<void> {
  const { id, count } = currentSession();
  const shown = queryClient.getQueryData<Viewer>(viewerKey(count));
  try {
    const { data, sessionId } = await post(ViewerDocument, {}, asSession(null));
    if (currentSession().count === count) take(data.viewer, sessionId, shown);
  } catch (error) {
    if (!isUnauthenticated(error)) throw error;
    if (id !== null) endSession({ message: 'You signed out in another tab.', isHidden: true });
  }
}

function take(viewer: Viewer, sessionId: string | null, shown: Viewer | undefined): void {
  const { count } = currentSession();
  if (shown === undefined) {
    queryClient.setQueryData(viewerKey(count + 1), viewer);
    startSession(sessionId);
  } else if (continues(viewer, shown)) {
    queryClient.setQueryData(viewerKey(count), viewer);
    continueSession(sessionId);
  } else {
    const message = `${viewer.subject} signed in in another tab${viewer.subject === shown.subject ? ', with other permissions' : ''}.`;
    endSession({ message, isHidden: true, successor: viewer.subject });
  }
}

/** Returns whether `next` has the same user and at least the same permissions, so that no page becomes forbidden. */
export function continues(next: Viewer, present: Viewer | undefined): boolean {
  if (next.subject !== present?.subject) return false;
  return present.teams.every(({ id, permissions }) => {
    const same = next.teams.find((team) => team.id === id);
    return permissions.every((permission) => same?.permissions.includes(permission) === true);
  });
}
