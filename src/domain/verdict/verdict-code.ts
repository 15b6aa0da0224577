/** The verdicts, in the order in which they are checked. The first one that applies is returned. */
export const verdictCodes = [
  'MALFORMED',
  'NOT_FOUND',
  'REVOKED',
  'ROTATED',
  'DISABLED',
  'EXPIRED',
  'WRONG_ENVIRONMENT',
  'SOURCE_NOT_ALLOWED',
  'INSUFFICIENT_SCOPE',
  'SIGNATURE_REQUIRED',
  'SIGNATURE_INVALID',
  'SIGNATURE_EXPIRED',
  'SIGNATURE_REPLAYED',
  'RATE_LIMITED',
  'VALID',
] as const;

export type VerdictCode = (typeof verdictCodes)[number];

/** The code of `/v1/authorize` for a request that presents no key. It is not a verdict: there is nothing to verify. */
export const missingKey = 'MISSING';

export interface VerdictCount {
  readonly code: VerdictCode;
  readonly count: number;
}
