import { keyTests } from './checks.ts';
import type { Circumstances, JudgedKey } from './circumstances.ts';
import type { VerdictCode } from './verdict-code.ts';

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
