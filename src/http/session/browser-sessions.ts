import type { Request, RequestHandler, Response, Router } from 'express';
import { teamOf } from '../../admission/calls.ts';
import { type BrowserSession, endIdsOf, type SessionSeal } from '../../auth/browser-session.ts';
import type { IdentityProvider } from '../../auth/oidc/identity-provider.ts';
import { clockSkewSeconds, type SignInLink } from '../../auth/session-token.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import type { Session } from '../../domain/key/permission.ts';
import { limits } from '../../domain/limits.ts';
import type { RateLimits } from '../rate-limits.ts';
import { sourceOf } from '../source-of.ts';
import { cookieName, hasCookie, readCookie, removeCookie, setCookie } from './cookies.ts';
import { checkSameOrigin, ownOrigin } from './same-origin.ts';

/** The ids of ended sessions, which every instance reads. */
export interface EndedSessions {
  readonly hasEnded: (ids: readonly string[], startedAt: Date) => Promise<boolean>;
  /** Returns false if the session, or what can be used once, had ended. `holder`: whose it is, because writes take turns. */
  readonly endOnce: (id: string, expiresAt: Date, holder: string) => Promise<boolean>;
  readonly endOfProvider: (ended: {
    readonly id: string;
    readonly startedBy: Date | null;
    readonly expiresAt: Date;
  }) => Promise<void>;
}

/** Records who has access to teams. Returns at once. */
export interface TeamAccess {
  /** A session token or cookie was accepted. */
  readonly used: (session: Session, now: Date) => void;
  /** The identity provider gives exactly this access, and none to other teams. */
  readonly confirmed: (session: Pick<Session, 'subject' | 'teams'>, now: Date) => void;
}

export interface SessionOptions {
  readonly seal: SessionSeal;
  readonly ended: EndedSessions;
  readonly access: TeamAccess;
  /** Null if the origin of the service is taken from requests. */
  readonly publicUrl: URL | null;
  readonly maxLifetimeSeconds: number;
  /** Null if no identity provider is configured. */
  readonly signIn: SignIn | null;
}

/** What is loaded only with an identity provider. */
export interface SignIn {
  readonly provider: IdentityProvider;
  readonly routes: (parts: {
    readonly sessions: BrowserSessions;
    readonly rateLimits: RateLimits;
    readonly enter: RequestHandler;
  }) => Router;
}

export class SessionTooLargeError extends LatchkeyError {}

/** Reads, writes and ends the sessions of browsers, which are in cookies. */
export class BrowserSessions {
  readonly #options: SessionOptions;
  readonly #rateLimits: RateLimits;

  constructor(options: SessionOptions, rateLimits: RateLimits) {
    this.#options = options;
    this.#rateLimits = rateLimits;
  }

  /** Returns the end of a session that starts now. */
  endFrom(now: Date): Date {
    return new Date(now.getTime() + this.#options.maxLifetimeSeconds * 1000);
  }

  /** Throws UNAUTHENTICATED for a request that does not come from a page of the service. */
  checkOrigin(request: Request): void {
    checkSameOrigin(request, this.originOf(request));
  }

  originOf(request: Request): URL {
    return ownOrigin(request, this.#options.publicUrl);
  }

  hasCookie(request: Request): boolean {
    return hasCookie(request, this.#nameFor(request));
  }

  /** Returns the session for a call. Throws UNAUTHENTICATED, also if it must be renewed first. */
  async authenticate(request: Request, response: Response, now: Date): Promise<BrowserSession> {
    const session = await this.current(request, response, now);
    if (session.usableUntil <= now) throw unauthenticated('The session must be renewed.');
    return session;
  }

  /** Returns the session, which may have to be renewed. Throws UNAUTHENTICATED. */
  async current(request: Request, response: Response, now: Date): Promise<BrowserSession> {
    const session = await this.proven(request);
    if (session === null) throw unauthenticated(notValid);
    response.setHeader('Latchkey-Session', session.id);
    if (session.endsAt <= now) throw unauthenticated('The session has ended.');
    if (await this.#wasEnded(session)) throw unauthenticated('The session was ended.');
    return session;
  }

  /**
   * Returns the session of the cookie, whether it has ended or not; null if there is none. Throws UNAUTHENTICATED unless
   * the header `Latchkey-Session` proves that a script of the service sent the request, because pages of other sites
   * can't set it (CSRF), and that the script means this session. Counts a cookie that is not valid: a session that ended
   * is not an attempt to guess one.
   */
  async proven(request: Request): Promise<BrowserSession | null> {
    this.checkOrigin(request);
    const expected = request.get('latchkey-session');
    if (expected === undefined) throw unauthenticated('The cookie of a session needs the header Latchkey-Session.');
    const session = await this.#find(request);
    if (session === null && this.hasCookie(request)) {
      this.#rateLimits.countRejectedSession(sourceOf(request), notValid);
    }
    if (session !== null && expected !== 'current' && expected !== session.id) {
      throw unauthenticated('Another session began in this browser.', 'SESSION_CHANGED');
    }
    return session;
  }

  /** Throws UNAUTHENTICATED if a session has started from the link. */
  async checkUnused({ id }: SignInLink): Promise<void> {
    if (await this.#options.ended.hasEnded([linkEndId(id)], new Date(0))) throw unauthenticated(linkWasUsed);
  }

  /** Uses the link up. Throws UNAUTHENTICATED if a session has started from it. */
  async spendLink({ id, usableUntil }: SignInLink, { session }: BrowserSession): Promise<void> {
    const isFirstUse = await this.#options.ended.endOnce(linkEndId(id), usableUntil, teamOf(session));
    if (!isFirstUse) throw unauthenticated(linkWasUsed);
  }

  /** Starts or renews a session in this browser. A session that it replaces ends first: a failure sets no cookie. */
  async set(request: Request, response: Response, session: BrowserSession): Promise<void> {
    const before = await this.#find(request);
    const own = this.originOf(request);
    const value = await this.#seal(session);
    if (before !== null && before.id !== session.id) await this.#end(before);
    setCookie(response, cookieName('session', own), value, own);
    response.setHeader('Latchkey-Session', session.id);
  }

  /** Ends the session everywhere, also for a copy of the cookie. */
  async end(request: Request, response: Response, session: BrowserSession | null): Promise<void> {
    if (session !== null) await this.#end(session);
    const own = this.originOf(request);
    removeCookie(response, cookieName('session', own), own);
  }

  /** Records to which teams the provider gives the person access; to none, if it ended all sessions of the person. */
  confirmAccess(session: Pick<Session, 'subject' | 'teams'>, at = new Date()): void {
    this.#options.access.confirmed(session, at);
  }

  /** Ends the sessions that the provider names, everywhere. */
  async endOfProvider(id: string, startedBy: Date | null): Promise<void> {
    // The start of a session is checked with a tolerance.
    const expiresAt = this.endFrom(new Date(Date.now() + clockSkewSeconds * 1000));
    await this.#options.ended.endOfProvider({ id, startedBy, expiresAt });
  }

  /** Leaves the ID token out of a cookie that would be too large with it: the provider then asks before it signs out. */
  async #seal(session: BrowserSession): Promise<string> {
    const value = await this.#options.seal.seal(session);
    const { provider } = session;
    const max = limits.sessionTokenCharacters;
    if (value.length <= max) return value;
    if (provider?.idToken !== undefined) {
      return await this.#seal({ ...session, provider: { ...provider, idToken: undefined } });
    }
    const problem = `The session needs ${value.length} characters, and a cookie may have ${max}`;
    throw new SessionTooLargeError('UNAUTHENTICATED', `${problem}: the identity provider sends too many claims.`);
  }

  /** Throws UNAUTHENTICATED for a repeated cookie. It stays: without ours, the other one would be the session. */
  async #find(request: Request): Promise<BrowserSession | null> {
    const name = this.#nameFor(request);
    const cookie = readCookie(request, name);
    if (cookie === null) {
      const problem = `The browser has several cookies ${name}, and another site or path has set one. Delete the cookies of this site.`;
      this.#rateLimits.countRejectedSession(sourceOf(request), problem);
      throw unauthenticated(problem);
    }
    return cookie === undefined ? null : await this.#options.seal.open(cookie);
  }

  /** Writes nothing for a session that has ended. */
  async #end(session: BrowserSession): Promise<void> {
    const { id, endsAt } = session;
    if (endsAt <= new Date() || (await this.#wasEnded(session))) return;
    await this.#options.ended.endOnce(id, endsAt, teamOf(session.session));
  }

  async #wasEnded(session: BrowserSession): Promise<boolean> {
    return await this.#options.ended.hasEnded(endIdsOf(session), session.provider?.startedAt ?? new Date(0));
  }

  #nameFor(request: Request): string {
    return cookieName('session', this.originOf(request));
  }
}

/** Unlike the id of a session, it begins with a word. */
function linkEndId(id: string): string {
  return `link ${id}`;
}

const linkWasUsed = 'The sign-in link was used already. It works once: ask for another one.';
const notValid = 'The cookie of the session is not valid here.';

function unauthenticated(message: string, reason?: 'SESSION_CHANGED'): LatchkeyError {
  return new LatchkeyError('UNAUTHENTICATED', message, reason === undefined ? {} : { reason });
}
