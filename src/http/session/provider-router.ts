/** Sign-in at the identity provider. Loaded only if one is configured. */
import { createHash } from 'node:crypto';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { newSessionId, providerEndId, renewedUntil } from '../../auth/browser-session.ts';
import type { IdentityProvider, SignedIn } from '../../auth/oidc/identity-provider.ts';
import { SignInError, signInErrorOf } from '../../auth/oidc/provider-errors.ts';
import type { SignInSeal, StartedSignIn } from '../../auth/oidc/sign-in-seal.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import { hasControlCharacters } from '../../domain/text.ts';
import { queryOf } from '../../lib/request-target.ts';
import { readBody } from '../json-body.ts';
import { onlyGet } from '../pages/page.ts';
import type { RateLimits } from '../rate-limits.ts';
import { sourceOf } from '../source-of.ts';
import { type BrowserSessions, SessionTooLargeError } from './browser-sessions.ts';
import { cookieName, cookieNames, readCookie, removeCookie, setCookie } from './cookies.ts';

export interface ProviderRouterParts {
  readonly provider: IdentityProvider;
  readonly seal: SignInSeal;
  readonly sessions: BrowserSessions;
  readonly rateLimits: RateLimits;
  readonly enter: RequestHandler;
}

/** How long a user may take at the provider. */
const signInMs = 10 * 60_000;
const maxReturnCharacters = 500;
/** Tabs of one browser in which a user can sign in at the same time. Each has a cookie, of about 700 bytes. */
const maxSignIns = 5;

export function providerRouter(parts: ProviderRouterParts): Router {
  const router = Router();
  router.all(['/session/sign-in', '/session/callback'], onlyGet, parts.enter);
  router.get('/session/sign-in', orSignedOut(startSignIn(parts)));
  router.get('/session/callback', orSignedOut(finishSignIn(parts)));
  router.post('/session/back-channel-logout', readBody, parts.enter, backChannelLogout(parts));
  return router;
}

type Step = (request: Request, response: Response) => Promise<void>;

/** Shows the sign-in page again after a failure, with a code and no text. */
function orSignedOut(step: Step): RequestHandler {
  return async (request, response) => {
    try {
      await step(request, response);
    } catch (error) {
      const { failure, message } = signInErrorOf(error);
      request.log.warn({ failure, problem: message }, 'sign-in failed');
      response.redirect(303, `/#/signed-out?reason=${failure}`);
    }
  };
}

function startSignIn({ provider, seal, sessions, rateLimits }: ProviderRouterParts): Step {
  return async (request, response) => {
    const { 'sec-fetch-site': site = 'none' } = request.headers;
    if (site !== 'none' && site !== 'same-origin') throw new SignInError('cross-site', `it began at a ${site} page`);
    rateLimits.countSignIn(sourceOf(request));
    const { url, checks } = await provider.startSignIn();
    const started = { ...checks, returnTo: returnPath(request.query.return), expiresAt: Date.now() + signInMs };
    const own = sessions.originOf(request);
    // Browsers send older cookies first (RFC 6265, section 5.4).
    const others = cookieNames(request, 'sign-in-[\\w-]{16}', own);
    for (const oldest of others.slice(0, Math.max(0, others.length - maxSignIns + 1))) {
      removeCookie(response, oldest, own);
    }
    setCookie(response, cookieOf(checks.state, own), await seal.seal(started), own, signInMs);
    response.redirect(303, url.href);
  };
}

/** Each sign-in of a browser has a cookie of its own, which its state names: several tabs can sign in at the same time. */
function cookieOf(state: string, own: URL): string {
  const digest = createHash('sha256').update(state).digest('base64url');
  return cookieName(`sign-in-${digest.slice(0, 16)}`, own);
}

/** Returns a path for the fragment of the dashboard's URL, so that it can't lead to another site. */
function returnPath(value: unknown): string {
  const isPath = typeof value === 'string' && value.startsWith('/') && value.length <= maxReturnCharacters;
  return isPath && !hasControlCharacters(value) ? value : '/';
}

function finishSignIn(parts: ProviderRouterParts): Step {
  const { provider, sessions, rateLimits } = parts;
  return async (request, response) => {
    // Before anything is counted: any site can make browsers open the callback, and would lock out their addresses.
    const started = await takeStarted(parts, request, response);
    const signedIn = await rateLimits.countingAttempts(sourceOf(request), isRejected, () =>
      provider.finishSignIn(queryOf(request.originalUrl), started),
    );
    rateLimits.countOperations(signedIn.session.subject, 1);
    rateLimits.countSession(signedIn.session.subject);
    await startSession(sessions, signedIn, request, response);
    response.redirect(303, `/#${started.returnTo}`);
  };
}

function isRejected(error: unknown): boolean {
  return signInErrorOf(error).failure === 'rejected';
}

/**
 * Returns the sign-in that the callback finishes. Its cookie is removed, so that no callback is accepted twice. A
 * callback with another state, which any site can link to, leaves it.
 */
async function takeStarted(
  { seal, sessions }: ProviderRouterParts,
  request: Request,
  response: Response,
): Promise<StartedSignIn> {
  const own = sessions.originOf(request);
  const { state } = request.query;
  const name = typeof state === 'string' ? cookieOf(state, own) : null;
  const cookie = name === null ? null : readCookie(request, name);
  // Nothing is decrypted for a callback that no sign-in can have led to.
  const started = name === null || cookie == null ? null : await seal.open(cookie);
  // Without the cookie of this state, it is that of a sign-in in another browser (login CSRF).
  if (name === null || started === null || started.state !== state) {
    throw new SignInError('expired', 'this browser has started no such sign-in, or has finished it');
  }
  removeCookie(response, name, own);
  if (started.expiresAt <= Date.now()) throw new SignInError('expired', 'it took too long');
  return started;
}

async function startSession(
  sessions: BrowserSessions,
  { session, provider }: SignedIn,
  request: Request,
  response: Response,
): Promise<void> {
  const now = new Date();
  const endsAt = sessions.endFrom(now);
  const started = { id: newSessionId(), session, usableUntil: renewedUntil(now, endsAt), endsAt, provider };
  try {
    await sessions.set(request, response, started);
  } catch (error) {
    throw error instanceof SessionTooLargeError ? new SignInError('too-large', error.message) : error;
  }
  sessions.confirmAccess(session);
}

/** Ends the sessions that the provider names. It sends the token as a form, without cookies. */
function backChannelLogout({ provider, sessions, rateLimits }: ProviderRouterParts): RequestHandler {
  return async (request, response) => {
    // Before anything is counted: any site can make browsers send a form, and would lock out their addresses.
    const { origin, 'sec-fetch-site': site } = request.headers;
    if (origin !== undefined || site !== undefined) {
      throw new LatchkeyError('BAD_USER_INPUT', 'A logout token comes from the identity provider, not from a browser.');
    }
    const form = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString() : '');
    try {
      const { issuer, sid, sub, iat } = await provider.verifyLogout(form.get('logout_token') ?? '');
      if (sid !== undefined) await sessions.endOfProvider(providerEndId(issuer, 'sid', sid), null);
      else if (sub !== undefined) {
        const at = new Date(iat * 1000);
        await sessions.endOfProvider(providerEndId(issuer, 'sub', sub), at);
        // Of one session (`sid`), it is a person who signs out. Of all, it is often an account that was blocked.
        sessions.confirmAccess({ subject: sub, teams: new Map() }, at);
      }
    } catch (error) {
      if (!(error instanceof SignInError)) throw error;
      rateLimits.countFailure(sourceOf(request));
      throw new LatchkeyError('BAD_USER_INPUT', `The logout token is not valid: ${error.message}.`);
    }
    response.status(200).end();
  };
}
