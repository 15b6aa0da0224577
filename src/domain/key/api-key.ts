import { hasPassed } from '../moment.ts';
import type { KeyEnv } from './key-env.ts';
import type { KeySettings } from './settings.ts';

export type { KeyEnv } from './key-env.ts';
export type KeyState = 'ACTIVE' | 'EXPIRED' | 'DISABLED' | 'REVOKED';

/** A key without its revision. */
export interface ApiKey extends KeySettings {
  readonly id: string;
  readonly teamId: string;
  readonly env: KeyEnv;
  readonly prefix: string;
  readonly digest: string;
  readonly pepperId: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  readonly disabledAt: Date | null;
  /** The sealed signing secret while signing is enabled, else null. */
  readonly signingEnvelope: string | null;
  /** The number of signing secrets that were ever issued for the key. */
  readonly signingVersion: number;
  /** The sealed previous signing secret, its version, and the time of its expiry. */
  readonly previousSigningEnvelope: string | null;
  readonly previousSigningVersion: number | null;
  readonly previousSigningExpiresAt: Date | null;
  /** The revision of the change that imported the key; null for a key made here. */
  readonly importRevision: bigint | null;
  /** The number of secrets of the key so far, including the current one. */
  readonly secretVersion: number;
  /** When the current secret replaced the previous secret. */
  readonly rotatedAt: Date | null;
  readonly previousPrefix: string | null;
  /** When the previous secret expires; null if it is not accepted. */
  readonly previousExpiresAt: Date | null;
  /** Whether nobody uses the key: it was laid where only an intruder finds it. It is never accepted, and never changes this. */
  readonly tripwire: boolean;
}

export const noPreviousSigningSecret = {
  previousSigningEnvelope: null,
  previousSigningVersion: null,
  previousSigningExpiresAt: null,
} as const;

/** The signing fields of a key that is revoked or no longer requires signatures. */
export const noSigning = { signingEnvelope: null, ...noPreviousSigningSecret } as const;

/** The properties of a key that was never changed. */
export const initialState = {
  revokedAt: null,
  disabledAt: null,
  ...noSigning,
  signingVersion: 0,
  importRevision: null,
  secretVersion: 1,
  rotatedAt: null,
  previousPrefix: null,
  previousExpiresAt: null,
  tripwire: false,
} as const;

export interface StoredKey extends ApiKey {
  /** The revision of the key's last change. */
  readonly revision: bigint;
  /** Null if the key was never used. Only in lists, which read it with the key. */
  readonly lastUsedAt?: Date | null;
}

export function stateOf(key: Pick<ApiKey, 'expiresAt' | 'revokedAt' | 'disabledAt'>, now: Date): KeyState {
  if (key.revokedAt !== null) return 'REVOKED';
  if (key.disabledAt !== null) return 'DISABLED';
  return hasPassed(key.expiresAt, now) ? 'EXPIRED' : 'ACTIVE';
}

/** Returns whether the list has all three unrevoked states or none. If so, queries need not compare states. */
export function areAllUnrevokedOrNone(states: readonly KeyState[]): boolean {
  const unrevoked = new Set(states.filter((state) => state !== 'REVOKED'));
  return unrevoked.size === 0 || unrevoked.size === 3;
}
