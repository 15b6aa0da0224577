/** The session token of this tab, in `sessionStorage` until the tab is closed. No URL sent to a server contains it. */
import { useSyncExternalStore } from 'react';

export interface Session {
  /** Null if the user is not signed in. */
  readonly token: string | null;
  /** The server's message if it rejected the token. The page stays, and the user is asked for another token. */
  readonly rejection: string | null;
  /** A token that starts another session if the server accepts it. A user who is signed in must agree first. */
  readonly offer: string | null;
  /** Whether the user has declined to sign in again after the server rejected the token. */
  readonly declined: boolean;
  /** Counts the sessions of the tab. A renewed token continues a session; the token of another user starts one. */
  readonly count: number;
}

const storageKey = 'latchkey-session-token';
const listeners = new Set<() => void>();
/** The state of a session without a rejected token and without an offer. */
const unasked = { rejection: null, offer: null, declined: false };
let session: Session = { ...unasked, token: sessionStorage.getItem(storageKey), count: 0 };

export function useSession(): Session {
  return useSyncExternalStore(subscribe, currentSession);
}

export function currentSession(): Session {
  return session;
}

/** Starts a session. Calls of the previous session fail. */
export function startSession(token: string): void {
  sessionStorage.setItem(storageKey, token);
  change({ ...unasked, token, count: session.count + 1 });
}

/** Continues the session with another token of the same user. Calls that wait for a token are sent again. */
export function renewSession(token: string): void {
  sessionStorage.setItem(storageKey, token);
  change({ ...unasked, token });
}

export function endSession(): void {
  sessionStorage.removeItem(storageKey);
  change({ ...unasked, token: null, count: session.count + 1 });
}

export function offerSession(token: string): void {
  change({ offer: token });
}

export function declineOffer(): void {
  change({ offer: null });
}

export function rejectToken(token: string, rejection: string): void {
  if (token === session.token) change({ rejection });
}

/** Rejects the changes that wait for a token, so that a later sign-in does not send them. */
export function declineRenewal(): void {
  change({ declined: true });
}

export function askForRenewal(): void {
  change({ declined: false });
}

/** Resolves to the next token; null if the session ends. A change also gets null if the user declines. */
export async function renewedToken(isChange: boolean): Promise<string | null> {
  const { count } = session;
  return await new Promise((resolve) => {
    const settle = () => {
      const isOver = session.count !== count || (isChange && session.declined);
      if (!isOver && session.rejection !== null) return;
      unsubscribe();
      resolve(isOver ? null : session.token);
    };
    const unsubscribe = subscribe(settle);
    settle();
  });
}

/**
 * Takes a token out of the URL and the history. Only offers its session, because another person's link must not
 * change the user's session unnoticed. If a session exists, the dashboard stays at `place`.
 */
export function takeTokenFromFragment(place: string): void {
  const written = /^#token=(.*)$/.exec(location.hash)?.[1];
  if (written === undefined) return;
  history.replaceState(history.state, '', `${location.pathname}#${session.token === null ? '/' : place}`);
  const token = decoded(written);
  if (token !== session.token) offerSession(token);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function change(to: Partial<Session>): void {
  session = { ...session, ...to };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
