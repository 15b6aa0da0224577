/** What the provider says about a user in addition to the ID token: the userinfo of OpenID Connect Core, section 5.3. */
import { fetchProtectedResource } from 'openid-client';
import { mediaTypeOf } from '../../lib/content-type.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import { tryParseJson } from '../../lib/try-parse-json.ts';
import type { TokenClaims } from '../team-claims.ts';
import type { Discovered } from './discovery.ts';
import { isTemporary, SignInError } from './provider-errors.ts';
import { verifyUserInfo } from './provider-tokens.ts';

/**
 * Returns the claims of a user; none if the provider has no userinfo. An answer that is a JWT counts only with a
 * signature of the provider. Throws SignInError, or an error of openid-client.
 */
export async function userInfo(
  { configuration, issuer, keys }: Discovered,
  accessToken: string,
  subject: string,
): Promise<TokenClaims> {
  const { userinfo_endpoint: url } = configuration.serverMetadata();
  if (url == null) return {};
  const headers = new Headers({ accept: 'application/json, application/jwt' });
  const response = await fetchProtectedResource(configuration, accessToken, new URL(url), 'GET', null, headers);
  if (response.status !== 200) {
    await response.body?.cancel();
    const failure = isTemporary(response.status) ? 'unavailable' : 'rejected';
    throw new SignInError(failure, `userinfo answered ${response.status}`);
  }
  const text = await response.text();
  const isToken = mediaTypeOf(response.headers.get('content-type') ?? '') === 'application/jwt';
  const { client_id: clientId } = configuration.clientMetadata();
  const claims = isToken ? await verifyUserInfo(text, keys, issuer, clientId) : parsed(text);
  // Section 5.3.2: claims of another user must not be used.
  if (claims.sub !== subject)
    throw new SignInError('rejected', 'userinfo is about another subject (sub) than the ID token');
  return claims;
}

function parsed(text: string): TokenClaims {
  const claims = tryParseJson(text);
  if (isJsonObject(claims)) return claims;
  throw new SignInError('rejected', 'userinfo is neither a JSON object nor a signed one (application/jwt)');
}
