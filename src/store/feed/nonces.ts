/** The nonces of accepted signatures, so that each signature is accepted once across all instances. */
export interface Nonces {
  /** Records nonces, and returns for each nonce whether it is new. Resolves when other instances see the nonces. */
  readonly claim: (claims: readonly NonceClaim[]) => Promise<readonly boolean[]>;
  readonly has: (keyId: string, nonce: string) => Promise<boolean>;
  /** Removes expired nonces. Must run about every minute, to notice when the clock is set. */
  readonly purge: (now: Date) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface NonceClaim {
  readonly keyId: string;
  readonly nonce: string;
  /** Until this time, the signature could be accepted again. */
  readonly expiresAt: Date;
}

/** A clock in milliseconds that never goes back and can't be set. */
export type MonotonicClock = () => number;

/** Longer than any signature is valid: 300 seconds, plus the allowed clock skew before and after. */
export const minRetentionMs = 320_000;
