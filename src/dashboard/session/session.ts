/**
 * The session token of this tab. It is kept in `sessionStorage`, which only this tab reads and which ends with it. It is
 * never part of a URL that is sent to a server.
 */
import { useSyncExternalStore } from 'react';

export interface Session {
  /** Null if the user is not signed in. */
  readonly token: string | null;
  /** The server's message if it rejected the token. The page stays, and the user is asked for another token. */
  readonly rejection: string | null;
  /** The token of a link that was opened during a session. It replaces the session only if the user agrees. */
  readonly offer: string | null;
}

const storageKey = 'latchkey-session-token';
const listeners = new Set<() => void>();
let session: Session = { token: sessionStorage.getItem(storageKey), rejection: null, offer: null };

export function useSession(): Session {
  return useSyncExternalStore(subscribe, currentSession);
}

export function currentSession(): Session {
  return session;
}

export function signIn(token: string): void {
  sessionStorage.setItem(storageKey, token);
  change({ token, rejection: null, offer: null });
}

export function signOut(): void {
  sessionStorage.removeItem(storageKey);
  change({ token: null, rejection: null, offer: null });
}

/** Keeps the current session. */
export function declineOffer(): void {
  change({ ...session, offer: null });
}

/** Records that the server rejected the token, so that the page asks for another. */
export function rejectToken(token: string, rejection: string): void {
  if (token === session.token) change({ ...session, rejection });
}

/** Resolves to the next token that the user signs in with. */
export async function renewedToken(): Promise<string> {
  return await new Promise((resolve) => {
    const unsubscribe = subscribe(() => {
      if (session.token === null || session.rejection !== null) return;
      unsubscribe();
      resolve(session.token);
    });
  });
}

/**
 * Takes a token out of the fragment, the address and the history. It signs in only if there is no session: otherwise a
 * link from another person could change the user's session unnoticed.
 *
 * @param place the current page of the dashboard, as its fragment
 * @returns whether the user has to decide about the token, so that the dashboard stays on its page
 */
export function takeTokenFromFragment(place: string): boolean {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token === undefined) return false;
  const isOffer = session.token !== null;
  history.replaceState(null, '', `${location.pathname}#${isOffer ? place : '/'}`);
  const text = decodeURIComponent(token);
  if (!isOffer) signIn(text);
  else if (text !== session.token) change({ ...session, offer: text });
  return isOffer;
}

function change(to: Session): void {
  session = to;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
