/** How often one caller may call, and how often one address is told what is wrong with its tokens. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { clientNetwork } from '../domain/client-network.ts';
import { LatchkeyError } from '../domain/errors.ts';
import { parseIpAddress } from '../domain/ip-address.ts';

export interface RateLimitOptions {
  /** Calls a minute of one caller, by the subject of the session token. */
  readonly callsPerMinute: number;
  /** Calls a minute from one address that come with a session token that is refused. */
  readonly failedTokensPerMinute: number;
}

const windowSeconds = 60;

/** Counted by each process for itself: a store shared by all would be one more thing that must answer. */
export class RateLimits {
  readonly #calls: RateLimiterMemory;
  readonly #failures: RateLimiterMemory;

  constructor({ callsPerMinute, failedTokensPerMinute }: RateLimitOptions) {
    this.#calls = new RateLimiterMemory({ points: callsPerMinute, duration: windowSeconds });
    this.#failures = new RateLimiterMemory({ points: failedTokensPerMinute, duration: windowSeconds });
  }

  async countCall(subject: string): Promise<void> {
    try {
      await this.#calls.consume(subject);
    } catch (exceeded) {
      throw limited(exceeded, 'This caller has made too many calls.');
    }
  }

  /**
   * Throws RATE_LIMITED for a call whose token was rejected, once the address has made too many of them. Only after the
   * token was checked: behind a proxy a valid token may come from the same address.
   */
  async countFailure(source: string | null): Promise<void> {
    try {
      await this.#failures.consume(network(source));
    } catch (exceeded) {
      throw limited(exceeded, 'Too many calls with invalid session tokens came from this address.');
    }
  }
}

function limited(exceeded: unknown, message: string): LatchkeyError {
  if (!(exceeded instanceof RateLimiterRes)) throw exceeded;
  const seconds = Math.ceil(exceeded.msBeforeNext / 1000);
  // The wall clock may have been set back meanwhile; the window has not become longer by that.
  const retryAfterSeconds = Math.min(Math.max(1, seconds), windowSeconds);
  return new LatchkeyError('RATE_LIMITED', `${message} Try again in ${retryAfterSeconds} s.`, { retryAfterSeconds });
}

/** What a limit per address counts under. */
export function network(source: string | null): string {
  const address = source === null ? null : parseIpAddress(source);
  return address === null ? 'unknown' : clientNetwork(address);
}
