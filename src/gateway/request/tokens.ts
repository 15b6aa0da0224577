import type { IncomingHttpHeaders } from 'node:http';
import { LatchkeyError } from '../../domain/errors.ts';
import type { AcceptedTokens } from '../../lib/accepted-tokens.ts';
import { bearerToken } from '../../lib/bearer-token.ts';
import { formDecoded } from './form-body.ts';

/** Returns the verifier token of a caller whose Authorization header contains a key. */
export function verifierToken({ 'x-latchkey-verifier': token }: IncomingHttpHeaders): string | undefined {
  return typeof token === 'string' ? token : undefined;
}

const expected = {
  verifier: 'A verifier token is needed here, one of VERIFIER_TOKENS or FEED_TOKENS.',
  edge: 'A token of an edge is needed here, one of FEED_TOKENS.',
};

/** Throws UNAUTHENTICATED if the token is not accepted. `tokens` is null if the port needs no token. */
export function checkToken(tokens: AcceptedTokens | null, token: string | undefined, of: keyof typeof expected): void {
  if (tokens !== null && !tokens.has(token)) throw new LatchkeyError('UNAUTHENTICATED', expected[of]);
}

/**
 * Checks the token of a client of OAuth 2.0: as a Bearer token, or as the password of HTTP Basic, where the user name
 * is the client's id and does not matter. Throws UNAUTHENTICATED if the token is not accepted.
 */
export function checkClient(tokens: AcceptedTokens | null, authorization: string | undefined): void {
  if (tokens === null) return;
  const secret = basicSecret(authorization);
  // RFC 6749, section 2.3.1, has clients encode the secret, which curl and several libraries do not do.
  const token = secret === undefined || tokens.has(secret) ? secret : (formDecoded(secret) ?? undefined);
  checkToken(tokens, token ?? bearerToken(authorization), 'verifier');
}

/** Returns the password of HTTP Basic (RFC 7617); undefined if the header is absent or has another scheme. */
function basicSecret(authorization: string | undefined): string | undefined {
  const [, credentials] = /^basic +([a-z\d+/]+={0,2})$/i.exec(authorization ?? '') ?? [];
  if (credentials === undefined) return undefined;
  const text = Buffer.from(credentials, 'base64').toString();
  const end = text.indexOf(':');
  return end < 0 ? undefined : text.slice(end + 1);
}
