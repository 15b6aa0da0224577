/**
 * For one kind of request, the verdicts that the replaced states of a key give to it. Each state enters the table once,
 * and a lookup takes constant time, however many states were in force while the request was under way.
 */
import { endOfUnexpired, isBefore, type Moment, type State } from './states.ts';

/** A replaced state that was not expired for certain when it was replaced. */
interface Expiring {
  readonly mayExpireAt: number;
  readonly replaced: Moment;
}

export class VerdictTable {
  /** By verdict: until when a request had to start to get it. Later states only move it forward. */
  readonly #ends = new Map<string, Moment>();
  /**
   * By verdict: the states that give it once the key has expired, by the order in which they can expire. One that can
   * expire only after a later state explains nothing that the later one does not explain, and is left out. So `replaced`
   * increases too.
   */
  readonly #expiring = new Map<string, Expiring[]>();
  /** The index of the first state that is not in the table. */
  #next: number;

  constructor(first: number) {
    this.#next = first;
  }

  /** Adds the states before the index `end`, which are replaced. */
  add(states: readonly State[], end: number, verdictOf: (state: State, expired: boolean) => string): void {
    for (; this.#next < end; this.#next += 1) {
      const state = states[this.#next];
      if (state === undefined) return;
      this.#extend(verdictOf(state, false), endOfUnexpired(state));
      if (state.after.expiresAt !== null) this.#addExpiring(verdictOf(state, true), state);
    }
  }

  /** Whether a request that started then can have got this verdict by `now`. Calls must be in the order of `now`. */
  explains(verdict: string, started: Moment, now: number): boolean {
    const expiring = this.#expiring.get(verdict) ?? [];
    for (let [first] = expiring; first !== undefined && first.mayExpireAt <= now; [first] = expiring) {
      this.#extend(verdict, first.replaced);
      expiring.shift();
    }
    const end = this.#ends.get(verdict);
    return end !== undefined && isBefore(started, end);
  }

  #extend(verdict: string, end: Moment): void {
    const before = this.#ends.get(verdict);
    if (before === undefined || isBefore(before, end)) this.#ends.set(verdict, end);
  }

  #addExpiring(verdict: string, { mayExpireAt, replaced }: State): void {
    const expiring = this.#expiring.get(verdict) ?? [];
    while ((expiring.at(-1)?.mayExpireAt ?? Number.NEGATIVE_INFINITY) >= mayExpireAt) expiring.pop();
    expiring.push({ mayExpireAt, replaced });
    this.#expiring.set(verdict, expiring);
  }
}
