/** The rate limit of a key, as it is entered. */
import { limits } from '../../domain/limits.ts';
import { formatNumber } from '../components/format.ts';
import type { RateLimitInput } from '../generated/graphql.ts';

/** One field of a form, because a limit means nothing without its window. */
export interface RateLimitDraft {
  /** The number of requests in a window; empty for no limit. */
  readonly limit: number | string;
  readonly windowSeconds: number;
}

export const noRateLimit: RateLimitDraft = { limit: '', windowSeconds: 60 };

export function problemOfRateLimit({ limit }: RateLimitDraft): string | null {
  const isWithin = Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= limits.rateLimit;
  return limit === '' || isWithin ? null : `It must be a number from 1 to ${formatNumber(limits.rateLimit)}.`;
}

export function rateLimitIn({ limit, windowSeconds }: RateLimitDraft): RateLimitInput | null {
  return limit === '' ? null : { limit: Number(limit), windowSeconds };
}
