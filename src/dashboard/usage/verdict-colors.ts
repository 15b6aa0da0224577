import type { VerdictCode } from '../generated/graphql.ts';

/** The color of each verdict in charts, as the last part of a Mantine CSS variable. */
export const verdictColors: Readonly<Record<VerdictCode, string>> = {
  VALID: 'teal-6',
  REVOKED: 'gray-6',
  ROTATED: 'gray-8',
  DISABLED: 'red-9',
  EXPIRED: 'orange-6',
  WRONG_ENVIRONMENT: 'grape-6',
  SOURCE_NOT_ALLOWED: 'red-6',
  INSUFFICIENT_SCOPE: 'indigo-6',
  SIGNATURE_REQUIRED: 'yellow-6',
  SIGNATURE_INVALID: 'pink-6',
  SIGNATURE_EXPIRED: 'lime-6',
  SIGNATURE_REPLAYED: 'violet-6',
  RATE_LIMITED: 'cyan-6',
  MALFORMED: 'dark-3',
  NOT_FOUND: 'dark-3',
};
