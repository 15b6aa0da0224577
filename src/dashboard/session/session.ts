/**
 * The session of this browser, as this tab knows it. The session is in a cookie that no script can read, and all tabs
 * share it. Every call names the session whose data the tab shows, so that no tab ever acts as another user.
 */
import { useSyncExternalStore } from 'react';

export interface Session {
  /** Null until the first answer. It is not a secret: it works only together with the cookie. */
  readonly id: string | null;
  /** Set when the server rejects the session. The page stays, and the user is asked to sign in again. */
  readonly end: SessionEnd | null;
  /** A token that starts another session if the server accepts it. A user who is signed in must agree first. */
  readonly offer: string | null;
  /** Whether the user has declined to sign in again after the session ended. */
  readonly declined: boolean;
  /** Whether the user signs in again before the session ends. */
  readonly renewing: boolean;
  /** Why the last sign-in at the identity provider failed: a code of the server. */
  readonly failure: string | null;
  /** Counts the sessions of the tab. Another session of the same user continues one; that of another user starts one. */
  readonly count: number;
}

export interface SessionEnd {
  /** Null if the user need not be told. */
  readonly message: string | null;
  /** Another tab ended the session on purpose, so this tab must not show its data anymore. */
  readonly isHidden: boolean;
  /** The user whose session the browser has now. */
  readonly successor: string | null;
}

const listeners = new Set<() => void>();
const running = { end: null, offer: null, declined: false, renewing: false, failure: null };
let session: Session = { ...running, id: null, count: 0 };

export function useSession(): Session {
  return useSyncExternalStore(subscribe, currentSession);
}

export function currentSession(): Session {
  return session;
}

/** Starts a session. Calls of the previous session fail. */
export function startSession(id: string | null): void {
  change({ ...running, id, count: session.count + 1 });
}

/** Continues the session with another one of the same user. Calls that wait are sent again. */
export function continueSession(id: string | null): void {
  change({ ...running, id });
}

/** Remembers the session that the server named in the first answer. */
export function adoptSession(id: string | null): void {
  if (session.id === null && id !== null) change({ id });
}

export function endSession(end: Partial<SessionEnd>): void {
  change({ end: { message: null, isHidden: false, successor: null, ...end }, declined: false });
}

/** Forgets the session, and everything that the tab shows of it. */
export function leaveSession(): void {
  startSession(null);
  endSession({});
}

export function offerSession(token: string): void {
  change({ offer: token });
}

export function declineOffer(): void {
  change({ offer: null });
}

/** Null forgets the failure, which the user has read. */
export function failSignIn(failure: string | null): void {
  change({ failure });
}

/** Rejects the changes that wait for a session, so that a later sign-in does not send them. */
export function declineRenewal(): void {
  change({ declined: true, renewing: false });
}

/** Asks the user to sign in again, before or after the session has ended. */
export function askForRenewal(): void {
  change({ declined: false, renewing: true });
}

/** Resolves when the session number `count` works, or to false if it is over. A change is also over if the user declines. */
export async function continued(count: number, isChange: boolean): Promise<boolean> {
  return await new Promise((resolve) => {
    const settle = () => {
      const isOver = session.count !== count || (isChange && session.end !== null && session.declined);
      if (!isOver && session.end !== null) return;
      unsubscribe();
      resolve(!isOver);
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
  history.replaceState(history.state, '', `${location.pathname}#${session.id === null ? '/' : place}`);
  offerSession(decoded(written));
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
