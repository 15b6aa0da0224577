import { LatchkeyError } from '../../domain/errors.ts';
import { settingNames } from '../../domain/key/settings.ts';
import { type Scheduler, systemScheduler } from '../../lib/scheduler.ts';
import { WindowCounts } from '../../lib/window-counts.ts';
import type { Change, Write } from '../../store/changes/change.ts';

/** About the size of an ordinary key and its audit entry in the database. */
const bytesPerCount = 2048;

/**
 * Limits, per instance, how much the changes of a team can grow the database in an hour. A change counts once, and once
 * more for each 2 kB that it stores. Without it, a team could add rows all day, one call after the other; the attack
 * revoked-keys has what it can collect in five hours. Revoking or disabling a key, ending an overlap and disabling
 * signing must always work, so they do not count. Each is possible only after a change that counts.
 */
export class ChangeBudget {
  readonly #changesPerHour: number;
  readonly #counts: WindowCounts;
  readonly #clock: Pick<Scheduler, 'now'>;

  constructor(changesPerHour: number, clock: Pick<Scheduler, 'now'> = systemScheduler) {
    this.#changesPerHour = changesPerHour;
    this.#clock = clock;
    this.#counts = new WindowCounts({ limit: changesPerHour, windowSeconds: 3600 });
  }

  /** Throws RATE_LIMITED if the budget is used up. The last change can exceed it, as its cost is known too late. */
  check(teamId: string): void {
    const retryAfterSeconds = this.#counts.retryAfterSeconds(teamId, this.#clock.now());
    if (retryAfterSeconds === null) return;
    throw new LatchkeyError(
      'RATE_LIMITED',
      `The team has used up its budget of ${this.#changesPerHour} changes an hour. Try again in ${retryAfterSeconds} s. ` +
        'Keys can still be revoked.',
      { retryAfterSeconds },
    );
  }

  /** Counts a change that is written in several transactions, before the first. Throws RATE_LIMITED. */
  take(teamId: string): void {
    this.check(teamId);
    this.#counts.count(teamId, this.#clock.now(), 1);
  }

  /**
   * Returns a change that counts when it is about to be written. Its queue key is the team.
   * @param stored what it stores besides its key and its entries. Counts by its length as JSON.
   * @param times as how many changes it counts besides
   */
  counted<Answer, State>(change: Change<Answer, State>, stored?: unknown, times = 1): Change<Answer, State> {
    return {
      ...change,
      decide: (state, revision) => {
        const decision = change.decide(state, revision);
        if (decision.write !== undefined) this.#count(change.queueKey, decision.write, stored, times);
        return decision;
      },
    };
  }

  #count(teamId: string, { key, entries = [] }: Write, stored: unknown, times: number): void {
    const settings = key === undefined ? [] : settingNames.map((name) => key[name]);
    const json = JSON.stringify([settings, entries.map(({ changes }) => changes), stored]);
    this.#counts.count(teamId, this.#clock.now(), times + Math.floor(Buffer.byteLength(json) / bytesPerCount));
  }
}
