import { type RejectionCode, rejections } from './checks.ts';

export type VerdictCode = RejectionCode | 'VALID';

/** The verdicts, in the order in which they are checked. The first one that applies is returned. */
export const verdictCodes: readonly VerdictCode[] = [...(Object.keys(rejections) as RejectionCode[]), 'VALID'];

/** The code of `/v1/authorize` for a request that presents no key. It is not a verdict: there is nothing to verify. */
export const missingKey = 'MISSING';

export interface VerdictCount {
  readonly code: VerdictCode;
  readonly count: number;
}

/** How often a key, or the keys of a team, were verified in one hour with one verdict. */
export interface UsageHour extends VerdictCount {
  readonly hour: Date;
}
