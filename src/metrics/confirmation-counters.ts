import { confirmationBounds, DurationHistogram } from './duration-histogram.ts';

/** Counts confirmation rounds, and the verifications that they serve. At an edge, "the store" means its upstreams. */
export class ConfirmationCounters {
  /** Rounds that the store answered. All other rounds failed. */
  answered = 0;
  failed = 0;
  /** Verifications decided on the result of an earlier round (VERIFY_LEASE_MS). */
  leased = 0;
  readonly durations = new DurationHistogram(confirmationBounds);
  /** How old the confirmed state was when a verification was decided on it. */
  readonly ages = new DurationHistogram(confirmationBounds);
  /** The start of the last answered round, in milliseconds since the Unix epoch; 0 before the first. */
  lastAt = 0;
  /** Lookups that found their key in the cache. All other lookups are misses. */
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

  leaseUsed(startedAt: number, served: number): void {
    this.leased += served;
    this.hits += served;
    this.ages.add(performance.now() - startedAt, served);
  }
}
