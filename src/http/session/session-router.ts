/** Starts, renews and ends the sessions of browsers. They are for the dashboard only, so no other origin may call them. */
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { type BrowserSession, newSessionId, renewedUntil } from '../../auth/browser-session.ts';
import type { IdentityProvider } from '../../auth/oidc/identity-provider.ts';
import { acceptToken, type SignInLink, type TokenRules } from '../../auth/session-token.ts';
import { badInput, LatchkeyError } from '../../domain/errors.ts';
import { maxCost } from '../../graphql/operation-limits.ts';
import { readViewer } from '../../manage/read/read-viewer.ts';
import { parseBody, readBody } from '../json-body.ts';
import type { RateLimits } from '../rate-limits.ts';
import { sourceOf } from '../source-of.ts';
import type { BrowserSessions, SignIn } from './browser-sessions.ts';

export interface SessionRouterParts {
  readonly sessions: BrowserSessions;
  readonly tokens: TokenRules;
  readonly signIn: SignIn | null;
  readonly rateLimits: RateLimits;
  readonly enter: RequestHandler;
  /** For callers that are known: takes a slot of their team, and continues in its turn. */
  readonly enterTeam: RequestHandler;
}

declare global {
  namespace Express {
    interface Locals {
      /** Set before the turn of a session that begins, is read or ends. */
      session: BrowserSession;
      /** Null for a session that does not begin with a sign-in link. */
      link: SignInLink | null;
    }
  }
}

export function sessionRouter(parts: SessionRouterParts): Router {
  const { sessions, enter, enterTeam } = parts;
  const router = Router();
  const fromOwnPages: RequestHandler = (request, _, next) => {
    sessions.checkOrigin(request);
    next();
  };
  router.use('/session', (_, response, next) => {
    response.setHeader('cache-control', 'no-store');
    next();
  });
  const withToken: RequestHandler[] = [fromOwnPages, readBody, enter, parseBody, acceptSession(parts), enterTeam];
  router.post('/session', withToken, start(parts));
  // What a user is asked before a session starts. A link can be shown any number of times, and is used up by the start.
  router.post('/session/viewer', withToken, (_: Request, response: Response) => {
    response.json(readViewer(response.locals.caller));
  });
  router.get('/session', enter, findSession(parts), enterTeam, (_, response) =>
    sendSession(response, response.locals.session),
  );
  router.post('/session/renew', enter, renew(parts));
  router.delete('/session', enter, findEnding(parts), enterTeam, signOut(parts));
  if (parts.signIn !== null) router.use(parts.signIn.routes(parts));
  router.all(['/session', '/session/renew', '/session/viewer'], ({ method, path }, response) => {
    response.setHeader('allow', path === '/session' ? 'GET, POST, DELETE' : 'POST');
    throw new LatchkeyError('METHOD_NOT_ALLOWED', `${method} is not supported at this path.`);
  });
  return router;
}

/** Accepts a session token, or that of a sign-in link. The session gets a new id, and lives at most as long as the token. */
function acceptSession({ sessions, tokens, rateLimits }: SessionRouterParts): RequestHandler {
  return async (request, response, next) => {
    const now = new Date();
    const token = tokenIn(request.body);
    const { session, expiresAt, link } = await rateLimits.countingFailures(sourceOf(request), () =>
      acceptToken(`Bearer ${token}`, tokens, now),
    );
    rateLimits.countOperations(session.subject, 1);
    if (link !== null) await sessions.checkUnused(link);
    response.locals.link = link;
    const lastsUntil = sessions.endFrom(now);
    const endsAt = expiresAt < lastsUntil ? expiresAt : lastsUntil;
    identify({ id: newSessionId(), session, usableUntil: endsAt, endsAt, provider: null }, now, request, response);
    next();
  };
}

/** Exchanges the token for a cookie. */
function start({ sessions, rateLimits }: SessionRouterParts): RequestHandler {
  return async (request, response) => {
    const { session, link } = response.locals;
    rateLimits.countSession(session.session.subject);
    await inTeamTurn(response, async () => {
      if (link !== null) await sessions.spendLink(link, session);
      await sessions.set(request, response, session);
    });
    sendSession(response, session);
  };
}

/** Two of a team run at once. A team has many of them at the same time only if one of its members sends a flood. */
const writeCost = maxCost / 2;

/** Runs writes when the other operations of the team leave room for them. */
async function inTeamTurn({ locals }: Response, write: () => Promise<void>): Promise<void> {
  const leave = await locals.call.startOperation(writeCost);
  try {
    await write();
  } finally {
    leave();
  }
}

function findSession({ sessions, rateLimits }: SessionRouterParts): RequestHandler {
  return async (request, response, next) => {
    const now = new Date();
    const found = await sessions.authenticate(request, response, now);
    rateLimits.countOperations(found.session.subject, 1);
    identify(found, now, request, response);
    next();
  };
}

/** Finds the session that the user ends, which may have ended. Without a session, there is nothing to wait for. */
function findEnding({ sessions, rateLimits }: SessionRouterParts): RequestHandler {
  return async (request, response, next) => {
    const ending = await sessions.proven(request);
    if (ending === null) {
      await sessions.end(request, response, null);
      response.json({ signOutUrl: null });
      return;
    }
    rateLimits.countSignOut(ending.session.subject);
    identify(ending, new Date(), request, response);
    next();
  };
}

function identify(found: BrowserSession, now: Date, request: Request, { locals }: Response): void {
  const { ip: source = null, id } = request;
  locals.session = found;
  locals.caller = {
    session: found.session,
    actorKind: 'SESSION',
    credential: null,
    source,
    requestId: String(id),
    now,
  };
}

function tokenIn(body: unknown): string {
  const token: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'token') : undefined;
  if (typeof token !== 'string') throw badInput([{ field: 'token', message: 'must be a session token' }]);
  return token;
}

/**
 * Asks the provider for the permissions, and replaces the cookie. A session without a provider stays as it is. Only this
 * call asks the provider, so that no other call waits for it.
 */
function renew({ sessions, signIn, rateLimits }: SessionRouterParts): RequestHandler {
  return async (request, response) => {
    const current = await sessions.current(request, response, new Date());
    rateLimits.countOperations(current.session.subject, 1);
    const renewed =
      current.provider === null ? current : await renewedSession(current, signIn?.provider ?? null, sessions, request);
    if (renewed instanceof LatchkeyError) {
      await sessions.end(request, response, current);
      throw renewed;
    }
    if (renewed !== current) {
      // It can have been ended while the provider was asked.
      await sessions.current(request, response, new Date());
      await sessions.set(request, response, renewed);
      if (renewed.session !== current.session) sessions.confirmAccess(renewed.session);
    }
    sendSession(response, renewed);
  };
}

/** Returns the session, or why it has ended. */
async function renewedSession(
  current: BrowserSession,
  provider: IdentityProvider | null,
  sessions: BrowserSessions,
  { log }: Request,
): Promise<BrowserSession | LatchkeyError> {
  const ended = new LatchkeyError('UNAUTHENTICATED', 'The identity provider ended the session.');
  if (provider === null || current.provider === null) return ended;
  const renewal = await provider.renew(current.session, current.provider);
  if ('ended' in renewal) {
    log.info({ reason: renewal.ended }, 'the identity provider ended a session');
    if (renewal.isWithoutTeams === true) {
      sessions.confirmAccess({ subject: current.session.subject, teams: new Map() });
    }
    return ended;
  }
  if ('unconfirmed' in renewal) {
    // The refresh token may have been replaced. The permissions are relied on no longer than before.
    if (current.usableUntil > new Date()) return { ...current, provider: renewal.provider };
    log.warn(
      { reason: renewal.unconfirmed },
      'a session ended, because the identity provider did not confirm its teams',
    );
    const problem = 'The identity provider does not say again which teams you have, so a session lasts 15 minutes.';
    return new LatchkeyError('UNAUTHENTICATED', problem, { reason: 'SESSION_UNCONFIRMED' });
  }
  const { session, provider: renewed, askedAt } = renewal;
  return { ...current, session, provider: renewed, usableUntil: renewedUntil(askedAt, current.endsAt) };
}

/** Answers with the page of the provider that ends its own session too. */
function signOut({ sessions, signIn }: SessionRouterParts): RequestHandler {
  return async (request, response) => {
    const { session } = response.locals;
    await inTeamTurn(response, () => sessions.end(request, response, session));
    const url = session.provider === null ? null : await signIn?.provider.endSession(session.provider, request.log);
    response.json({ signOutUrl: url?.href ?? null });
  };
}

function sendSession(response: Response, { session, endsAt }: BrowserSession): void {
  response.json({ subject: session.subject, endsAt: endsAt.toISOString() });
}
