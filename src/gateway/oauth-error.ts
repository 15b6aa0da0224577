/** Errors for clients of OAuth 2.0 (RFC 6749, section 5.2, and RFC 7662, section 2.3). */
import type { ErrorCode, LatchkeyError } from '../domain/errors.ts';

const oauthCodes: Partial<Readonly<Record<ErrorCode, string>>> = {
  UNAUTHENTICATED: 'invalid_client',
  RATE_LIMITED: 'temporarily_unavailable',
  INTERNAL_SERVER_ERROR: 'server_error',
  UNAVAILABLE: 'temporarily_unavailable',
};

/** Returns the body. Every other code is about the request: its parameters, media type, size or method. */
export function oauthError({ code, message }: LatchkeyError) {
  return { error: oauthCodes[code] ?? 'invalid_request', error_description: message };
}

/** What `WWW-Authenticate` asks for: the two ways in which a client presents a verifier token. */
export const clientChallenge = 'Bearer, Basic realm="Latchkey", charset="UTF-8"';
