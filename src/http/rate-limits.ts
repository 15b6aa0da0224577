/**
 * Limits the operations of one caller, and the calls with rejected session tokens from one address, in a minute or an
 * hour. Admission limits only what runs at once: a client that sends one call after the other is below each of its shares,
 * and could try tokens, or use half of the processor, all day (the attack bad-tokens).
 */
import { LatchkeyError } from '../domain/errors.ts';
import { networkOf } from '../domain/source/client-network.ts';
import { WindowCounts } from '../lib/window-counts.ts';

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

const tooMany = 'This caller has requested too many operations.';

/**
 * Counts in the memory of the process. Clients whose address is not known are not counted by address (see `networkOf`):
 * tokens and codes can't be guessed, and admission limits what these clients use at the same time.
 */
export class RateLimits {
  readonly #operations: WindowCounts;
  readonly #failures: WindowCounts;
  readonly #sessions: WindowCounts;
  readonly #signIns: WindowCounts;
  readonly #signOuts: WindowCounts;
  readonly #onRejectedSession: RateLimitOptions['onRejectedSession'];

  constructor({ operationsPerMinute, sessionsPerHour, failedTokensPerMinute, onRejectedSession }: RateLimitOptions) {
    const perMinute = (limit: number) => new WindowCounts({ limit, windowSeconds: 60 });
    this.#onRejectedSession = onRejectedSession;
    this.#operations = perMinute(operationsPerMinute);
    this.#sessions = new WindowCounts({ limit: sessionsPerHour, windowSeconds: 3600 });
    this.#signIns = perMinute(operationsPerMinute);
    this.#signOuts = perMinute(operationsPerMinute);
    this.#failures = perMinute(failedTokensPerMinute);
  }

  /** Throws RATE_LIMITED if fewer than `operations` are left. Then counts none of them, so a smaller call can pass. */
  countOperations(subject: string, operations: number): void {
    take(this.#operations, subject, tooMany, operations);
  }

  /** Throws RATE_LIMITED if no operation is left. */
  checkOperations(subject: string): void {
    rejectFor(this.#operations.retryAfterSeconds(subject, performance.now()), tooMany);
  }

  /** Counts a sign-in that begins at an address, because the caller is not known yet. Throws RATE_LIMITED. */
  countSignIn(source: string | null): void {
    take(this.#signIns, networkOf(source), 'Too many sign-ins began at this address.');
  }

  /**
   * Counts a sign-out, by subject, apart from all other calls: whoever has stolen a cookie could otherwise keep its
   * session alive by using up the limit. Throws RATE_LIMITED.
   */
  countSignOut(subject: string): void {
    take(this.#signOuts, subject, 'This caller has signed out too often.');
  }

  /**
   * Counts a session that a caller starts, by subject: a member who may change nothing must not use up the budget of a
   * team. The end of a session must always work, so it does not count. Throws RATE_LIMITED.
   */
  countSession(subject: string): void {
    take(this.#sessions, subject, 'This caller has started too many sessions in an hour.');
  }

  /** Runs a check of a session token, and counts it if the token is rejected. */
  async countingFailures<T>(source: string | null, check: () => Promise<T>): Promise<T> {
    try {
      return await check();
    } catch (error) {
      if (error instanceof LatchkeyError && error.code === 'UNAUTHENTICATED')
        this.countRejectedSession(source, error.message);
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
    this.countFailure(source);
    const network = networkOf(source);
    let isRejected = false;
    try {
      return await check();
    } catch (error) {
      isRejected = isRejection(error);
      throw error;
    } finally {
      if (network !== null && !isRejected) this.#failures.takeBack(network);
    }
  }

  /** Counts a call whose session token or cookie was rejected. Throws RATE_LIMITED, like `countFailure`. */
  countRejectedSession(source: string | null, reason: string): void {
    this.#onRejectedSession?.(source, reason);
    this.countFailure(source);
  }

  /** Counts a call whose credentials were rejected. Throws RATE_LIMITED if the address has made too many such calls. */
  countFailure(source: string | null): void {
    const message = 'Too many calls with invalid session tokens or signatures came from this address.';
    take(this.#failures, networkOf(source), message);
  }
}

function take(counts: WindowCounts, holder: string | null, message: string, events = 1): void {
  rejectFor(holder === null ? null : counts.take(holder, performance.now(), events), message);
}

function rejectFor(retryAfterSeconds: number | null, message: string): void {
  if (retryAfterSeconds === null) return;
  throw new LatchkeyError('RATE_LIMITED', `${message} Try again in ${retryAfterSeconds} s.`, { retryAfterSeconds });
}
