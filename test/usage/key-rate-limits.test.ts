/** The counting of rate limits in one process, at given times, and what it sends to the others. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { KeyRateLimits } from '../../src/usage/key-rate-limits.ts';
import type { RateCount } from '../../src/wire/control-plane.ts';

const minute = 60_000;
const perMinute = { limit: 3, windowSeconds: 60 };
/** A window of the future, so that it has not ended when counts are sent. */
const start = (Math.floor(Date.now() / minute) + 10) * minute;

describe('the rate limits of keys', () => {
  let calls: (readonly RateCount[])[];
  let errors: unknown[];
  let others: number;
  let isAway: boolean;
  let messages: { startedAt: number; endedAt: number }[];
  /** A message takes at least as long as this. */
  let answerAllowed: Promise<unknown>;
  let limits: KeyRateLimits;
  beforeEach(() => {
    calls = [];
    errors = [];
    others = 0;
    isAway = false;
    messages = [];
    answerAllowed = Promise.resolve();
    const addRates = async (counts: readonly RateCount[]) => {
      const message = { startedAt: performance.now(), endedAt: 0 };
      messages.push(message);
      await answerAllowed;
      message.endedAt = performance.now();
      if (isAway) throw new LatchkeyError('UNAVAILABLE', 'Management does not answer');
      calls.push(counts);
      const sent = (keyId: string) => calls.flat().filter((one) => one.keyId === keyId);
      return counts.map(({ keyId }) => others + sent(keyId).reduce((sum, { count }) => sum + count, 0));
    };
    limits = new KeyRateLimits({ addRates }, (error) => errors.push(error));
  });
  afterEach(() => limits.close());

  const accept = (times: number, now = start, limit = perMinute) =>
    Array.from({ length: times }, () => limits.accept({ id: 'key', teamId: 'team' }, limit, now)).filter(
      (accepted) => accepted,
    ).length;
  const remaining = (now = start, limit = perMinute) => limits.stateOf('key', limit, now).remaining;

  it('accept exactly the limit in each window, and windows are aligned to the epoch', () => {
    expect(accept(5, start)).toBe(3);
    expect(accept(5, start + minute - 1)).toBe(0);
    expect(accept(5, start + minute)).toBe(3);
    expect(limits.stateOf('key', perMinute, start + minute + 15_001)).toEqual({
      limit: 3,
      windowSeconds: 60,
      remaining: 0,
      resetSeconds: 45,
    });
    expect(limits.stateOf('unused', perMinute, start)).toMatchObject({ remaining: 3, resetSeconds: 60 });
  });

  it('keep the count when the limit changes, and start again when the window does', () => {
    expect(accept(2)).toBe(2);
    expect(remaining(start, { limit: 10, windowSeconds: 60 })).toBe(8);
    expect(accept(9, start, { limit: 1, windowSeconds: 60 })).toBe(0);
    expect(remaining(start, { limit: 1, windowSeconds: 60 })).toBe(0);
    expect(accept(9, start, { limit: 5, windowSeconds: 120 })).toBe(5);
  });

  it('add what other processes accepted, and count what was accepted during a message', async () => {
    others = 1;
    expect(accept(1)).toBe(1);
    await expect.poll(() => calls.length).toBe(1);
    expect(calls[0]).toEqual([{ keyId: 'key', windowSeconds: 60, windowEnd: new Date(start + minute), count: 1 }]);
    await expect.poll(() => remaining()).toBe(1);
    expect(accept(5)).toBe(1);
    await expect.poll(() => calls.length).toBe(2);
    expect(calls[1]).toMatchObject([{ count: 1 }]);
  });

  it('cost nothing while no limited key is used, and rejected requests are not sent', async () => {
    limits.stateOf('key', perMinute, start);
    await limits.close();
    expect(calls).toEqual([]);
    accept(9);
    await limits.close();
    accept(9);
    await limits.close();
    expect(calls.flat().map(({ count }) => count)).toEqual([3]);
  });

  it('are enforced with the own counts while management does not answer, which gets them later', async () => {
    isAway = true;
    expect(accept(2)).toBe(2);
    await limits.close();
    expect([limits.failures, errors.length]).toEqual([1, 1]);
    expect(accept(5)).toBe(1);
    isAway = false;
    await limits.close();
    expect(calls.flat().map(({ count }) => count)).toEqual([3]);
  });

  it('are sent at most a tenth of the time, also when a key is used during a message', async () => {
    let allow: () => void = () => undefined;
    answerAllowed = new Promise<void>((resolve) => {
      allow = resolve;
    });
    accept(1);
    await expect.poll(() => messages.length, { interval: 1 }).toBe(1);
    // The message takes this long.
    await new Promise((resolve) => setTimeout(resolve, 150));
    accept(1);
    allow();
    await expect.poll(() => messages.length).toBe(2);
    const [first, second] = messages;
    if (first === undefined || second === undefined) return expect.fail('there are two');
    expect(second.startedAt - first.endedAt).toBeGreaterThan(8 * (first.endedAt - first.startedAt));
  });

  it('of a team that uses many keys do not make those of other teams wait: teams take turns', async () => {
    let allow: () => void = () => undefined;
    answerAllowed = new Promise<void>((resolve) => {
      allow = resolve;
    });
    for (let i = 0; i < 2000; i += 1) limits.accept({ id: `key ${i}`, teamId: 'many' }, perMinute, start);
    for (const id of ['a', 'b']) limits.accept({ id, teamId: `team of ${id}` }, perMinute, start);
    await expect.poll(() => messages.length, { interval: 1 }).toBe(1);
    // While the first message is under way, they are used again, and so are others.
    for (const id of ['a', 'c']) limits.accept({ id, teamId: `team of ${id}` }, perMinute, start);
    allow();
    await expect.poll(() => calls.length).toBe(2);
    const others = calls.map((call) => call.map(({ keyId }) => keyId).filter((id) => id.length === 1));
    expect(others).toEqual([
      ['a', 'b'],
      ['a', 'c'],
    ]);
    expect(calls.map((call) => call.length)).toEqual([500, 500]);
    await limits.close();
    expect(new Set(calls.flat().map(({ keyId }) => keyId)).size).toBe(2003);
  });

  it('are tried again at most once per second while management does not answer', async () => {
    isAway = true;
    for (let i = 0; i < 1500; i += 1) limits.accept({ id: `key ${i}`, teamId: 'team' }, perMinute, start);
    await expect.poll(() => messages.length).toBe(3);
    const [first, second, third] = messages.map(({ startedAt }) => startedAt);
    if (first === undefined || second === undefined || third === undefined) return expect.fail('there are three');
    // On a busy machine, a call can be late, and the next one follows it earlier.
    expect(Math.min(second - first, third - second)).toBeGreaterThan(500);
  });

  it('of a window that has ended are not sent', async () => {
    accept(1, Date.now() - 2 * minute);
    await limits.close();
    expect(calls).toEqual([]);
  });
});
