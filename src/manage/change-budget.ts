import { RateLimiterMemory } from 'rate-limiter-flexible';
import { LatchkeyError } from '../domain/errors.ts';
import type { Write } from '../store/change.ts';

const windowSeconds = 3600;
/** About what an ordinary key and its audit entry take in the database. */
const bytesPerCount = 2048;

/**
 * Bounds how much the changes of one team can let the database grow in an hour: a change counts once, and once more for
 * each 2 kB that it stores. Revoking a key and disabling signing are neither limited nor counted: they must always work,
 * and for each of them a counted change came before. Each instance counts for itself, in memory.
 */
export class ChangeBudget {
  readonly #changesPerHour: number;
  readonly #counts: RateLimiterMemory;

  constructor(changesPerHour: number) {
    this.#changesPerHour = changesPerHour;
    this.#counts = new RateLimiterMemory({ points: changesPerHour, duration: windowSeconds });
  }

  /**
   * Throws RATE_LIMITED when the team has used up its budget. What a change costs is known only once it is decided, so
   * the change that exceeds the budget is still made, and so are those that are under way beside it.
   */
  async check(teamId: string): Promise<void> {
    const counted = await this.#counts.get(teamId);
    if (counted === null || counted.remainingPoints > 0) return;
    // The wall clock may have been set back; the window has not become longer by that.
    const retryAfterSeconds = Math.min(Math.max(1, Math.ceil(counted.msBeforeNext / 1000)), windowSeconds);
    throw new LatchkeyError(
      'RATE_LIMITED',
      `The team has used up its budget of ${this.#changesPerHour} changes an hour. Try again in ${retryAfterSeconds} s. ` +
        'Keys can still be revoked.',
      { retryAfterSeconds },
    );
  }

  /** Counts a change that is about to be written. Returns at once: the limiter counts in memory. */
  count({ key, audit }: Write): void {
    const stored = Buffer.byteLength(JSON.stringify([key.name, key.allowedIps, audit?.changes]));
    void this.#counts.penalty(key.teamId, 1 + Math.floor(stored / bytesPerCount));
  }
}
