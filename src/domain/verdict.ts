import type { KeyEnv } from './api-key.ts';
import type { VerdictCode } from './verdict-code.ts';

/** What a verdict depends on, of a key. */
export interface JudgedKey {
  readonly env: KeyEnv;
  /** Milliseconds since the epoch; null when the key never expires. */
  readonly expiresAt: number | null;
  readonly revoked: boolean;
}

/** What a verdict depends on, of the circumstances. What costs something is asked for only when nothing else decides. */
export interface Circumstances {
  readonly now: number;
  /** The environment that the caller serves; undefined when it does not care. */
  readonly env: KeyEnv | undefined;
  /** True where there is no allow-list; false where there is one and no known source. */
  readonly sourceAllowed: () => boolean;
  /** 'valid' where no signature is needed. */
  readonly signature: () => 'valid' | 'SIGNATURE_REQUIRED' | 'SIGNATURE_INVALID' | 'SIGNATURE_EXPIRED';
}

/** The first that applies. Whether a valid signature was used before is for the store to say, after this. */
export function verdict(key: JudgedKey, { now, env, sourceAllowed, signature }: Circumstances): VerdictCode {
  if (key.revoked) return 'REVOKED';
  if (key.expiresAt !== null && key.expiresAt <= now) return 'EXPIRED';
  if (env !== undefined && env !== key.env) return 'WRONG_ENVIRONMENT';
  if (!sourceAllowed()) return 'SOURCE_NOT_ALLOWED';
  const outcome = signature();
  return outcome === 'valid' ? 'VALID' : outcome;
}
