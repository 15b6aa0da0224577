/** Counts a verdict and applies the rate limit, in the service and at its edges. */
import type { RateLimit } from '../domain/key/rate-limit.ts';
import type { IpAddress } from '../domain/source/ip-address.ts';
import type { RateLimitState } from '../domain/verdict/rate-limit-state.ts';
import type { VerdictCode } from '../domain/verdict/verdict-code.ts';
import type { KeyRateLimits } from './key-rate-limits.ts';
import type { CountedKey } from './secret-counter.ts';
import type { SourceRecorder } from './source-recorder.ts';
import type { UsageRecorder } from './usage-recorder.ts';

export interface VerdictCounters {
  readonly usage: Pick<UsageRecorder, 'record'>;
  readonly sources: Pick<SourceRecorder, 'record'>;
  readonly rateLimits: Pick<KeyRateLimits, 'accept' | 'stateOf'>;
}

export interface LimitedKey extends CountedKey {
  readonly rateLimit: RateLimit | null;
}

interface Counted {
  /** RATE_LIMITED instead of VALID when the key has reached its rate limit. */
  readonly code: VerdictCode;
  readonly rateLimit: RateLimitState | null;
}

/** Returns the final verdict. Applies the rate limit last, so that only requests that pass all checks count. */
export function countVerdict(
  { usage, sources, rateLimits }: VerdictCounters,
  key: LimitedKey,
  decided: VerdictCode,
  source: IpAddress | undefined,
  now: number,
): Counted {
  const { rateLimit: limit } = key;
  const isLimited = limit !== null && decided === 'VALID' && !rateLimits.accept(key, limit, now);
  const code = isLimited ? 'RATE_LIMITED' : decided;
  usage.record(key, code, now);
  if (source !== undefined) sources.record(key, source, code, now);
  return { code, rateLimit: limit === null ? null : rateLimits.stateOf(key.id, limit, now) };
}
