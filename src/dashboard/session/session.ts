/**
 * The session token of this tab. It stays in `sessionStorage`, which ends with the tab and which no other tab reads;
 * no URL that reaches a server ever has it.
 */
import { useSyncExternalStore } from 'react';

export interface Session {
  /** Null before anybody signed in. */
  readonly token: string | null;
  /** Why the token is no longer good, in the server's words: to be replaced by another, while the page stays. */
  readonly refusal: string | null;
  /** The token of a link that was followed while there was a session: takes its place only if the user says so. */
  readonly offer: string | null;
}

const storageKey = 'latchkey-session-token';
const listeners = new Set<() => void>();
let session: Session = { token: sessionStorage.getItem(storageKey), refusal: null, offer: null };

export function useSession(): Session {
  return useSyncExternalStore(subscribe, currentSession);
}

export function currentSession(): Session {
  return session;
}

export function signIn(token: string): void {
  sessionStorage.setItem(storageKey, token);
  change({ token, refusal: null, offer: null });
}

export function signOut(): void {
  sessionStorage.removeItem(storageKey);
  change({ token: null, refusal: null, offer: null });
}

/** Goes on with the session that there is. */
export function declineOffer(): void {
  change({ ...session, offer: null });
}

/** The server did not take the token: the page asks for another. */
export function refuseToken(token: string, refusal: string): void {
  if (token === session.token) change({ ...session, refusal });
}

/** Resolves when there is a token again that the server has not refused. */
export async function renewedToken(): Promise<string> {
  return await new Promise((resolve) => {
    const unsubscribe = subscribe(() => {
      if (session.token === null || session.refusal !== null) return;
      unsubscribe();
      resolve(session.token);
    });
  });
}

/**
 * A token that came in the fragment, which never reaches a server, is taken out of the address and the history. It signs
 * in only where there is no session: else a link of somebody else's could put the user into another one unnoticed.
 *
 * @param place where the dashboard is, as its fragment has it
 * @returns whether there was one that the user has to decide on, so that the dashboard stays where it is
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
