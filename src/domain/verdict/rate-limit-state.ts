/** The state of a rate limit, as in two header fields (draft-ietf-httpapi-ratelimit-headers-10). */
export interface RateLimitState {
  readonly limit: number;
  readonly windowSeconds: number;
  /** The number of requests that this window still accepts. */
  readonly remaining: number;
  /** The time until the next window starts. */
  readonly resetSeconds: number;
}

export interface RateLimitFields {
  readonly policy: string | undefined;
  readonly rateLimit: string | undefined;
}

export function rateLimitFields({ limit, windowSeconds, remaining, resetSeconds }: RateLimitState) {
  return {
    policy: `"default";q=${limit};w=${windowSeconds}`,
    rateLimit: `"default";r=${remaining};t=${resetSeconds}`,
  };
}

/** Parses the output of `rateLimitFields`. Returns null for any other text. */
export function parseRateLimitFields({ policy = '', rateLimit = '' }: RateLimitFields): RateLimitState | null {
  const [, limit, windowSeconds] = /^"default";q=(\d{1,10});w=(\d{1,10})$/.exec(policy) ?? [];
  const [, remaining, resetSeconds] = /^"default";r=(\d{1,10});t=(\d{1,10})$/.exec(rateLimit) ?? [];
  if (limit === undefined || remaining === undefined) return null;
  return {
    limit: Number(limit),
    windowSeconds: Number(windowSeconds),
    remaining: Number(remaining),
    resetSeconds: Number(resetSeconds),
  };
}
