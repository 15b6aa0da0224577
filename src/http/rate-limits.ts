/**
 * Limits the operations of one caller, and the calls with rejected session tokens from one address, in a minute or an
 * hour. Admission limits only what runs at once: a client that sends one call after the other is below each of its shares,
 * and could try tokens, or use half of the processor, all day (the attack bad-tokens).
 */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { LatchkeyError } from '../domain/errors.ts';
import { networkOf } from '../domain/source/client-network.ts';

export interface RateLimitOptions {
  /** The maximum operations per minute of one caller, identified by the subject of the session token. */
  readonly operationsPerMinute: number;
  /** The maximum sessions of browsers that one caller starts per hour. Each can add a row when it ends. */
  readonly sessionsPerHour: number;
  /** The maximum calls with a rejected session token per minute from one address. */
  readonly failedTokensPerMinute: number;
  /** Called for each rejected session token or cookie, also above the limit, with what the caller is told. */
  readonly onRejectedSession?: ((source: string | null, reason: string) => void) | undefined;
}

const windowSeconds = 60;
const hourSeconds = 3600;

/**
 * Counts in the memory of the process. Clients whose address is not known are not counted by address (see `networkOf`):
 * tokens and codes can't be guessed, and admission limits what these clients use at the same time.
 */
export class RateLimits {
  readonly #operations: RateLimiterMemory;
  readonly #failures: RateLimiterMemory;
  readonly #sessions: RateLimiterMemory;
  readonly #signIns: RateLimiterMemory;
  readonly #signOuts: RateLimiterMemory;
  readonly #onRejectedSession: RateLimitOptions['onRejectedSession'];

  constructor({ operationsPerMinute, sessionsPerHour, failedTokensPerMinute, onRejectedSession }: RateLimitOptions) {
    this.#onRejectedSession = onRejectedSession;
    this.#operations = new RateLimiterMemory({ points: operationsPerMinute, duration: windowSeconds });
    this.#sessions = new RateLimiterMemory({ points: sessionsPerHour, duration: hourSeconds });
    this.#signIns = new RateLimiterMemory({ points: operationsPerMinute, duration: windowSeconds });
    this.#signOuts = new RateLimiterMemory({ points: operationsPerMinute, duration: windowSeconds });
    this.#failures = new RateLimiterMemory({ points: failedTokensPerMinute, duration: windowSeconds });
  }

  /** Throws RATE_LIMITED if fewer than `operations` are left. Then counts none of them, so a smaller call can pass. */
  async countOperations(subject: string, operations: number): Promise<void> {
    if (operations === 0) return;
    try {
      await this.#operations.consume(subject, operations);
    } catch (exceeded) {
      await this.#operations.reward(subject, operations);
      throw limited(exceeded, 'This caller has requested too many operations.');
    }
  }

  /** Counts a sign-in that begins at an address, because the caller is not known yet. Throws RATE_LIMITED. */
  async countSignIn(source: string | null): Promise<void> {
    const network = networkOf(source);
    if (network === null) return;
    try {
      await this.#signIns.consume(network);
    } catch (exceeded) {
      throw limited(exceeded, 'Too many sign-ins began at this address.');
    }
  }

  /**
   * Counts a sign-out, by subject, apart from all other calls: whoever has stolen a cookie could otherwise keep its
   * session alive by using up the limit. Throws RATE_LIMITED.
   */
  async countSignOut(subject: string): Promise<void> {
    try {
      await this.#signOuts.consume(subject);
    } catch (exceeded) {
      throw limited(exceeded, 'This caller has signed out too often.');
    }
  }

  /**
   * Counts a session that a caller starts, by subject: a member who may change nothing must not use up the budget of a
   * team. The end of a session must always work, so it does not count. Throws RATE_LIMITED.
   */
  async countSession(subject: string): Promise<void> {
    try {
      await this.#sessions.consume(subject);
    } catch (exceeded) {
      throw limited(exceeded, 'This caller has started too many sessions in an hour.', hourSeconds);
    }
  }

  /** Runs a check of a session token, and counts it if the token is rejected. */
  async countingFailures<T>(source: string | null, check: () => Promise<T>): Promise<T> {
    try {
      return await check();
    } catch (error) {
      if (error instanceof LatchkeyError && error.code === 'UNAUTHENTICATED')
        await this.countRejectedSession(source, error.message);
      throw error;
    }
  }

  /**
   * Counts a check of credentials before it runs, because it costs another service a call, and takes that back unless
   * the credentials are rejected. Throws RATE_LIMITED without the check.
   */
  async countingAttempts<T>(
    source: string | null,
    isRejection: (error: unknown) => boolean,
    check: () => Promise<T>,
  ): Promise<T> {
    await this.countFailure(source);
    const network = networkOf(source);
    const takeBack = async () => {
      if (network !== null) await this.#failures.reward(network);
    };
    try {
      const result = await check();
      await takeBack();
      return result;
    } catch (error) {
      if (!isRejection(error)) await takeBack();
      throw error;
    }
  }

  /** Counts a call whose session token or cookie was rejected. Throws RATE_LIMITED, like `countFailure`. */
  async countRejectedSession(source: string | null, reason: string): Promise<void> {
    this.#onRejectedSession?.(source, reason);
    await this.countFailure(source);
  }

  /** Counts a call whose credentials were rejected. Throws RATE_LIMITED if the address has made too many such calls. */
  async countFailure(source: string | null): Promise<void> {
    const network = networkOf(source);
    if (network === null) return;
    try {
      await this.#failures.consume(network);
    } catch (exceeded) {
      throw limited(exceeded, 'Too many calls with invalid session tokens or signatures came from this address.');
    }
  }
}

function limited(exceeded: unknown, message: string, maxSeconds = windowSeconds): LatchkeyError {
  if (!(exceeded instanceof RateLimiterRes)) throw exceeded;
  const seconds = Math.ceil(exceeded.msBeforeNext / 1000);
  // Capped, because the wall clock may have been set back since the window began.
  const retryAfterSeconds = Math.min(Math.max(1, seconds), maxSeconds);
  return new LatchkeyError('RATE_LIMITED', `${message} Try again in ${retryAfterSeconds} s.`, { retryAfterSeconds });
}
