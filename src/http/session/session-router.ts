/** Starts, renews and ends the sessions of browsers. They are for the dashboard only, so no other origin may call them. */
import { type RequestHandler, type Response, Router } from 'express';
import { type BrowserSession, newSessionId } from '../../auth/browser-session.ts';
import { acceptToken, type TokenRules } from '../../auth/session-token.ts';
import { badInput, LatchkeyError } from '../../domain/errors.ts';
import { parseBody, readBody } from '../json-body.ts';
import type { RateLimits } from '../rate-limits.ts';
import type { BrowserSessions } from './browser-sessions.ts';

export interface SessionRouterParts {
  readonly sessions: BrowserSessions;
  readonly tokens: TokenRules;
  readonly rateLimits: RateLimits;
  readonly enter: RequestHandler;
}

export function sessionRouter(parts: SessionRouterParts): Router {
  const { sessions, enter } = parts;
  const router = Router();
  const fromOwnPages: RequestHandler = (request, _, next) => {
    sessions.checkOrigin(request);
    next();
  };
  router.use('/session', (_, response, next) => {
    response.setHeader('cache-control', 'no-store');
    next();
  });
  router.post('/session', fromOwnPages, readBody, enter, parseBody, startFromToken(parts));
  router.get('/session', enter, async (request, response) => {
    sendSession(response, await sessions.authenticate(request, response, new Date()));
  });
  router.post('/session/renew', enter, renew(parts));
  router.delete('/session', enter, signOut(parts));
  router.all(['/session', '/session/renew'], ({ method, path }, response) => {
    response.setHeader('allow', path === '/session' ? 'GET, POST, DELETE' : 'POST');
    throw new LatchkeyError('METHOD_NOT_ALLOWED', `${method} is not supported at this path.`);
  });
  return router;
}

/** Exchanges a session token for a cookie. The session has a new id, and lives at most as long as the token. */
function startFromToken({ sessions, tokens, rateLimits }: SessionRouterParts): RequestHandler {
  return async (request, response) => {
    const now = new Date();
    const token = tokenIn(request.body);
    const { session, expiresAt } = await rateLimits.countingFailures(request.ip ?? null, () =>
      acceptToken(`Bearer ${token}`, tokens, now),
    );
    await rateLimits.countOperations(session.subject, 1);
    const lastsUntil = new Date(now.getTime() + sessions.maxLifetimeSeconds * 1000);
    const endsAt = expiresAt < lastsUntil ? expiresAt : lastsUntil;
    const started = { id: newSessionId(), session, usableUntil: endsAt, endsAt, provider: null };
    await sessions.set(request, response, started);
    sendSession(response, started);
  };
}

function tokenIn(body: unknown): string {
  const token: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'token') : undefined;
  if (typeof token !== 'string') throw badInput([{ field: 'token', message: 'must be a session token' }]);
  return token;
}

function renew({ sessions }: SessionRouterParts): RequestHandler {
  return async (request, response) => {
    sendSession(response, await sessions.authenticate(request, response, new Date()));
  };
}

/** Answers with the page of the provider that ends its own session too. A session that has ended is only forgotten. */
function signOut({ sessions }: SessionRouterParts): RequestHandler {
  return async (request, response) => {
    await sessions.end(request, response, await sessions.proven(request));
    response.json({ signOutUrl: null });
  };
}

export function sendSession(response: Response, { session, endsAt }: BrowserSession): void {
  response.json({ subject: session.subject, endsAt: endsAt.toISOString() });
}
