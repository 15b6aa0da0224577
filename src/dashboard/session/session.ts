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
}

const storageKey = 'latchkey-session-token';
const listeners = new Set<() => void>();
let session: Session = { token: sessionStorage.getItem(storageKey), refusal: null };

export function useSession(): Session {
  return useSyncExternalStore(subscribe, currentSession);
}

export function currentSession(): Session {
  return session;
}

export function signIn(token: string): void {
  sessionStorage.setItem(storageKey, token);
  change({ token, refusal: null });
}

export function signOut(): void {
  sessionStorage.removeItem(storageKey);
  change({ token: null, refusal: null });
}

/** The server did not take the token: the page asks for another. */
export function refuseToken(token: string, refusal: string): void {
  if (token === session.token) change({ token, refusal });
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

/** A token that came in the fragment, which never reaches a server, is taken out of the address and the history. */
export function takeTokenFromFragment(): void {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, '', `${location.pathname}#/`);
  signIn(decodeURIComponent(token));
}

function change(to: Session): void {
  session = to;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
