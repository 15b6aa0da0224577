/** The nonces of signatures that were accepted, so that each is accepted once, by whichever instance. */
export interface Nonces {
  /** Records the nonces; true where it was not recorded before. Answers when other instances see it. */
  readonly claim: (claims: readonly NonceClaim[]) => Promise<readonly boolean[]>;
  /** Whether the nonce was recorded, without recording it. */
  readonly has: (keyId: string, nonce: string) => Promise<boolean>;
  /**
   * Forgets what has expired: such a signature is refused for its age. A clock that jumps makes it look expired before
   * its time, so that a nonce is also kept for as long as any signature lasts by a clock that can't be set. To be
   * called every minute or so.
   */
  readonly purge: (now: Date) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface NonceClaim {
  readonly keyId: string;
  readonly nonce: string;
  /** Until when the signature could be accepted again. */
  readonly expiresAt: Date;
}

/** Milliseconds of a clock that never goes back and that nobody sets. */
export type MonotonicClock = () => number;

/** Longer than any signature can be accepted: 300 seconds, and the clock skew at either end. */
export const minRetentionMs = 320_000;
