/** Tokens that the provider signs for this client: ID tokens and logout tokens. */
import { errors, type JWTVerifyOptions, jwtVerify } from 'jose';
import { z } from 'zod';
import { LatchkeyError } from '../../domain/errors.ts';
import { keySetProblem } from '../key-set.ts';
import { clockSkewSeconds } from '../session-token.ts';
import type { TokenKeys } from '../token-keys.ts';
import { keysProblem, ProviderError, SignInError } from './provider-errors.ts';

/** Also rejects a token from the future, which would outlive a logout that names only the subject. */
const maxTokenAge = '1 hour';

const idClaims = z.looseObject({
  sub: z.string().min(1),
  iat: z.number(),
  sid: z.string().optional(),
  azp: z.string().optional(),
});

/** Returns the claims. Throws SignInError, or UNAVAILABLE if the keys can't be fetched. */
export async function verifyIdToken(token: string, keys: TokenKeys, issuer: string, clientId: string) {
  const payload = await verify(token, keys, { maxTokenAge, requiredClaims: ['exp'], issuer, audience: clientId });
  const { success, data } = idClaims.safeParse(payload);
  if (!success) throw new SignInError('rejected', 'the ID token has no usable sub, iat, sid or azp');
  // OpenID Connect Core, section 3.1.3.7: the token was issued to another client, or does not say to which of several.
  const isShared = Array.isArray(payload.aud) && payload.aud.length > 1;
  if (isShared ? data.azp !== clientId : (data.azp ?? clientId) !== clientId) {
    throw new SignInError('rejected', 'the ID token was issued to another client (azp)');
  }
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
    const found = await findKey(keys, kid, alg);
    if (found === null) {
      const problem =
        kid === undefined
          ? 'no signing key (kid), and the provider does not publish exactly one for its algorithm'
          : 'a signing key that the provider does not publish';
      throw new SignInError('rejected', `a token names ${problem}`);
    }
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

async function findKey(keys: TokenKeys, kid: string | undefined, alg: string | undefined) {
  try {
    return await keys.find(kid, performance.now(), alg);
  } catch (error) {
    // The error for callers with session tokens does not say why.
    if (!(error instanceof LatchkeyError)) throw error;
    const { problem, isTemporary } = keySetProblem(error.cause);
    throw new ProviderError(keysProblem(problem), isTemporary);
  }
}
