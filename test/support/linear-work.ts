import { expect } from 'vitest';

/**
 * Expects that `work(size)` takes a time in proportion to `size`, so that hostile input can't stop a process.
 * For 16 times the size, linear work takes 16 times as long and quadratic work 256 times. Other programs, the compiler
 * and the garbage collector lengthen single rounds, but never each of them, so one round of five is enough.
 */
export function expectLinearWork(work: (size: number) => void, size: number): void {
  const took = (of: number) => {
    const startedAt = process.cpuUsage().user;
    work(of);
    return process.cpuUsage().user - startedAt;
  };
  took(size / 16);
  const ratios: number[] = [];
  do {
    // Less than two milliseconds is noise.
    const small = Math.max(took(size / 16), 2_000);
    ratios.push(took(size) / small);
  } while (Math.min(...ratios) > 64 && ratios.length < 5);
  expect(Math.min(...ratios)).toBeLessThanOrEqual(64);
}
