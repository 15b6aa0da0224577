/** The judge of `npm run soak`: it must see what grows, and not take a collector's ups and downs for it. */
import { describe, expect, it } from 'vitest';
import { failuresOf, type SoakRun } from './soak/flatness.ts';
import { Latencies } from './soak/latencies.ts';
import { send } from './soak/rate.ts';

const minutes = 10;
const sample = (seconds: number, anonymousMb: number, descriptors = 30, threads = 11) => ({
  seconds,
  rssMb: anonymousMb + 50,
  anonymousMb,
  descriptors,
  threads,
});

/** Warms up for two minutes, then goes up and down by 3 MB. */
function run(changes: Partial<SoakRun> = {}, growthMbPerMinute = 0): SoakRun {
  const samples = Array.from({ length: minutes * 3 }, (_, i) => {
    const seconds = i * 20;
    const warm = 100 + 40 * Math.min(1, seconds / 120);
    return sample(seconds, warm + 1.5 * Math.sin(seconds / 7) + (growthMbPerMinute * seconds) / 60);
  });
  const port = {
    name: 'verify',
    sent: { calls: 600_000, wrong: [], mostUnderWay: 40 },
    medians: Array.from({ length: minutes }, () => 1),
    p99s: Array.from({ length: minutes }, (_, i) => (i === 0 ? 60 : 10 + (i % 3))),
  };
  return {
    seconds: minutes * 60,
    samples,
    ports: [port],
    before: sample(0, 100),
    after: sample(0, 150),
    databaseMb: { before: 10, after: 20 },
    ...changes,
  };
}

describe('a run is', () => {
  it('flat if only the heap grows and shrinks', () => {
    expect(failuresOf(run())).toEqual([]);
  });

  it('not flat, where two megabytes a minute are lost', () => {
    expect(failuresOf(run({}, 2))[0]).toMatch(/^memory grows by (?:1\.[89]|2\.[012])\d MB a minute, more than 1$/);
  });

  it.each([
    [
      'slower in the end',
      { p99s: [10, 10, 10, 10, 12, 14, 16, 18, 20, 20] },
      /^verify: p99 went from 10\.0 to 20\.0 ms$/,
    ],
    [
      'wrong once',
      { sent: { calls: 9, wrong: ['VALID instead of REVOKED'], mostUnderWay: 1 } },
      /^verify: 1 wrong .* VALID instead/,
    ],
  ])('not flat, where it is %s', (_, changes, failure) => {
    const ports = run().ports.map((port) => ({ ...port, ...changes }));
    expect(failuresOf(run({ ports }))).toEqual([expect.stringMatching(failure)]);
  });

  it('not flat, where descriptors or threads are left over', () => {
    expect(failuresOf(run({ after: sample(0, 150, 33, 12) }))).toEqual([
      'open descriptors went from 30 to 33',
      'threads went from 11 to 12',
    ]);
  });
});

it('a stall counts for every call that was due during it, not only for the one that it delayed', async () => {
  const latencies = new Latencies();
  let first = true;
  const next = async () => {
    // Like a server that answers no call for half a second.
    if (first) for (const end = performance.now() + 500; performance.now() < end; );
    first = false;
    return null;
  };
  const { calls } = await send({ perSecond: 400, latencies, next }, 1000, new AbortController().signal);
  expect(calls).toBe(401);
  expect(latencies.percentiles(0.5)[0]).toBeLessThan(300);
  expect(latencies.percentiles(0.7)[0]).toBeGreaterThan(50);
});
