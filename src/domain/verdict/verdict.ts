import type { KeyEnv } from '../key/api-key.ts';
import { keyTests } from './checks.ts';
import type { VerdictCode } from './verdict-code.ts';

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

/**
 * Returns the first verdict that applies. The caller checks afterwards whether a valid signature is a replay, and whether
 * the key has reached its rate limit.
 */
export function verdict(key: JudgedKey, circumstances: Circumstances): VerdictCode {
  for (const test of keyTests) {
    const code = test(key, circumstances);
    if (code !== null) return code;
  }
  return 'VALID';
}
