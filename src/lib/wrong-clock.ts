/** If a saved position is this far in the future, the clock of the instance that saved it was wrong. */
const maxAheadMs = 86_400_000;
/** If no instance changes such a position for this time, work begins again. */
export const stuckMs = 2 * 3_600_000;

/**
 * Notices a saved position of a job that is far in the future, because the clock of an instance was set forward and back.
 * Nothing would be done until that time, so if no instance changes the position for two hours, the job begins again at the
 * time at which this instance first saw it.
 */
export class WrongClock {
  readonly #done: string;
  readonly #report: (error: unknown, what: string) => void;
  #seen: { readonly position: string; readonly since: Date } | null = null;

  /** @param done up to the position, as in "events about times are written" */
  constructor(done: string, report: (error: unknown, what: string) => void = () => {}) {
    this.#done = done;
    this.#report = report;
  }

  /** Returns where the job begins again, `ahead` if it waits, or null if the position is not far ahead. */
  look(position: Date | null, now: Date): Date | 'ahead' | null {
    if (position === null || !isFarAhead(position, now)) {
      this.#seen = null;
      return null;
    }
    const text = position.toISOString();
    if (this.#seen?.position !== text) {
      this.#seen = { position: text, since: now };
      const error = new Error(`${this.#done} up to a time that is more than a day in the future`);
      this.#report(error, 'the clock was set back; this begins again in two hours');
    }
    const { since } = this.#seen;
    if (now.getTime() - since.getTime() < stuckMs) return 'ahead';
    this.#seen = null;
    return since;
  }
}

export function isFarAhead(position: Date | null, now: Date): boolean {
  return position !== null && position.getTime() - now.getTime() > maxAheadMs;
}
