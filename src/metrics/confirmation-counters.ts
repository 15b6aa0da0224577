import { confirmationBounds, DurationHistogram } from './duration-histogram.ts';
import type { ConfirmationReadings } from './readings.ts';

/** Counts confirmation rounds, and the verifications that they serve. Times are those of `performance.now()`. */
export class ConfirmationCounters implements ConfirmationReadings {
  answered = 0;
  failed = 0;
  leased = 0;
  readonly durations = new DurationHistogram(confirmationBounds);
  readonly ages = new DurationHistogram(confirmationBounds);
  lastAt = 0;
  hits = 0;
  misses = 0;

  roundStarted(hits: number, misses: number): void {
    this.hits += hits;
    this.misses += misses;
  }

  roundConfirmed(startedAt: number, served: number): void {
    const tookMs = performance.now() - startedAt;
    this.answered += 1;
    this.durations.add(tookMs);
    this.ages.add(tookMs, served);
    this.lastAt = performance.timeOrigin + startedAt;
  }

  roundFailed(): void {
    this.failed += 1;
  }

  /** Counts verifications on cached keys within a lease. */
  leaseUsed(startedAt: number, served: number): void {
    this.leased += served;
    this.hits += served;
    this.ages.add(performance.now() - startedAt, served);
  }
}
