/** Every latency, by the minute in which its call was due: exact percentiles, no buckets. */
const minuteMs = 60_000;

export class Latencies {
  readonly #minutes: number[][] = [];

  record(dueMs: number, latencyMs: number): void {
    const minute = Math.floor(dueMs / minuteMs);
    while (this.#minutes.length <= minute) this.#minutes.push([]);
    this.#minutes[minute]?.push(latencyMs);
  }

  /** The percentiles of each minute, and of the last incomplete one if it has enough calls. */
  percentiles(share: number): number[] {
    return this.#minutes.filter(({ length }) => length >= leastCalls).map((minute) => percentile(minute, share));
  }
}

const leastCalls = 200;

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
