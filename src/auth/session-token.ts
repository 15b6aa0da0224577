/** Session tokens: JWTs that say who calls and what they may do in which team. */
import jwt from 'jsonwebtoken';
import { LatchkeyError } from '../domain/errors.ts';
import type { Session } from '../domain/key/permission.ts';
import { parseTeamName } from '../domain/key/team-name.ts';
import { limits } from '../domain/limits.ts';
import { prefixOfSecret } from '../domain/secret/secret.ts';
import { hasControlCharacters } from '../domain/text.ts';
import { bearerToken } from '../lib/bearer-token.ts';
import { claimAt } from '../lib/claim-at.ts';
import { isJsonObject } from '../lib/json-object.ts';
import { type ClaimRules, decoded, type TokenClaims, teamsIn } from './team-claims.ts';
import type { TokenKeys } from './token-keys.ts';

export interface TokenRules extends ClaimRules {
  readonly keys: TokenKeys;
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
  readonly maxLifetimeSeconds: number;
}

export const clockSkewSeconds = 5;

/**
 * The type of the token in a sign-in link (RFC 8725, section 3.11). It starts one session and is accepted for nothing else,
 * because a browser keeps the link in the file of its history.
 */
export const linkType = 'latchkey-link+jwt';
/** How long a link can be opened. The session can last longer, until `exp`. */
export const linkSeconds = 600;

export interface SignInLink {
  /** The `jti` of the token. */
  readonly id: string;
  /** How long a use has to be remembered. */
  readonly usableUntil: Date;
}

/** Returns the session of an `Authorization` header. Throws UNAUTHENTICATED with the reason. */
export async function authenticate(authorization: string | undefined, rules: TokenRules, now: Date): Promise<Session> {
  const { session, link } = await acceptToken(authorization, rules, now);
  if (link !== null) throw unauthenticated('The token is that of a sign-in link, which a browser can open once.');
  return session;
}

/**
 * Returns the session of an `Authorization` header, and its end; with the link, if the token is that of one. Throws
 * UNAUTHENTICATED with the reason.
 *
 * jsonwebtoken checks the signature, `exp`, `nbf`, `iss` and `aud`. This file checks what jsonwebtoken accepts: a
 * missing or infinite `exp`, a missing or future `iat`, unknown critical headers, any `typ` and a `sub` of any type.
 */
export async function acceptToken(
  authorization: string | undefined,
  rules: TokenRules,
  now: Date,
): Promise<{ readonly session: Session; readonly expiresAt: Date; readonly link: SignInLink | null }> {
  const token = tokenOf(authorization);
  const header = headerOf(token);
  checkHeader(header);
  const tokenKey = await rules.keys.find(header.kid, performance.now());
  if (tokenKey === null) throw unauthenticated('The session token names a signing key that is not known here.');
  const seconds = now.getTime() / 1000;
  let claims: string | jwt.JwtPayload;
  try {
    claims = jwt.verify(token, tokenKey.key, {
      algorithms: [tokenKey.algorithm],
      clockTimestamp: Math.floor(seconds),
      clockTolerance: clockSkewSeconds,
      ...(rules.issuer === undefined ? {} : { issuer: rules.issuer }),
      ...(rules.audience === undefined ? {} : { audience: rules.audience }),
    });
  } catch (error) {
    if (error instanceof jwt.TokenExpiredError) throw unauthenticated('The session token has expired.');
    if (error instanceof jwt.NotBeforeError) throw unauthenticated('The session token is not valid yet.');
    // Error messages of jsonwebtoken contain no part of the token.
    const reason = error instanceof jwt.JsonWebTokenError ? error.message : "it can't be read";
    throw unauthenticated(`The session token is not valid: ${reason}.`);
  }
  if (typeof claims === 'string') throw unauthenticated('The session token carries no claims.');
  const expiresAt = checkLifetime(claims, rules, seconds);
  const link = header.typ === linkType ? linkOf(claims, seconds) : null;
  return { session: sessionOf(claims, rules), expiresAt, link };
}

/** The claims name no teams of the caller. */
export class NoTeamsError extends LatchkeyError {
  /** What is wrong, beginning with the name of the claim. */
  readonly problem: string;

  constructor({ teamsClaim }: ClaimRules, isMissing: boolean) {
    const expected = 'must be an object from team ids (UUIDs) to lists of permissions';
    super(
      'UNAUTHENTICATED',
      `The session token's ${teamsClaim} ${isMissing ? `is missing: it ${expected}` : expected}.`,
    );
    this.problem = `${teamsClaim} ${isMissing ? 'is missing' : expected}`;
  }
}

/** Returns who calls, and with which permissions, from claims whose issuer was checked. Throws UNAUTHENTICATED. */
export function sessionOf(claims: TokenClaims, rules: ClaimRules): Session {
  const teams = teamsIn(claims, rules);
  if (teams === null) throw new NoTeamsError(rules, claimAt(claims, rules.teamsClaim) === undefined);
  return {
    subject: subjectOf(claims),
    teams,
    teamNames: teamNamesOf(decoded(claimAt(claims, rules.teamNamesClaim)), teams),
  };
}

function tokenOf(authorization: string | undefined): string {
  if (authorization === undefined) throw unauthenticated('A session token is needed: Authorization: Bearer <JWT>.');
  const token = bearerToken(authorization);
  if (token === undefined) throw unauthenticated('The Authorization header must be: Bearer <JWT>.');
  if (token.length > limits.sessionTokenCharacters)
    throw unauthenticated(`The session token is longer than ${limits.sessionTokenCharacters} characters.`);
  if (prefixOfSecret(token) !== null) {
    throw unauthenticated('This is an API key. Management calls need a session token (a JWT) or a management key.');
  }
  return token;
}

function headerOf(token: string): jwt.JwtHeader {
  let header: unknown;
  try {
    header = jwt.decode(token, { complete: true })?.header;
  } catch {
    // jsonwebtoken throws for some texts that only look like a JWT.
  }
  if (typeof header !== 'object' || header === null) throw unauthenticated('The bearer token is not a JWT.');
  return header as jwt.JwtHeader;
}

function checkHeader(header: jwt.JwtHeader): void {
  // RFC 7515, section 4.1.11: a token with an unsupported critical extension is invalid. We support no extensions.
  if (header.crit !== undefined)
    throw unauthenticated('The session token has a critical header that is not understood.');
  const type: unknown = header.typ;
  // RFC 8725, section 3.11: a token issued for another purpose must not be accepted.
  if (
    type !== undefined &&
    type !== linkType &&
    !(typeof type === 'string' && /^(?:application\/)?(?:at\+)?jwt$/i.test(type))
  ) {
    throw unauthenticated('The session token is of a type for something else.');
  }
  const kid: unknown = header.kid;
  if (kid !== undefined && typeof kid !== 'string')
    throw unauthenticated('The session token has a key id that is not a string.');
}

function checkLifetime({ exp, iat }: jwt.JwtPayload, { maxLifetimeSeconds }: TokenRules, now: number): Date {
  if (typeof exp !== 'number' || !Number.isFinite(exp)) throw unauthenticated('The session token has no expiry (exp).');
  // Without iat, the lifetime of a token can't be checked.
  if (iat === undefined) throw unauthenticated('The session token has no issue time (iat).');
  if (typeof iat !== 'number' || !Number.isFinite(iat))
    throw unauthenticated('The session token has an issue time (iat) that is not a number.');
  if (iat > now + clockSkewSeconds) throw unauthenticated('The session token was issued in the future.');
  if (exp - Math.min(iat, now) > maxLifetimeSeconds) {
    throw unauthenticated(`The session token lives longer than the ${maxLifetimeSeconds} seconds that are allowed.`);
  }
  return new Date(exp * 1000);
}

/** `checkLifetime` has checked `iat`. */
function linkOf({ jti, iat = 0 }: jwt.JwtPayload, now: number): SignInLink {
  if (typeof jti !== 'string' || jti === '' || jti.length > 100) {
    throw unauthenticated('The token of a sign-in link has no id (jti) of 1 to 100 characters.');
  }
  const usableUntil = iat + linkSeconds;
  if (usableUntil + clockSkewSeconds <= now) {
    throw unauthenticated(`A sign-in link works for ${linkSeconds / 60} minutes, and this one is older.`);
  }
  // Twice, because another instance with a slower clock must still know that the link was used.
  return { id: jti, usableUntil: new Date((usableUntil + 2 * clockSkewSeconds) * 1000) };
}

function subjectOf({ sub }: { readonly sub?: unknown }): string {
  // The audit trail contains the subject unchanged.
  if (typeof sub !== 'string' || sub === '' || sub.length > 255 || hasControlCharacters(sub)) {
    throw unauthenticated('The session token has no usable subject (sub): 1 to 255 characters, no control characters.');
  }
  return sub;
}

/** Returns the usable team names. Ignores all others, because the claim may have another purpose and grants nothing. */
function teamNamesOf(claim: unknown, teams: ReadonlyMap<string, unknown>): Map<string, string> {
  const names = new Map<string, string>();
  if (!isJsonObject(claim)) return names;
  for (const [written, value] of Object.entries(claim)) {
    const id = written.toLowerCase();
    const name = typeof value === 'string' ? parseTeamName(value) : null;
    if (name?.ok === true && teams.has(id)) names.set(id, name.value);
  }
  return names;
}

function unauthenticated(message: string): LatchkeyError {
  return new LatchkeyError('UNAUTHENTICATED', message);
}
