/** The renewal of keys that expire. */
import type { KeyRowFragment } from '../generated/graphql.ts';
import { expiringSoonDays } from './key-filter.ts';

const dayMs = 86_400_000;
const maxRenewalDays = 90;

type Renewable = Pick<KeyRowFragment, 'createdAt' | 'expiresAt' | 'state'>;

/**
 * Returns by how many days a key is renewed: its lifetime until now, at most 90 days. A key for a week is not renewed for
 * a quarter of a year. Null if it never expires or is revoked.
 */
export function renewalDays({ createdAt, expiresAt, state }: Renewable): number | null {
  if (expiresAt == null || state === 'REVOKED') return null;
  const lifetime = Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / dayMs);
  return Math.min(maxRenewalDays, Math.max(1, lifetime));
}

/** Returns the new expiry: an expired key is renewed from now on. */
export function renewedExpiry(key: Renewable, now: number): Date | null {
  const days = renewalDays(key);
  return days === null || key.expiresAt == null
    ? null
    : new Date(Math.max(now, Date.parse(key.expiresAt)) + days * dayMs);
}

/** Returns whether a key has expired or expires soon, so that its renewal is offered in the list. */
export function isExpiring({ expiresAt, state }: Renewable, now: number): boolean {
  return expiresAt != null && state !== 'REVOKED' && Date.parse(expiresAt) <= now + expiringSoonDays * dayMs;
}
