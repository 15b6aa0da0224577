import type { WorkerClaim } from '../../store/rows/event-worker.ts';

/** If the holder wrote nothing for so long, it has ended or is stuck, and another instance takes over. */
const standstillMs = 1200;
/** A holder that could not write for so long starts no more requests, because another instance may take over soon. */
const trustMs = 900;

export type LeaseState = 'free' | 'abandoned' | 'held by another';

/**
 * What an instance knows of the claim on deliveries. Compares no clocks of different machines: it measures how long it has
 * seen the same beat.
 */
export class WorkerLease {
  #seen: WorkerClaim | null = null;
  #seenSinceMs = 0;
  #savedMs: number | null = null;

  get isHeld(): boolean {
    return this.#savedMs !== null;
  }

  observe(claim: WorkerClaim, nowMs: number): LeaseState {
    if (claim.holder === '') return 'free';
    if (claim.holder !== this.#seen?.holder || claim.beat !== this.#seen.beat) {
      this.#seen = claim;
      this.#seenSinceMs = nowMs;
    }
    return nowMs - this.#seenSinceMs >= standstillMs ? 'abandoned' : 'held by another';
  }

  /** This instance has written as the holder. @param startedMs before the write */
  saved(startedMs: number): void {
    this.#savedMs = startedMs;
    this.#seen = null;
  }

  ended(): void {
    this.#savedMs = null;
  }

  /** The time since the last write. */
  sinceSavedMs(nowMs: number): number {
    return nowMs - (this.#savedMs ?? Number.NEGATIVE_INFINITY);
  }

  /** Whether no other instance can have taken over yet. */
  isSafe(nowMs: number): boolean {
    return this.sinceSavedMs(nowMs) < trustMs;
  }
}
