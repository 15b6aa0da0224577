/** A stream of calls at a fixed rate, with every latency by the minute in which its call was due. */

import { percentile } from '../../harness/statistics.ts';
import { atRate } from '../at-rate.ts';

const minuteMs = 60_000;
const minCallsOfMinute = 200;

export interface Stream {
  readonly name: string;
  readonly perSecond: number;
  /** Makes one call, and returns what was wrong with its answer, if anything. Null for a call without an answer. */
  readonly next: () => Promise<string | null> | null;
}

export interface Sent {
  readonly name: string;
  readonly calls: number;
  readonly wrong: readonly string[];
  readonly maxInProgress: number;
  /** Of each minute, in milliseconds. The last incomplete one is there if it has enough calls. */
  readonly medians: readonly number[];
  readonly p99s: readonly number[];
}

/** Sends until the time is over, then waits for the answers that are still to come. */
export async function send({ name, perSecond, next }: Stream, durationMs: number): Promise<Sent> {
  const startedAt = performance.now();
  const inProgress = new Set<Promise<void>>();
  const minutes: number[][] = [];
  const wrong: string[] = [];
  let [calls, maxInProgress] = [0, 0];
  const call = (dueMs: number) => {
    calls += 1;
    const answer = next();
    if (answer === null) return;
    const done = answer.then((problem) => {
      const minute = Math.floor(dueMs / minuteMs);
      minutes[minute] ??= [];
      minutes[minute].push(performance.now() - startedAt - dueMs);
      if (problem !== null) wrong.push(`${problem}, due at ${(dueMs / 1000).toFixed(1)} s`);
      inProgress.delete(done);
    });
    inProgress.add(done);
    maxInProgress = Math.max(maxInProgress, inProgress.size);
  };
  await atRate(perSecond, call, AbortSignal.timeout(durationMs));
  await Promise.all(inProgress);
  const ofEach = (share: number) =>
    minutes.filter(({ length }) => length >= minCallsOfMinute).map((minute) => percentile(minute, share));
  return { name, calls, wrong, maxInProgress, medians: ofEach(0.5), p99s: ofEach(0.99) };
}
