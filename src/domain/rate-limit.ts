/** The rate limit of a key: at most `limit` accepted requests in each window. */
import { limits } from './limits.ts';

export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
}

/** Returns the problem of each field that has one. */
export function rateLimitProblems({ limit, windowSeconds }: RateLimit): Partial<Record<keyof RateLimit, string>> {
  return {
    ...(isWithin(limit, limits.rateLimit) ? {} : { limit: `must be from 1 to ${limits.rateLimit}` }),
    ...(isWithin(windowSeconds, limits.rateLimitWindowSeconds)
      ? {}
      : { windowSeconds: `must be from 1 to ${limits.rateLimitWindowSeconds} (1 day)` }),
  };
}

function isWithin(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max;
}
