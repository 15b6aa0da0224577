/** What a policy permits of an expiry, for forms: they shorten it rather than let the server reject it. */
import { dayMs } from '../../domain/moment.ts';
import { readExpiry } from '../../domain/moment-text.ts';
import type { PolicyRules } from '../../domain/policy/key-policy.ts';
import { type Expiry, momentOf, renewalDays, writeMoment } from './expiry.ts';
import type { KeyDraft } from './fields.ts';

export interface ExpiryBounds {
  readonly isRequired: boolean;
  /** From now; infinite without a limit. Not positive if the policy permits only an expiry in the past. */
  readonly maxDays: number;
}

/** @param issuedAt when the secret of the key was issued; absent for a new key */
export function expiryBounds(rules: PolicyRules | undefined, issuedAt?: string, now = Date.now()): ExpiryBounds {
  const { maxLifetimeSeconds = null, requireExpiry = false } = rules ?? {};
  if (maxLifetimeSeconds === null) return { isRequired: requireExpiry, maxDays: Number.POSITIVE_INFINITY };
  const ageMs = issuedAt === undefined ? 0 : now - Date.parse(issuedAt);
  return { isRequired: true, maxDays: (maxLifetimeSeconds * 1000 - ageMs) / dayMs };
}

/** Returns the draft with what a policy permits, so that the server does not reject it. `now` dates the bounds too. */
export function withinPolicy<D extends Pick<KeyDraft, 'expiresAt' | 'rateLimit'>>(
  draft: D,
  rules: PolicyRules | undefined,
  bounds: ExpiryBounds,
  now: number,
): D {
  const { rateLimit } = draft;
  const isUnlimited = rateLimit.limit === '';
  return {
    ...draft,
    expiresAt: shortened(draft.expiresAt, bounds, now),
    rateLimit: isUnlimited ? (rules?.maxRateLimit ?? rateLimit) : rateLimit,
  };
}

/** Shortens an expiry to what a policy permits. If it permits none, leaves it to the server to name the rule. */
export function shortened(expiry: Expiry, { isRequired, maxDays }: ExpiryBounds, now = Date.now()): Expiry {
  if (maxDays <= 0) return expiry;
  if (expiry === null || isNever(expiry, now)) return isRequired ? Math.min(maxDays, renewalDays) : null;
  if (typeof expiry === 'number') return Math.min(expiry, maxDays);
  if (isTooLate(expiry, maxDays, now)) return writeMoment(new Date(now + maxDays * dayMs));
  return expiry;
}

function isNever(expiry: Expiry, now: number): boolean {
  if (typeof expiry !== 'string') return false;
  const read = readExpiry(expiry, new Date(now));
  return read.ok && read.value === null;
}

/** Returns whether a typed expiry is later than permitted, or `never`. */
export function isTooLate(expiry: string, maxDays: number, now = Date.now()): boolean {
  const moment = momentOf(expiry, now);
  if (moment === null) return isNever(expiry, now) && maxDays !== Number.POSITIVE_INFINITY;
  return moment.getTime() > now + maxDays * dayMs;
}
