import type { RoundObserver } from '../../client/local/rounds.ts';
import { ConfirmationCounters } from '../../metrics/confirmation-counters.ts';
import type { ConfirmationReadings } from '../../metrics/readings.ts';

/** Counts the confirmation rounds of an edge. */
export class EdgeRounds implements RoundObserver {
  readonly #counters = new ConfirmationCounters();

  get readings(): ConfirmationReadings {
    return this.#counters;
  }

  answered(sentAt: number, served: number): void {
    const tookMs = performance.now() - sentAt;
    this.#counters.answered += 1;
    this.#counters.durations.add(tookMs);
    this.#counters.ages.add(tookMs, served);
    this.#counters.lastAt = performance.timeOrigin + sentAt;
  }

  failed(): void {
    this.#counters.failed += 1;
  }

  leased(confirmedAt: number, served: number): void {
    this.#counters.leased += served;
    this.#counters.hits += served;
    this.#counters.ages.add(performance.now() - confirmedAt, served);
  }

  lookedUp(isCached: boolean): void {
    if (isCached) this.#counters.hits += 1;
    else this.#counters.misses += 1;
  }
}
