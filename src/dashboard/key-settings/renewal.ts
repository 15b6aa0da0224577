/** The renewal of keys that expire. */
import type { KeyRowFragment } from '../generated/graphql.ts';
import { expiringSoonDays } from '../keys/filter/key-filter.ts';

const dayMs = 86_400_000;
export const renewalDays = 90;

type Renewable = Pick<KeyRowFragment, 'expiresAt' | 'state'>;

/** Returns the new expiry: an expired key is renewed from now on. Null if the key never expires or is revoked. */
export function renewedExpiry({ expiresAt, state }: Renewable, now: number): Date | null {
  if (expiresAt == null || state === 'REVOKED') return null;
  return new Date(Math.max(now, Date.parse(expiresAt)) + renewalDays * dayMs);
}

/** Returns whether a renewal would make the key work again. */
export function hasExpired({ expiresAt }: Renewable, now: number): boolean {
  return expiresAt != null && Date.parse(expiresAt) <= now;
}

/** Returns whether a key has expired or expires soon, so that its renewal is offered in the list. */
export function isExpiring({ expiresAt, state }: Renewable, now: number): boolean {
  return expiresAt != null && state !== 'REVOKED' && Date.parse(expiresAt) <= now + expiringSoonDays * dayMs;
}
