/** A stream of calls at a fixed rate, with every latency by the minute in which its call was due. */
import { atRate } from '../load/schedule.ts';
import { percentile } from '../load/statistics.ts';

const minuteMs = 60_000;
const minCallsOfMinute = 200;

export class Latencies {
  readonly #minutes: number[][] = [];

  record(dueMs: number, latencyMs: number): void {
    const minute = Math.floor(dueMs / minuteMs);
    while (this.#minutes.length <= minute) this.#minutes.push([]);
    this.#minutes[minute]?.push(latencyMs);
  }

  /** The percentiles of each minute, and of the last incomplete one if it has enough calls. */
  percentiles(share: number): number[] {
    return this.#minutes.filter(({ length }) => length >= minCallsOfMinute).map((minute) => percentile(minute, share));
  }
}

export interface Stream {
  readonly perSecond: number;
  readonly latencies: Latencies;
  /** Makes one call, and returns what was wrong with its answer, if anything. Null for a call without an answer. */
  readonly next: () => Promise<string | null> | null;
}

export interface Sent {
  readonly calls: number;
  readonly wrong: readonly string[];
  readonly maxInProgress: number;
}

/** Sends until the time is over or it is stopped, then waits for the answers that are still to come. */
export async function send(
  { perSecond, latencies, next }: Stream,
  durationMs: number,
  stop: AbortSignal,
): Promise<Sent> {
  const startedAt = performance.now();
  const inProgress = new Set<Promise<void>>();
  const wrong: string[] = [];
  let [calls, maxInProgress] = [0, 0];
  const call = (dueMs: number) => {
    calls += 1;
    const answer = next();
    if (answer === null) return;
    const done = answer.then((problem) => {
      latencies.record(dueMs, performance.now() - startedAt - dueMs);
      if (problem !== null) wrong.push(`${problem}, due at ${(dueMs / 1000).toFixed(1)} s`);
      inProgress.delete(done);
    });
    inProgress.add(done);
    maxInProgress = Math.max(maxInProgress, inProgress.size);
  };
  await atRate(perSecond, call, stop, durationMs);
  await Promise.all(inProgress);
  return { calls, wrong, maxInProgress };
}
