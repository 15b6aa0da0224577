/** Where the key comes from that a session token must be signed with, and with which algorithm. */
import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';

export type TokenAlgorithm = 'HS256' | 'RS256' | 'ES256';

export interface TokenKey {
  readonly key: KeyObject;
  /** Follows from the key. Never taken from the token: RFC 8725, section 3.1. */
  readonly algorithm: TokenAlgorithm;
}

export interface TokenKeys {
  /**
   * The key for a token whose header names `kid`; null when there is none. Throws UNAVAILABLE.
   * @param nowMs of a clock that never goes back: keys must not be trusted for longer because the time was set
   */
  readonly find: (kid: string | undefined, nowMs: number) => Promise<TokenKey | null>;
}

export function secretTokenKeys(secret: string): TokenKeys {
  const tokenKey: TokenKey = { key: createSecretKey(Buffer.from(secret)), algorithm: 'HS256' };
  return { find: async () => tokenKey };
}

export function publicTokenKeys(tokenKey: TokenKey): TokenKeys {
  return { find: async () => tokenKey };
}

/** A public key in PEM with the one algorithm it is for. Throws on what is no such key, or too weak a one. */
export function parsePublicKey(pem: string): TokenKey {
  if (pem.includes('PRIVATE KEY')) throw new Error('a private key does not belong here');
  const key = createPublicKey(pem);
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa' && modulusLength >= 2048) return { key, algorithm: 'RS256' };
  if (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return { key, algorithm: 'ES256' };
  throw new Error('neither an RSA key of at least 2048 bits nor an elliptic one on P-256');
}
