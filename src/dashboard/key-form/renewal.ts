import { dayMs } from '../../domain/moment.ts';
import type { PolicyRules } from '../../domain/policy/key-policy.ts';
import type { KeyState } from '../generated/graphql.ts';
import { renewalDays } from './expiry.ts';
import { expiryBounds } from './expiry-bounds.ts';

export interface Renewable {
  readonly expiresAt: string | null;
  readonly state: KeyState;
  readonly createdAt: string;
  readonly rotatedAt: string | null;
}

export interface Renewal {
  readonly at: Date;
  /** Whether the policy permits no later expiry. */
  readonly isShortened: boolean;
}

/**
 * Returns the renewed expiry, shortened to what the policy permits. An expired key is renewed from now. Null if the key is
 * revoked, never expires, or may not expire later than it does.
 */
export function renewalOf(key: Renewable, rules: PolicyRules | undefined, now: number): Renewal | null {
  const { expiresAt, state, createdAt, rotatedAt } = key;
  if (expiresAt === null || state === 'REVOKED') return null;
  const from = Math.max(now, Date.parse(expiresAt));
  const wanted = from + renewalDays * dayMs;
  const latest = now + expiryBounds(rules, rotatedAt ?? createdAt, now).maxDays * dayMs;
  const at = Math.min(wanted, latest);
  return at <= from ? null : { at: new Date(at), isShortened: at < wanted };
}
