import { expect, it } from 'vitest';
import { Heartbeat, restartDelayMs } from '../../src/service/processes/heartbeat.ts';

/** Makes so many checks, each of them answered. */
function answer(heartbeat: Heartbeat, checks: number): Heartbeat {
  for (let i = 0; i < checks; i += 1) {
    expect(heartbeat.check()).toBe('ping');
    heartbeat.answered();
  }
  return heartbeat;
}

/** Returns the number of checks without an answer until the process counts as stuck. */
function checksUntilStuck(heartbeat: Heartbeat): number {
  for (let checks = 1; ; checks += 1) if (heartbeat.check() === 'stuck') return checks;
}

it('a process is stuck when it has left ten checks in a row unanswered, one each second', () => {
  expect(checksUntilStuck(new Heartbeat(0))).toBe(11);
  const late = answer(new Heartbeat(0), 3);
  for (let i = 0; i < 10; i += 1) expect(late.check()).not.toBe('stuck');
  late.answered();
  expect(checksUntilStuck(late)).toBe(11);
});

it('a process is pinged again only once it has answered, so that no messages pile up', () => {
  const heartbeat = new Heartbeat(0);
  expect([heartbeat.check(), heartbeat.check(), heartbeat.check()]).toEqual(['ping', 'wait', 'wait']);
  heartbeat.answered();
  expect([heartbeat.check(), heartbeat.check()]).toEqual(['ping', 'wait']);
});

it('each replacement that gets stuck too has twice as many checks, so that a slow machine does not restart in a loop', () => {
  const limits: number[] = [];
  let failures = 0;
  for (let i = 0; i < 8; i += 1) {
    const heartbeat = answer(new Heartbeat(failures), 20);
    limits.push(checksUntilStuck(heartbeat) - 1);
    failures = heartbeat.failures;
  }
  expect(limits).toEqual([10, 20, 40, 80, 160, 320, 320, 320]);
});

it('failures are forgotten when a replacement runs well, which takes longer after each of them', () => {
  expect(new Heartbeat(0).failures).toBe(1);
  expect(answer(new Heartbeat(0), 29).failures).toBe(1);
  expect(answer(new Heartbeat(0), 30).failures).toBe(0);
  expect(answer(new Heartbeat(2), 119).failures).toBe(3);
  expect(answer(new Heartbeat(2), 120).failures).toBe(0);
  const stuck = answer(new Heartbeat(2), 120);
  checksUntilStuck(stuck);
  expect(stuck.failures).toBe(1);
});

it('a process that ends again and again is started again after a delay that doubles up to ten seconds', () => {
  expect([1, 2, 3, 7, 8, 50].map(restartDelayMs)).toEqual([100, 200, 400, 6400, 10_000, 10_000]);
});
