/** Writes the history of an episode for the checker: what the callers see, by the clock of the world. */
import type { ChangeCall, Event, VerifyAnswer, VerifyCall } from '../history/format.ts';
import type { World } from './world.ts';

export class Recorder {
  changes = 0;
  verdicts = 0;
  readonly #world: World;
  readonly #write: (event: Event) => void;
  #calls = 0;

  constructor(world: World, write: (event: Event) => void) {
    this.#world = world;
    this.#write = write;
  }

  /** Returns the number of the call. */
  changeCall(fields: Omit<ChangeCall, 'at' | 'call'>): number {
    this.#calls += 1;
    this.#write({ at: this.#world.now, call: this.#calls, ...fields });
    return this.#calls;
  }

  changeAnswer(call: number): void {
    this.changes += 1;
    this.#write({ at: this.#world.now, answer: call });
  }

  verifyCall(fields: Omit<VerifyCall, 'at' | 'call'>): number {
    this.#calls += 1;
    this.#write({ at: this.#world.now, call: this.#calls, ...fields });
    return this.#calls;
  }

  /** The answer says that nothing was changed. */
  changeRejected(call: number): void {
    this.#write({ at: this.#world.now, answer: call, rejected: true });
  }

  verifyFailed(call: number): void {
    this.#write({ at: this.#world.now, answer: call });
  }

  verifyAnswer(call: number, verdict: NonNullable<VerifyAnswer['verdict']>): void {
    this.verdicts += 1;
    this.#write({ at: this.#world.now, answer: call, verdict });
  }
}
