/** The keys that verify session tokens, and their algorithms. */
import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';

export type TokenAlgorithm = 'HS256' | 'RS256' | 'ES256';

export interface TokenKey {
  readonly key: KeyObject;
  /** The algorithm of the key. It is never taken from the token (RFC 8725, section 3.1). */
  readonly algorithm: TokenAlgorithm;
}

export interface TokenKeys {
  /**
   * Returns the key for a token with this `kid` header, or null if there is none. With `alg`, a token without `kid` gets
   * the only key that fits (OpenID Connect Core, section 10.1). Throws UNAVAILABLE.
   * @param nowMs the time of a monotonic clock, so that setting the system clock does not extend trust in a key
   */
  readonly find: (kid: string | undefined, nowMs: number, alg?: string) => Promise<TokenKey | null>;
}

export function secretTokenKeys(secret: string): TokenKeys {
  const tokenKey: TokenKey = { key: createSecretKey(Buffer.from(secret)), algorithm: 'HS256' };
  return { find: async () => tokenKey };
}

export function publicTokenKeys(tokenKey: TokenKey): TokenKeys {
  return { find: async () => tokenKey };
}

/** Parses a public key in PEM. Throws for weak keys and for any other text. */
export function parsePublicKey(pem: string): TokenKey {
  if (pem.includes('PRIVATE KEY')) throw new Error('a private key does not belong here');
  return tokenKeyOf(createPublicKey(pem));
}

/** Returns a public key with its algorithm. Throws for weak keys and for unsupported types of keys. */
export function tokenKeyOf(key: KeyObject): TokenKey {
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa' && modulusLength >= 2048) return { key, algorithm: 'RS256' };
  if (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return { key, algorithm: 'ES256' };
  throw new Error('neither an RSA key of at least 2048 bits nor an elliptic one on P-256');
}
