import { expect, it } from 'vitest';
import { WriteCheck } from '../../src/store/write-check.ts';

/** A queue whose writes are counted, and succeed unless its disk is full. */
function queue() {
  const disk = { isFull: false, writes: 0, problem: null as unknown };
  return {
    disk,
    changes: {
      get problem() {
        return disk.problem;
      },
      probe: async () => {
        disk.writes += 1;
        disk.problem = disk.isFull ? new Error('full') : null;
        if (disk.isFull) throw disk.problem;
      },
    },
  };
}

const isReady = (check: WriteCheck) =>
  check.check().then(
    () => true,
    () => false,
  );

it('any number of checks within a second write once, so that a public check cannot load the disk', async () => {
  const { disk, changes } = queue();
  let now = 0;
  const check = new WriteCheck(changes, 'sqlite', () => now);
  await Promise.all(Array.from({ length: 50 }, () => check.check()));
  for (; now < 1000; now += 100) await check.check();
  expect(disk.writes).toBe(1);
  disk.isFull = true;
  const answers = [];
  for (let i = 0; i < 50; i += 1) answers.push(await isReady(check));
  expect([disk.writes, new Set(answers)]).toEqual([2, new Set([false])]);
  disk.isFull = false;
  now += 1000;
  expect([await isReady(check), disk.writes]).toEqual([true, 3]);
});

it('on PostgreSQL writes only after a change has failed, until a write succeeds', async () => {
  const { disk, changes } = queue();
  let now = 0;
  const check = new WriteCheck(changes, 'postgresql', () => now);
  expect([await isReady(check), disk.writes]).toEqual([true, 0]);
  Object.assign(disk, { isFull: true, problem: new Error('full') });
  expect([await isReady(check), disk.writes]).toEqual([false, 1]);
  disk.isFull = false;
  now += 1000;
  expect([await isReady(check), disk.writes]).toEqual([true, 2]);
  now += 1000;
  expect([await isReady(check), disk.writes]).toEqual([true, 2]);
});

it('a write that waits for others does not make the instance look unready', async () => {
  const check = new WriteCheck({ problem: null, probe: () => new Promise(() => undefined) }, 'sqlite');
  expect(await isReady(check)).toBe(true);
});
