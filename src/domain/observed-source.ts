import type { VerdictCount } from './control-plane.ts';

/** Which secret of a key was presented: the current one, the one before it, or an older one. */
export type SecretStanding = 'CURRENT' | 'PREVIOUS' | 'EARLIER';

/** An address from which a key was presented. */
export interface ObservedSource {
  readonly address: string;
  readonly secret: SecretStanding;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly counts: readonly VerdictCount[];
}

/** The maximum numbers of addresses that are kept: those that were seen last. */
export const maxObservedSources = {
  perSecret: 20,
  /** Of all secrets: a key can be rotated any number of times. */
  perKey: 100,
} as const;

export function standingOf(version: number, secretVersion: number): SecretStanding {
  if (version >= secretVersion) return 'CURRENT';
  return version === secretVersion - 1 ? 'PREVIOUS' : 'EARLIER';
}
