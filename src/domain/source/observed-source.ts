import type { VerdictCount } from '../verdict/verdict-code.ts';
import type { IpAddress } from './ip-address.ts';

/** Which secret of a key was presented. `EARLIER` is any secret before the previous one. */
export type SecretStanding = 'CURRENT' | 'PREVIOUS' | 'EARLIER';

/** How often a key was presented from an address on each day, by the start of the day in milliseconds. */
export type SourceDays = ReadonlyMap<number, { readonly accepted: number; readonly rejected: number }>;

/** For how many days in UTC, with today, addresses are counted by day. */
export const sourceDays = 31;

export interface ObservedSource {
  readonly keyId: string;
  readonly address: string;
  readonly secret: SecretStanding;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly counts: readonly VerdictCount[];
}

/** The maximum numbers of kept addresses. The most recently seen addresses stay. */
export const maxObservedSources = {
  perSecret: 100,
  /** For all secrets together, because a key can be rotated any number of times. */
  perKey: 200,
} as const;

/** Verifications from addresses beyond the maximum. An allow-list of the listed addresses would reject them. */
export type UnlistedSources = Omit<ObservedSource, 'address' | 'keyId'>;

export interface ObservedSources {
  readonly listed: readonly ObservedSource[];
  /** At most one entry for each `SecretStanding`. Empty if `listed` is complete. */
  readonly unlisted: readonly UnlistedSources[];
}

/** The address `::`, which stands for unlisted sources. No packet comes from it (RFC 4291, section 2.5.2). */
export const unlistedAddress: IpAddress = { family: 6, value: 0n };

export function secretStandingOf(version: number, secretVersion: number): SecretStanding {
  if (version >= secretVersion) return 'CURRENT';
  return version === secretVersion - 1 ? 'PREVIOUS' : 'EARLIER';
}
