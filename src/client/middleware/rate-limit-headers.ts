import { rateLimitFields } from '../../domain/verdict/rate-limit-state.ts';
import type { AuthenticatedKey } from '../verdict.ts';

/**
 * Returns the header fields for the rate limit of the caller's key (draft-ietf-httpapi-ratelimit-headers-11), or no
 * fields if the key has no rate limit.
 */
export function rateLimitHeaders(key: Pick<AuthenticatedKey, 'rateLimit'>): Readonly<Record<string, string>> {
  if (key.rateLimit === null) return {};
  const { policy, rateLimit } = rateLimitFields(key.rateLimit);
  return { 'ratelimit-policy': policy, ratelimit: rateLimit };
}
