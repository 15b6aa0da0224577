// SECURITY.md: Hostile tenant
import { expect, it } from 'vitest';
import { WindowCounts } from '../../src/lib/window-counts.ts';

const perMinute = (limit: number) => new WindowCounts({ limit, windowSeconds: 60 });

it('a window begins with the first event of its holder, and ends after its length', () => {
  const counts = perMinute(2);
  counts.count('a', 0);
  expect(counts.retryAfterSeconds('a', 1000)).toBeNull();
  counts.count('a', 1000);
  expect(counts.retryAfterSeconds('a', 1000)).toBe(59);
  expect(counts.retryAfterSeconds('a', 59_999)).toBe(1);
  expect(counts.retryAfterSeconds('b', 1000)).toBeNull();
  expect(counts.retryAfterSeconds('a', 60_000)).toBeNull();
  counts.count('a', 60_000);
  expect(counts.retryAfterSeconds('a', 60_000)).toBeNull();
  counts.count('a', 60_001);
  expect(counts.retryAfterSeconds('a', 60_001)).toBe(60);
});

it('events that exceed the limit are not taken, so that fewer can be', () => {
  const counts = perMinute(5);
  expect(counts.take('a', 0, 6)).toBe(60);
  expect(counts.take('a', 10_000, 4)).toBeNull();
  expect(counts.take('a', 20_000, 2)).toBe(50);
  expect(counts.take('a', 20_000, 1)).toBeNull();
  expect(counts.take('a', 69_999)).toBe(1);
  expect(counts.take('a', 70_000, 5)).toBeNull();
});

it('events that are counted without a check can exceed the limit, and do not prolong the window', () => {
  const counts = perMinute(3);
  counts.count('a', 0, 2);
  counts.count('a', 30_000, 7);
  counts.count('a', 59_000);
  expect(counts.retryAfterSeconds('a', 59_000)).toBe(1);
  expect(counts.retryAfterSeconds('a', 60_000)).toBeNull();
});

it('an event can be taken back, but a window never allows more than its limit', () => {
  const counts = perMinute(2);
  counts.takeBack('a');
  expect([counts.take('a', 0), counts.take('a', 0), counts.take('a', 0)]).toEqual([null, null, 60]);
  counts.takeBack('a');
  expect([counts.take('a', 0), counts.take('a', 0)]).toEqual([null, 60]);
  for (let i = 0; i < 5; i += 1) counts.takeBack('a');
  expect([counts.take('a', 0), counts.take('a', 0), counts.take('a', 0)]).toEqual([null, null, 60]);
});

it('of any number of holders, the last 10,000 are remembered, and the first ones are forgotten', () => {
  const counts = perMinute(1);
  for (let i = 0; i < 50_000; i += 1) counts.count(String(i), 0);
  for (let i = 40_000; i < 50_000; i += 1) expect(counts.retryAfterSeconds(String(i), 0)).toBe(60);
  expect(counts.retryAfterSeconds('0', 0)).toBeNull();
});

it('a holder that goes on keeps its count, however many new holders come', () => {
  const counts = perMinute(1000);
  for (let i = 0; i < 100_000; i += 1) {
    if (i % 100 === 0) counts.count('busy', 0);
    counts.count(String(i), 0);
  }
  expect(counts.retryAfterSeconds('busy', 0)).toBe(60);
});

it.each([1000, 5000, 10_000])(
  'a client with %i addresses gains at most a tenth by having windows dropped',
  (addresses) => {
    const limit = 10;
    const counts = perMinute(limit);
    for (let i = 0; i < 40_000; i += 1) counts.count(`other ${i % 20_000}`, 0);
    let taken = 0;
    for (let i = 0; i < 5 * limit * addresses; i += 1) if (counts.take(String(i % addresses), 0) === null) taken += 1;
    expect(taken).toBeGreaterThanOrEqual(limit * addresses);
    expect(taken).toBeLessThan(1.1 * limit * addresses);
  },
);
