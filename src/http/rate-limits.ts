/** How many operations one caller may ask for, and how often one address is told what is wrong with its tokens. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { clientNetwork } from '../domain/client-network.ts';
import { LatchkeyError } from '../domain/errors.ts';
import { parseIpAddress } from '../domain/ip-address.ts';

export interface RateLimitOptions {
  /** Operations a minute of one caller, by the subject of the session token. */
  readonly operationsPerMinute: number;
  /** Calls a minute from one address that come with a session token that is refused. */
  readonly failedTokensPerMinute: number;
}

const windowSeconds = 60;

/** Counted by each process for itself: a store shared by all would be one more thing that must answer. */
export class RateLimits {
  readonly #operations: RateLimiterMemory;
  readonly #failures: RateLimiterMemory;

  constructor({ operationsPerMinute, failedTokensPerMinute }: RateLimitOptions) {
    this.#operations = new RateLimiterMemory({ points: operationsPerMinute, duration: windowSeconds });
    this.#failures = new RateLimiterMemory({ points: failedTokensPerMinute, duration: windowSeconds });
  }

  /** Throws RATE_LIMITED when fewer are left. Then they don't count, so that the caller can still do something smaller. */
  async countOperations(subject: string, operations: number): Promise<void> {
    if (operations === 0) return;
    try {
      await this.#operations.consume(subject, operations);
    } catch (exceeded) {
      await this.#operations.reward(subject, operations);
      throw limited(exceeded, 'This caller has asked for too many operations.');
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
