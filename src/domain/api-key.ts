export type KeyEnv = 'live' | 'test';
export type KeyState = 'ACTIVE' | 'EXPIRED' | 'REVOKED';

/** A key without its revision. */
export interface ApiKey {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly env: KeyEnv;
  readonly prefix: string;
  readonly digest: string;
  readonly pepperId: string;
  /** As written by the caller, comments included; each one a valid allowed source. */
  readonly allowedIps: readonly string[];
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  /** The sealed signing secret while signing is enabled, else null. */
  readonly signingEnvelope: string | null;
  /** How many signing secrets were ever issued for the key. */
  readonly signingVersion: number;
  /** The change that imported the key, in the order of all changes; null for a key made here. */
  readonly importRevision: bigint | null;
}

/** A key as it is stored. */
export interface StoredKey extends ApiKey {
  /** The revision of its last change. Every change of the key gives it a new one. */
  readonly revision: bigint;
}

export function stateOf(key: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, now: Date): KeyState {
  if (key.revokedAt !== null) return 'REVOKED';
  return key.expiresAt !== null && key.expiresAt.getTime() <= now.getTime() ? 'EXPIRED' : 'ACTIVE';
}
