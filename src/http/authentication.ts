import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Caller } from '../manage/caller.ts';
import { authenticate, type TokenRules } from '../manage/session-token.ts';

declare global {
  namespace Express {
    interface Locals {
      /** Set by `authentication` on every request that gets past it. */
      caller: Caller;
    }
  }
}

/** Lets only callers with a valid session token past, before anything of their body is read. */
export function authentication(rules: TokenRules): RequestHandler {
  return async (request: Request, response: Response, next: NextFunction) => {
    const now = new Date();
    response.locals.caller = {
      session: await authenticate(request.headers.authorization, rules, now),
      source: request.ip ?? null,
      requestId: String(request.id),
      now,
    };
    next();
  };
}
