import type { KeyEnv, KeyState } from '../generated/graphql.ts';

export const dayMs = 86_400_000;
export const expiringSoonDays = 14;
export const renewalDays = 90;
const defaultDays = 90;

interface Expiring {
  readonly expiresAt?: string | null | undefined;
  readonly state?: KeyState | undefined;
}

export function inDays(days: number): Date {
  return new Date(Date.now() + days * dayMs);
}

/** A live key expires, unless the user decides otherwise: a forgotten one then ends by itself. */
export function defaultExpiry(env: KeyEnv): Date | null {
  return env === 'live' ? inDays(defaultDays) : null;
}

/** Returns the new expiry: an expired key is renewed from now on. Null if the key never expires or is revoked. */
export function renewedExpiry({ expiresAt, state }: Expiring, now: number): Date | null {
  if (expiresAt == null || state === 'REVOKED') return null;
  return new Date(Math.max(now, Date.parse(expiresAt)) + renewalDays * dayMs);
}

/** Returns whether a renewal would make the key work again. */
export function hasExpired({ expiresAt }: Expiring, now: number): boolean {
  return expiresAt != null && Date.parse(expiresAt) <= now;
}

/** Returns whether a key has expired or expires soon, so that its renewal is offered in the list. */
export function isExpiring({ expiresAt, state }: Expiring, now: number): boolean {
  return expiresAt != null && state !== 'REVOKED' && Date.parse(expiresAt) <= now + expiringSoonDays * dayMs;
}
