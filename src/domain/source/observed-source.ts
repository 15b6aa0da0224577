import type { VerdictCount } from '../verdict/verdict-code.ts';
import type { IpAddress } from './ip-address.ts';

/** Which secret of a key was presented: the current one, the one before it, or an older one. */
export type SecretStanding = 'CURRENT' | 'PREVIOUS' | 'EARLIER';

export interface ObservedSource {
  readonly address: string;
  readonly secret: SecretStanding;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly counts: readonly VerdictCount[];
}

/** The maximum numbers of addresses that are kept. Those that were seen last stay. */
export const maxObservedSources = {
  perSecret: 100,
  /** Of all secrets: a key can be rotated any number of times. */
  perKey: 200,
} as const;

/** Use from addresses above the maximum: an allow-list made from the others would reject these clients. */
export type UnlistedSources = Omit<ObservedSource, 'address'>;

export interface ObservedSources {
  readonly listed: readonly ObservedSource[];
  /** At most one for each secret. Empty if the list is complete. */
  readonly unlisted: readonly UnlistedSources[];
}

/** Stands for unlisted sources. It is never the source of a packet (RFC 4291, section 2.5.2). */
export const unlistedAddress: IpAddress = { family: 6, value: 0n };

export function secretStandingOf(version: number, secretVersion: number): SecretStanding {
  if (version >= secretVersion) return 'CURRENT';
  return version === secretVersion - 1 ? 'PREVIOUS' : 'EARLIER';
}
