import type { RequestHandler } from 'express';
import { authenticate, type TokenRules } from '../auth/session-token.ts';
import { LatchkeyError } from '../domain/errors.ts';
import type { Session } from '../domain/key/permission.ts';
import type { Caller } from '../manage/management.ts';
import type { RateLimits } from './rate-limits.ts';

declare global {
  namespace Express {
    interface Locals {
      /** Set by `authentication`. */
      caller: Caller;
      /** Takes the number of all operations of the call, and counts all except the first, which is already counted. */
      countOperations: (operations: number) => Promise<void>;
    }
  }
}

/** Rejects callers without a valid session token, and callers above the rate limit, before their body is read. */
export function authentication(rules: TokenRules, limits: RateLimits): RequestHandler {
  return async ({ headers: { authorization }, ip: source = null, id }, { locals }, next) => {
    const now = new Date();
    let session: Session;
    try {
      session = await authenticate(authorization, rules, now);
    } catch (error) {
      const rejected = error instanceof LatchkeyError && error.code === 'UNAUTHENTICATED';
      // Not counted without a token, because such a call does not guess tokens.
      if (rejected && authorization !== undefined) await limits.countFailure(source);
      throw error;
    }
    await limits.countOperations(session.subject, 1);
    locals.countOperations = (operations) => limits.countOperations(session.subject, operations - 1);
    locals.caller = { session, actorKind: 'SESSION', source, requestId: String(id), now };
    next();
  };
}
