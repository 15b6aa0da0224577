/** The body of `POST /v1/introspect` (RFC 7662, section 2.2). */
import type { AnsweredKey, Outcome } from '../domain/verdict/verification-call.ts';

/** Returns the JSON text. At an edge, `iat` is missing if the service has decided. */
export function introspectionBody({ code, key }: Outcome, issuer: string | null): string {
  if (code !== 'VALID') return '{"active":false}';
  if (key === null) throw new TypeError('a valid verdict has a key');
  const { id, scopeText, externalId, createdAt } = key;
  const exp = expirySeconds(key);
  const claims = {
    active: true,
    // RFC 6749 has no empty scope.
    ...(scopeText === '' ? {} : { scope: scopeText }),
    client_id: id,
    token_type: 'Bearer',
    ...(exp === null ? {} : { exp }),
    ...(createdAt === null ? {} : { iat: Math.floor(createdAt / 1000) }),
    sub: externalId ?? id,
    ...(issuer === null ? {} : { iss: issuer }),
  };
  return `${JSON.stringify(claims).slice(0, -1)},"latchkey":{${key.described}}`;
}

/** Returns the end of the key or, after a rotation, of the presented secret, in seconds since the epoch. */
function expirySeconds({ expiresAt, secretExpiresAt }: AnsweredKey): number | null {
  const end = Math.min(expiresAt ?? Number.POSITIVE_INFINITY, secretExpiresAt ?? Number.POSITIVE_INFINITY);
  // Rounded down, because a client must not use the key beyond its end.
  return Number.isFinite(end) ? Math.floor(end / 1000) : null;
}
