/** The verdicts, in the order in which they are checked. The first one that applies is returned. */
export const verdictCodes = [
  'MALFORMED',
  'NOT_FOUND',
  'REVOKED',
  'EXPIRED',
  'WRONG_ENVIRONMENT',
  'SOURCE_NOT_ALLOWED',
  'SIGNATURE_REQUIRED',
  'SIGNATURE_INVALID',
  'SIGNATURE_EXPIRED',
  'SIGNATURE_REPLAYED',
  'VALID',
] as const;

export type VerdictCode = (typeof verdictCodes)[number];
