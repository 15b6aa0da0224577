/** The nonces of signatures that were accepted, so that each is accepted once, by whichever instance. */
export interface Nonces {
  /** Records the nonces; true where it was not recorded before. Answers when other instances see it. */
  readonly claim: (claims: readonly NonceClaim[]) => Promise<readonly boolean[]>;
  /** Forgets what has expired: such a signature is refused for its age. */
  readonly purge: (now: Date) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface NonceClaim {
  readonly keyId: string;
  readonly nonce: string;
  /** Until when the signature could be accepted again. */
  readonly expiresAt: Date;
}
