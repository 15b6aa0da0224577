/** How often one caller may call, and how often one address may come with a token that is no good. */
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
