import { dayMs, hasPassed } from '../../domain/moment.ts';
import { readExpiry } from '../../domain/moment-text.ts';
import type { KeyEnv, KeyState } from '../generated/graphql.ts';

export const expiringSoonDays = 14;
export const renewalDays = 90;
const defaultDays = 90;

/** When a key will expire, as a form has it: never (null), in a number of days, or as it was typed. */
export type Expiry = null | number | string;

interface Expiring {
  readonly expiresAt?: string | null | undefined;
  readonly state?: KeyState | undefined;
}

/** Returns null also for what was typed and can't be read: `expiryProblem` says why. */
export function momentOf(expiry: Expiry, now = Date.now()): Date | null {
  if (typeof expiry === 'number') return new Date(now + expiry * dayMs);
  const read = expiry === null ? null : readExpiry(expiry, new Date(now));
  return read?.ok && read.value !== null ? new Date(read.value) : null;
}

export function expiryProblem(expiry: Expiry, now = Date.now()): string | null {
  if (typeof expiry !== 'string') return null;
  const read = readExpiry(expiry, new Date(now));
  if (!read.ok) return `It ${read.problem}.`;
  return read.value !== null && hasPassed(Date.parse(read.value), now) ? 'It must be in the future.' : null;
}

/** Writes a moment with the offset of the reader's zone, as `momentOf` reads it. */
export function writeMoment(at: Date): string {
  const offset = -at.getTimezoneOffset();
  const local = new Date(at.getTime() + offset * 60_000).toISOString().replace(/(?::00\.000)?Z$/, '');
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${local}${offset < 0 ? '-' : '+'}${[hours, minutes].map((part) => String(part).padStart(2, '0')).join(':')}`;
}

/** Returns the default for a new key. Live keys expire, so that a forgotten key stops working. */
export function defaultExpiry(env: KeyEnv): Expiry {
  return env === 'live' ? defaultDays : null;
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
