/** The outcomes of a verification, in the order in which they are looked for: the first that applies is the answer. */
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
