/** Tokens that the provider signs for this client: ID tokens and logout tokens. */
import { errors, type JWTVerifyOptions, jwtVerify } from 'jose';
import { z } from 'zod';
import { clockSkewSeconds } from '../session-token.ts';
import type { TokenKeys } from '../token-keys.ts';
import { SignInError } from './provider-errors.ts';

/** Also rejects a token from the future, which would outlive a logout that names only the subject. */
const maxTokenAge = '1 hour';

const idClaims = z.looseObject({ sub: z.string().min(1), iat: z.number(), sid: z.string().optional() });

/** Returns the claims. Throws SignInError, or UNAVAILABLE if the keys can't be fetched. */
export async function verifyIdToken(token: string, keys: TokenKeys, issuer: string, clientId: string) {
  const payload = await verify(token, keys, { maxTokenAge, requiredClaims: ['exp'], issuer, audience: clientId });
  const { success, data } = idClaims.safeParse(payload);
  if (!success) throw new SignInError('rejected', 'the ID token has no usable sub, iat or sid');
  return data;
}

/**
 * Returns the claims of a signed userinfo (OpenID Connect Core, section 5.3.2), which can have no `exp`, `iss` or `aud`:
 * the provider has just sent it. Throws SignInError, or UNAVAILABLE if the keys can't be fetched.
 */
export async function verifyUserInfo(token: string, keys: TokenKeys, issuer: string, clientId: string) {
  if (token.split('.').length === 5) {
    throw new SignInError('rejected', 'userinfo is encrypted, which is not supported: turn it off for this client');
  }
  const claims = await verify(token, keys, {});
  const isOurs = claims.aud === undefined || [claims.aud].flat().includes(clientId);
  if (!isOurs || (claims.iss ?? issuer) !== issuer) {
    throw new SignInError('rejected', 'userinfo is for another client (aud), or of another issuer (iss)');
  }
  return claims;
}

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

const logoutClaims = z
  .object({
    iat: z.number(),
    jti: z.string().min(1),
    sub: z.string().optional(),
    sid: z.string().optional(),
    events: z.object({ [logoutEvent]: z.object({}) }),
    // An ID token has a nonce, and must not pass for a logout token.
    nonce: z.never().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined);

/**
 * Returns whose sessions the provider ended, and when (OpenID Connect Back-Channel Logout, section 2.6). A token that
 * is sent again ends no later session. Throws SignInError, or UNAVAILABLE if the keys can't be fetched.
 *
 * `exp` is checked but not required. The specification requires it only since its errata of December 2023, and Ory
 * Hydra 2.2 (issue 4035), Keycloak before 24 (issue 25753) and authentik before 2025.8.2 (issue 16490) leave it out.
 */
export async function verifyLogoutToken(token: string, keys: TokenKeys, issuer: string, clientId: string) {
  const payload = await verify(token, keys, { maxTokenAge, issuer, audience: clientId });
  const { success, data } = logoutClaims.safeParse(payload);
  if (!success) throw new SignInError('rejected', 'it is not a logout token');
  return data;
}

async function verify(token: string, keys: TokenKeys, rules: JWTVerifyOptions) {
  const keyOf = async ({ kid, alg }: { kid?: string; alg?: string }) => {
    const found = await keys.find(kid, performance.now());
    if (found === null)
      throw new SignInError('rejected', 'a token names a signing key that the provider does not publish');
    if (found.algorithm !== alg) throw new SignInError('rejected', `a token is not signed with ${found.algorithm}`);
    return found.key;
  };
  try {
    return (await jwtVerify(token, keyOf, { ...rules, clockTolerance: clockSkewSeconds })).payload;
  } catch (error) {
    // Messages of jose name claims, but not their values.
    throw error instanceof errors.JOSEError ? new SignInError('rejected', error.message) : error;
  }
}
