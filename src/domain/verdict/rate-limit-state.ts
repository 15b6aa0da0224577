/** The state of a rate limit, as in two header fields (draft-ietf-httpapi-ratelimit-headers-11). */
export interface RateLimitState {
  readonly limit: number;
  readonly windowSeconds: number;
  /** The number of requests that this window still accepts. */
  readonly remaining: number;
  /** The time until the next window starts. */
  readonly resetSeconds: number;
}

/** The name of the limit of a key, in both header fields. */
export const rateLimitPolicy = 'default';

export interface RateLimitFields {
  readonly policy: string | undefined;
  readonly rateLimit: string | undefined;
}

export function rateLimitFields({ limit, windowSeconds, remaining, resetSeconds }: RateLimitState) {
  return {
    policy: `"${rateLimitPolicy}";q=${limit};w=${windowSeconds}`,
    rateLimit: `"${rateLimitPolicy}";r=${remaining};t=${resetSeconds}`,
  };
}

/** Parses the output of `rateLimitFields`, also with further parameters. Returns null for any other text. */
export function parseRateLimitFields({ policy, rateLimit }: RateLimitFields): RateLimitState | null {
  const limit = integerIn(policy, parameters.q);
  const windowSeconds = integerIn(policy, parameters.w);
  const remaining = integerIn(rateLimit, parameters.r);
  const resetSeconds = integerIn(rateLimit, parameters.t);
  if (limit === null || windowSeconds === null || remaining === null || resetSeconds === null) return null;
  return { limit, windowSeconds, remaining, resetSeconds };
}

const ownItem = /^"default"(?:;[a-z*][a-z0-9_.*-]*(?:=[^;,]+)?)+$/;

const parameters = {
  q: /;q=(\d{1,10})(?:;|$)/,
  w: /;w=(\d{1,10})(?:;|$)/,
  r: /;r=(\d{1,10})(?:;|$)/,
  t: /;t=(\d{1,10})(?:;|$)/,
};

/** Returns an integer parameter of the one item in the list (RFC 9651, section 3.1). */
function integerIn(list: string | undefined, parameter: RegExp): number | null {
  const [, digits] = list !== undefined && ownItem.test(list) ? (parameter.exec(list) ?? []) : [];
  return digits === undefined ? null : Number(digits);
}
