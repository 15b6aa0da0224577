/** A histogram in plain numbers, because prom-client's histogram hashes its labels at each observation. */
export class DurationHistogram {
  /** Upper bounds in milliseconds, each included. */
  readonly bounds: readonly number[];
  /** One count per bound, and a last count for durations above all bounds. */
  readonly counts: number[];
  sumMs = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  add(milliseconds: number, times = 1): void {
    let i = 0;
    // Most durations are in one of the first buckets, so a binary search would not be faster.
    while (milliseconds > (this.bounds[i] ?? Number.POSITIVE_INFINITY)) i += 1;
    this.counts[i] = (this.counts[i] ?? 0) + times;
    this.sumMs += milliseconds * times;
  }
}

/** Bounds for HTTP responses, from a verification on an idle machine to a call that timed out. */
export const requestBounds: readonly number[] = [
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000,
];

/** Bounds for confirmation rounds, which take microseconds on SQLite and time out after 1.5 s over a network. */
export const confirmationBounds: readonly number[] = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500,
];
