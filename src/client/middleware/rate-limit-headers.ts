import { rateLimitFields } from '../../domain/verdict/rate-limit-state.ts';
import type { AuthenticatedKey } from '../verdict.ts';

/**
 * Returns the header fields that tell the caller the rate limit of its key (draft-ietf-httpapi-ratelimit-headers-10);
 * none for a key without one.
 */
export function rateLimitHeaders(key: Pick<AuthenticatedKey, 'rateLimit'>): Readonly<Record<string, string>> {
  if (key.rateLimit === null) return {};
  const { policy, rateLimit } = rateLimitFields(key.rateLimit);
  return { 'ratelimit-policy': policy, ratelimit: rateLimit };
}
