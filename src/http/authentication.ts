import type { Request, RequestHandler, Response } from 'express';
import { type ExchangedTokens, looksExchanged } from '../auth/exchanged-token.ts';
import { authenticate, type TokenRules } from '../auth/session-token.ts';
import { holderOf, holderOfCredential } from '../domain/access/credential.ts';
import { badInput, LatchkeyError } from '../domain/errors.ts';
import type { Session } from '../domain/key/permission.ts';
import { limits as inputLimits } from '../domain/limits.ts';
import { hasPassed } from '../domain/moment.ts';
import type { OpaqueRevisions } from '../domain/opaque-revisions.ts';
import { secretFormOf } from '../domain/secret/secret-shape.ts';
import { agree, bodyDigests, parseContentDigest } from '../domain/signature/content-digest.ts';
import { bearerToken } from '../lib/bearer-token.ts';
import {
  type AuthenticatedProgram,
  authenticateManagementKey,
  type CallLimit,
} from '../manage/access/authenticate-management-key.ts';
import { authenticateWorkload } from '../manage/access/exchange-token.ts';
import type { Caller, Management } from '../manage/management.ts';
import type { RateLimits } from './rate-limits.ts';
import type { BrowserSessions, TeamAccess } from './session/browser-sessions.ts';
import { sourceOf } from './source-of.ts';

declare global {
  namespace Express {
    interface Locals {
      /** Set by `authentication`. */
      caller: Caller;
      /** Set by `authentication`: whether the body must have the digest of a signed header. */
      isBodySigned?: boolean;
      /** Takes the number of all operations of the call, and counts all except the first, which is already counted. */
      countOperations: (operations: number) => void;
    }
  }
}

/**
 * Rejects callers without a valid session token, session of a browser or management key, and callers above the rate limit,
 * before their body is read.
 */
export function authentication(parts: AuthenticationParts): RequestHandler {
  const { limits, access } = parts;
  return async (request, response, next) => {
    const { locals } = response;
    const call = { source: sourceOf(request), requestId: String(request.id), now: new Date() };
    const { caller, isSigned } = await callerOf(parts, request, response, call);
    locals.caller = { ...caller, changed: named(parts.management.revisions, response) };
    locals.isBodySigned = isSigned;
    const holder = holderOf(caller);
    // A management key was counted before its nonce was stored.
    if (caller.actorKind !== 'MANAGEMENT_KEY') limits.countOperations(holder, 1);
    if (caller.actorKind === 'SESSION') access.used(caller.session, call.now);
    locals.countOperations = (operations) => limits.countOperations(holder, operations - 1);
    next();
  };
}

/** Returns what names the newest state that a call has changed or confirmed, in `Latchkey-Revision`. */
function named(revisions: OpaqueRevisions, response: Response): (revision: bigint) => void {
  let newest = 0n;
  return (revision) => {
    if (revision <= newest || response.headersSent) return;
    newest = revision;
    response.setHeader('latchkey-revision', revisions.encode(revision));
  };
}

/** Finds out who calls, by the kind of credential. */
async function callerOf(
  parts: AuthenticationParts,
  request: Request,
  response: Response,
  call: Call,
): Promise<AuthenticatedProgram> {
  const { authorization } = request.headers;
  const token = bearerToken(authorization ?? '') ?? '';
  const unsigned = (caller: Caller) => ({ caller, isSigned: false });
  if (parts.sessions.hasCookie(request)) {
    return unsigned(withSession(await sessionOfCookie(parts, request, response, call.now), call));
  }
  if (secretFormOf(token) === 'management') return await programOf(parts, token, request, call);
  if (looksExchanged(token)) return unsigned(await workloadOf(parts, token, call));
  return unsigned(withSession(await sessionOfToken(parts, authorization, call), call));
}

async function sessionOfCookie(
  { sessions }: AuthenticationParts,
  request: Request,
  response: Response,
  now: Date,
): Promise<Session> {
  // With both, it would not be clear who calls.
  if (request.headers.authorization !== undefined) {
    throw badInput([{ field: 'Authorization', message: 'must not be sent together with the cookie of a session' }]);
  }
  return (await sessions.authenticate(request, response, now)).session;
}

async function sessionOfToken(
  { rules, limits }: AuthenticationParts,
  authorization: string | undefined,
  { source, now }: Call,
): Promise<Session> {
  const check = () => authenticate(authorization, rules, now);
  // Not counted without a token, because such a call does not guess tokens.
  return authorization === undefined ? await check() : await limits.countingFailures(source, check);
}

async function workloadOf(
  { limits, exchanged, management }: AuthenticationParts,
  token: string,
  call: Call,
): Promise<Caller> {
  return await limits.countingFailures(call.source, async () => {
    const opened = token.length > tokenCharacters ? null : await exchanged.open(token);
    if (opened === null) throw new LatchkeyError('UNAUTHENTICATED', 'The bearer token was not issued here.');
    if (hasPassed(opened.expiresAt, call.now))
      throw new LatchkeyError('UNAUTHENTICATED', 'The exchanged token has expired.');
    return await authenticateWorkload(management, { ...opened, ...call });
  });
}

async function programOf(
  { limits, management }: AuthenticationParts,
  secret: string,
  request: Request,
  call: Call,
): Promise<AuthenticatedProgram> {
  const { method, originalUrl: url, headers, headersDistinct } = request;
  // The body arrives later: `checkSignedBody` compares it.
  const body =
    headers['content-length'] === undefined && headers['transfer-encoding'] === undefined ? {} : comparedLater;
  const signed = { method, url, headers: { ...headersDistinct, host: headers.host }, ...body };
  const calls: CallLimit = {
    check: (credential) => limits.checkOperations(holderOfCredential(credential)),
    count: (credential) => limits.countOperations(holderOfCredential(credential), 1),
  };
  return await limits.countingFailures(call.source, () =>
    authenticateManagementKey(management, { ...call, secret, request: signed, calls }),
  );
}

interface AuthenticationParts {
  readonly rules: TokenRules;
  readonly limits: RateLimits;
  readonly sessions: BrowserSessions;
  readonly management: Management;
  readonly exchanged: ExchangedTokens;
  readonly access: Pick<TeamAccess, 'used'>;
}

type Call = Pick<Caller, 'source' | 'requestId' | 'now'>;

const { sessionTokenCharacters: tokenCharacters } = inputLimits;

const comparedLater = { body: 'compared by the API' } as const;

function withSession(session: Session, call: Call): Caller {
  return { ...call, session, actorKind: 'SESSION', credential: null };
}

/** Rejects a signed request whose body is not the one that was signed. */
export const checkSignedBody: RequestHandler = (request, { locals }, next) => {
  const bytes: unknown = request.body;
  const arrived = Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0);
  const digest = request.headersDistinct['content-digest']?.join(', ');
  // Also without a body: who took a signed one away would change what the call does.
  if (locals.isBodySigned === true && (arrived.length > 0 || digest !== undefined)) {
    const signed = parseContentDigest(digest ?? '');
    if (!signed.ok || !agree(signed.value, bodyDigests(arrived))) {
      throw new LatchkeyError('UNAUTHENTICATED', 'The body must have the digest that was signed.');
    }
  }
  next();
};
