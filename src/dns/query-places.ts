import { FairQueue } from '../admission/fair-queue.ts';
import { RunningCosts } from '../admission/running-costs.ts';

export const defaultPlaces = {
  total: 128,
  ofTeam: 32,
  /** With the numbers of places, bounds the rate: 512 names a second, 128 of one team. */
  minHoldMs: 250,
};

/**
 * The places of DNS queries that are open. A team has a share of them, and teams that wait for a place take turns, so
 * that no team keeps the process busy with answers, or delays the names of others. A place is held for a minimum time,
 * so that the places also limit how many queries start in a second, however fast the answers are.
 */
export class QueryPlaces {
  readonly #options: typeof defaultPlaces & { readonly timeoutMs: number };
  readonly #shares: RunningCosts;
  readonly #waiting = new FairQueue<() => void>();
  #taken = 0;

  constructor(options: typeof defaultPlaces & { readonly timeoutMs: number }) {
    this.#options = options;
    this.#shares = new RunningCosts(options.ofTeam);
  }

  /** Resolves to a function that gives the place back, or to null when no place was free in time. */
  take(team: string): Promise<(() => void) | null> {
    return new Promise((resolve) => {
      let leaveShare: (() => void) | undefined;
      const timer = setTimeout(() => {
        giveUp();
        this.#waiting.remove(team, start);
        leaveShare?.();
        resolve(null);
      }, this.#options.timeoutMs);
      const start = () => {
        clearTimeout(timer);
        resolve(this.#taking(leaveShare));
      };
      const giveUp = this.#shares.enter(team, 1, (leave) => {
        leaveShare = leave;
        this.#waiting.push(team, start);
        this.#startNext();
      });
    });
  }

  #taking(leaveShare: (() => void) | undefined): () => void {
    this.#taken += 1;
    const held = new Promise<void>((resolve) => setTimeout(resolve, this.#options.minHoldMs).unref());
    const giveBack = () => {
      this.#taken -= 1;
      leaveShare?.();
      this.#startNext();
    };
    return () => void held.then(giveBack);
  }

  #startNext(): void {
    while (this.#taken < this.#options.total && this.#waiting.length > 0) this.#waiting.shift()?.();
  }
}
