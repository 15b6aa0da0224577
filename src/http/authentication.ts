import type { Request, RequestHandler, Response } from 'express';
import { authenticate, type TokenRules } from '../auth/session-token.ts';
import { badInput } from '../domain/errors.ts';
import type { Session } from '../domain/key/permission.ts';
import type { Caller } from '../manage/management.ts';
import type { RateLimits } from './rate-limits.ts';
import type { BrowserSessions } from './session/browser-sessions.ts';
import { sourceOf } from './source-of.ts';

declare global {
  namespace Express {
    interface Locals {
      /** Set by `authentication`. */
      caller: Caller;
      /** Takes the number of all operations of the call, and counts all except the first, which is already counted. */
      countOperations: (operations: number) => void;
    }
  }
}

/**
 * Rejects callers without a valid session token or session of a browser, and callers above the rate limit, before their
 * body is read.
 */
export function authentication(rules: TokenRules, limits: RateLimits, sessions: BrowserSessions): RequestHandler {
  return async (request, response, next) => {
    const now = new Date();
    const { locals } = response;
    const source = sourceOf(request);
    const session = sessions.hasCookie(request)
      ? await sessionOfCookie(request, response, now)
      : await sessionOfToken(request.headers.authorization, source, now);
    limits.countOperations(session.subject, 1);
    locals.countOperations = (operations) => limits.countOperations(session.subject, operations - 1);
    locals.caller = { session, actorKind: 'SESSION', credential: null, source, requestId: String(request.id), now };
    next();
  };

  async function sessionOfCookie(request: Request, response: Response, now: Date): Promise<Session> {
    // With both, it would not be clear who calls.
    if (request.headers.authorization !== undefined) {
      throw badInput([{ field: 'Authorization', message: 'must not be sent together with the cookie of a session' }]);
    }
    return (await sessions.authenticate(request, response, now)).session;
  }

  async function sessionOfToken(authorization: string | undefined, source: string | null, now: Date): Promise<Session> {
    const check = () => authenticate(authorization, rules, now);
    // Not counted without a token, because such a call does not guess tokens.
    return authorization === undefined ? await check() : await limits.countingFailures(source, check);
  }
}
