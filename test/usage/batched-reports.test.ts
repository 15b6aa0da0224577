// SECURITY.md: Bytes from outside
import { expect, it } from 'vitest';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { batchedReports } from '../../src/usage/batched-reports.ts';

const statusesOf = async (reports: readonly Promise<void>[]) =>
  (await Promise.allSettled(reports)).map(({ status }) => status);

it('records of several reports are written at once, and each report waits for that', async () => {
  const written: (readonly number[])[] = [];
  let allow = () => undefined;
  const allowed = new Promise<void>((resolve) => {
    allow = () => void resolve();
  });
  const add = batchedReports<number>(async (records) => {
    written.push(records);
    await allowed;
  });
  let settled = 0;
  const reports = [[1, 2], [3], []].map(async (records) => {
    await add(records);
    settled += 1;
  });
  await expect.poll(() => written).toEqual([[1, 2, 3]]);
  // Only the empty report, which has nothing to wait for.
  expect(settled).toBe(1);
  allow();
  await Promise.all(reports);
});

it('a report that can’t be written fails alone', async () => {
  const written: number[] = [];
  const add = batchedReports<number>(async (records) => {
    if (records.includes(1)) throw new Error('out of range');
    written.push(...records);
  });
  const statuses = await statusesOf([add([0]), add([1]), add([2])]);
  expect(statuses).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(written).toEqual([0, 2]);
});

it('what may have been written in spite of an error is not written twice', async () => {
  let calls = 0;
  const add = batchedReports<number>(async () => {
    calls += 1;
    throw new LatchkeyError('UNAVAILABLE', 'there was no answer');
  });
  expect(await statusesOf([add([1]), add([2])])).toEqual(['rejected', 'rejected']);
  expect(calls).toBe(1);
});

it('no more than 500 records are written at once, unless one report has more', async () => {
  const sizes: number[] = [];
  const add = batchedReports<number>(async (records) => {
    sizes.push(records.length);
  });
  await Promise.all([300, 200, 1, 600].map((size) => add(Array<number>(size).fill(0))));
  expect(sizes).toEqual([500, 1, 600]);
});
