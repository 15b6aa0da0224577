/** The nonces of accepted signatures, so that each signature is accepted once across all instances. */
export interface Nonces {
  /** Records nonces. Returns for each whether it is new. Resolves once other instances see them. */
  readonly claim: (claims: readonly NonceClaim[]) => Promise<readonly boolean[]>;
  readonly has: (keyId: string, nonce: string) => Promise<boolean>;
  /** Removes expired nonces. Call it about every minute: the monotonic clock guards against jumps of `now`. */
  readonly purge: (now: Date) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface NonceClaim {
  readonly keyId: string;
  readonly nonce: string;
  /** The end of the time in which the signature could be accepted again. */
  readonly expiresAt: Date;
}

/** A clock in milliseconds that never goes back and can't be set. */
export type MonotonicClock = () => number;

/** Longer than the lifetime of any signature: 300 seconds, plus the clock skew at both ends. */
export const minRetentionMs = 320_000;
