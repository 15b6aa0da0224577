import { dayMs, hasPassed } from '../../domain/moment.ts';
import type { KeyEnv, KeyState } from '../generated/graphql.ts';

export const expiringSoonDays = 14;
export const renewalDays = 90;
const defaultDays = 90;

/** When a key will expire, as a form has it: never (null), in a number of days, or at a date. */
export type Expiry = null | number | Date;

interface Expiring {
  readonly expiresAt?: string | null | undefined;
  readonly state?: KeyState | undefined;
}

export function momentOf(expiry: Expiry, now = Date.now()): Date | null {
  return typeof expiry === 'number' ? new Date(now + expiry * dayMs) : expiry;
}

/** Returns the default for a new key. Live keys expire, so that a forgotten key stops working. */
export function defaultExpiry(env: KeyEnv): Expiry {
  return env === 'live' ? defaultDays : null;
}

/** Returns the renewed expiry. An expired key is renewed from now. Null if a key is revoked or never expires. */
export function renewedExpiry({ expiresAt, state }: Expiring, now: number): Date | null {
  if (expiresAt == null || state === 'REVOKED') return null;
  return new Date(Math.max(now, Date.parse(expiresAt)) + renewalDays * dayMs);
}

export function hasExpired({ expiresAt }: Expiring, now: number): boolean {
  return expiresAt != null && hasPassed(Date.parse(expiresAt), now);
}

/** Returns the state of a key now: it may have expired since the service said that it is active. */
export function stateNow({ state, expiresAt }: Expiring & { readonly state: KeyState }, now: number): KeyState {
  return state === 'ACTIVE' && hasExpired({ expiresAt }, now) ? 'EXPIRED' : state;
}

/** Returns whether a key has expired or expires soon, so that the list offers to renew it. */
export function isExpiring({ expiresAt, state }: Expiring, now: number): boolean {
  return expiresAt != null && state !== 'REVOKED' && Date.parse(expiresAt) <= now + expiringSoonDays * dayMs;
}
