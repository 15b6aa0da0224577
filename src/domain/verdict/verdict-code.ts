import { type RejectionCode, rejections } from './checks.ts';

export type VerdictCode = RejectionCode | 'VALID';

/** All verdicts, in the order of the checks. The first verdict that applies is returned. */
export const verdictCodes: readonly VerdictCode[] = [...(Object.keys(rejections) as RejectionCode[]), 'VALID'];

/**
 * The codes of `/v1/authorize` for a request without a key, and for one with two keys. They are not verdicts, because
 * there is no key to verify.
 */
export const [missingKey, ambiguousKey] = ['MISSING', 'AMBIGUOUS'] as const;

export type NoKeyCode = typeof missingKey | typeof ambiguousKey;

export interface VerdictCount {
  readonly code: VerdictCode;
  readonly count: number;
}

/** The number of verifications of a key, or of a team's keys, with one verdict in one hour. */
export interface UsageHour extends VerdictCount {
  readonly hour: Date;
}
