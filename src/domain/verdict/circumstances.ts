import type { KeyEnv } from '../key/key-env.ts';

/** The fields of a key that a verdict depends on. */
export interface JudgedKey {
  readonly env: KeyEnv;
  /** Milliseconds since the epoch; null when the key never expires. */
  readonly expiresAt: number | null;
  readonly revoked: boolean;
  readonly disabled: boolean;
  /**
   * When the presented secret stops working: milliseconds since the epoch; null for the current secret. Negative infinity
   * for a secret that works no longer.
   */
  readonly secretExpiresAt: number | null;
}

/** The circumstances that a verdict depends on. Expensive checks are functions, called only when needed. */
export interface Circumstances {
  readonly now: number;
  /** The environment that the caller serves; undefined when it accepts any. */
  readonly env: KeyEnv | undefined;
  /** True where there is no allow-list; false where there is one and no known source. */
  readonly sourceAllowed: () => boolean;
  /** True where the caller requires no scopes. */
  readonly scopesGranted: () => boolean;
  /** 'valid' where no signature is needed. */
  readonly signature: () => 'valid' | 'SIGNATURE_REQUIRED' | 'SIGNATURE_INVALID' | 'SIGNATURE_EXPIRED';
}
