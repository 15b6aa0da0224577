/** How many operations one caller may ask for, and how often one address may come with a token that is no good. */
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

  async countFailure(source: string | null): Promise<void> {
    await this.#failures.penalty(network(source));
  }

  /** Before a token is looked at: checking a signature is what the flood of them would cost us. */
  async refuseAfterFailures(source: string | null): Promise<void> {
    const failures = await this.#failures.get(network(source));
    if (failures !== null && failures.remainingPoints <= 0) {
      throw limited(failures, 'Too many calls came from this address with a session token that is no good.');
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

function network(source: string | null): string {
  const address = source === null ? null : parseIpAddress(source);
  return address === null ? 'unknown' : clientNetwork(address);
}
