import { type RateLimitState, rateLimitFields } from '../../domain/verdict/rate-limit-state.ts';

/**
 * Returns the header fields that tell the caller the rate limit of its key (draft-ietf-httpapi-ratelimit-headers-10);
 * none for a key without one.
 */
export function rateLimitHeaders({
  rateLimit: state,
}: {
  readonly rateLimit: RateLimitState | null;
}): Readonly<Record<string, string>> {
  if (state === null) return {};
  const { policy, rateLimit } = rateLimitFields(state);
  return { 'ratelimit-policy': policy, ratelimit: rateLimit };
}
