/** Whether a run was flat, and by how much. */

import { median } from '../../harness/statistics.ts';
import type { ProcessSample } from '../../support/processes.ts';
import type { Sent } from './streams.ts';

export interface SoakRun {
  readonly seconds: number;
  /** Each of them after all garbage was collected. */
  readonly samples: readonly (ProcessSample & { readonly seconds: number })[];
  readonly ports: readonly Sent[];
  /** Without any connection of the clients: before the load, and when it was over. */
  readonly before: ProcessSample;
  readonly after: ProcessSample;
  readonly databaseMb: { readonly before: number; readonly after: number };
}

const limits = {
  /**
   * At 1,000 verifications a second, a leak of 100 bytes for each, one small object, is 6 MB a minute; of 100 kB for each
   * management call, 120 MB. Smaller growth is fragmentation, and SQLite's page caches as the database grows.
   */
  growthMbPerMinute: 1,
  /** From the third quarter's median to the last one's. */
  stepMb: 5,
  /** How much larger the median of the minutes' p99 may be in the last third than in the first: the larger of the two. */
  slower: { times: 1.5, ms: 5 },
  /** Connections to PostgreSQL may come and go in their pool. */
  descriptors: 2,
};

/** Of the anonymous part, in the second half: in the first half, caches fill and the heap reaches its size. */
export function memoryOf({ samples, seconds }: SoakRun) {
  const between = (from: number, to: number) =>
    samples.filter((sample) => sample.seconds >= from * seconds && sample.seconds < to * seconds);
  const medianMb = (quarter: readonly ProcessSample[]) => median(quarter.map(({ anonymousMb }) => anonymousMb));
  return {
    growthMbPerMinute: 60 * slope(between(0.5, 1).map((sample) => [sample.seconds, sample.anonymousMb])),
    stepMb: medianMb(between(0.75, 1)) - medianMb(between(0.5, 0.75)),
  };
}

/** By least squares. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

/** The first minute warms up. */
export function p99Ends({ p99s }: Sent) {
  const minutes = p99s.length > 3 ? p99s.slice(1) : p99s;
  const third = Math.max(1, Math.floor(minutes.length / 3));
  return { first: median(minutes.slice(0, third)), last: median(minutes.slice(-third)) };
}

export function failuresOf(run: SoakRun): string[] {
  const failures: string[] = [];
  const { growthMbPerMinute, stepMb } = memoryOf(run);
  // In this form, NaN, the result of a run that is too short, is a failure too.
  if (!(growthMbPerMinute <= limits.growthMbPerMinute))
    failures.push(`memory grows by ${growthMbPerMinute.toFixed(2)} MB a minute, more than ${limits.growthMbPerMinute}`);
  if (!(stepMb <= limits.stepMb))
    failures.push(
      `memory of the last quarter is ${stepMb.toFixed(1)} MB above the one before, more than ${limits.stepMb}`,
    );
  for (const port of run.ports) {
    const { first, last } = p99Ends(port);
    if (last > first * limits.slower.times && last > first + limits.slower.ms)
      failures.push(`${port.name}: p99 went from ${first.toFixed(1)} to ${last.toFixed(1)} ms`);
    const { name, wrong } = port;
    if (wrong.length > 0) failures.push(`${name}: ${wrong.length} wrong answers, the first: ${wrong[0]}`);
  }
  const { before, after } = run;
  if (after.descriptors > before.descriptors + limits.descriptors)
    failures.push(`open descriptors went from ${before.descriptors} to ${after.descriptors}`);
  if (after.threads > before.threads) failures.push(`threads went from ${before.threads} to ${after.threads}`);
  return failures;
}
