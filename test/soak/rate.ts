/**
 * A fixed rate, whatever the answers do: call number n is due at n / rate, and its latency counts from then. A server
 * that stalls is charged for every call that it delayed, and not only for the few in progress.
 */
import type { Latencies } from './latencies.ts';

export interface Stream {
  readonly perSecond: number;
  readonly latencies: Latencies;
  /** Makes one call, and returns what was wrong with its answer, if anything. Null for a call without an answer. */
  readonly next: () => Promise<string | null> | null;
}

export interface Sent {
  readonly calls: number;
  readonly wrong: readonly string[];
  readonly mostUnderWay: number;
}

const tickMs = 2;

/** Sends until the time is over or it is stopped, then waits for the answers that are still to come. */
export async function send(
  { perSecond, latencies, next }: Stream,
  durationMs: number,
  stop: AbortSignal,
): Promise<Sent> {
  const startedAt = performance.now();
  const underWay = new Set<Promise<void>>();
  const wrong: string[] = [];
  let [calls, mostUnderWay] = [0, 0];
  const call = (dueMs: number) => {
    calls += 1;
    const answer = next();
    if (answer === null) return;
    const done = answer.then((fault) => {
      latencies.record(dueMs, performance.now() - startedAt - dueMs);
      if (fault !== null) wrong.push(`${fault}, due at ${(dueMs / 1000).toFixed(1)} s`);
      underWay.delete(done);
    });
    underWay.add(done);
  };
  while (!stop.aborted) {
    const now = Math.min(performance.now() - startedAt, durationMs);
    for (let due = (calls * 1000) / perSecond; due <= now; due = (calls * 1000) / perSecond) call(due);
    mostUnderWay = Math.max(mostUnderWay, underWay.size);
    if (now >= durationMs) break;
    await new Promise((resolve) => setTimeout(resolve, tickMs));
  }
  await Promise.all(underWay);
  return { calls, wrong, mostUnderWay };
}
